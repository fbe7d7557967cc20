import { EventEmitter } from "node:events";

export type Bus<Events> = ReturnType<typeof createBus<Events>>;

const changed = Symbol("changed");

export function createBus<Events>() {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  return {
    emit<K extends keyof Events & string>(event: K, detail: Events[K]): void {
      emitter.emit(event, detail);
      emitter.emit(changed);
    },
    on<K extends keyof Events & string>(event: K, listener: (detail: Events[K]) => void): () => void {
      emitter.on(event, listener);
      return () => emitter.off(event, listener);
    },
    /**
     * Calls `find` now and after every event. Resolves to its first value other than undefined and false.
     * After `deadlineMs`, rejects with a sentence that says that `what` did not happen.
     */
    waitFor<T>(find: () => T | undefined | false, what: string, deadlineMs = 60_000): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const look = () => {
        try {
          const found = find();
          if (found !== undefined && found !== false) resolve(found);
        } catch (error) {
          reject(error);
        }
      };
      const timer = setTimeout(() => reject(new Error(`waited ${deadlineMs} ms in vain for ${what}`)), deadlineMs);
      emitter.on(changed, look);
      look();
      return promise.finally(() => {
        clearTimeout(timer);
        emitter.off(changed, look);
      });
    },
  };
}
