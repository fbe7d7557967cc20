import { EventEmitter } from "node:events";
import type { PretendEvents } from "./model.ts";

/** Tells listeners what happened, and lets a test wait for it. */
export interface Bus {
  emit<K extends keyof PretendEvents>(event: K, detail: PretendEvents[K]): void;
  /** Returns a function that ends the listening. */
  on<K extends keyof PretendEvents>(event: K, listener: (detail: PretendEvents[K]) => void): () => void;
  /**
   * The first value other than undefined that `find` gives, tried now and after everything that happens.
   * Rejects after `deadlineMs` (default 30,000) with a sentence that says what did not happen.
   */
  waitFor<T>(find: () => T | undefined, what: string, deadlineMs?: number): Promise<T>;
}

const CHANGE = Symbol("change");

export function createBus(): Bus {
  const emitter = new EventEmitter();
  emitter.setMaxListeners(0);
  return {
    emit(event, detail) {
      emitter.emit(event, detail);
      emitter.emit(CHANGE);
    },
    on(event, listener) {
      emitter.on(event, listener);
      return () => emitter.off(event, listener);
    },
    waitFor<T>(find: () => T | undefined, what: string, deadlineMs = 30_000): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        const end = () => {
          clearTimeout(timer);
          emitter.off(CHANGE, look);
        };
        const look = () => {
          try {
            const found = find();
            if (found === undefined) return;
            end();
            resolve(found);
          } catch (error) {
            end();
            reject(error);
          }
        };
        const timer = setTimeout(() => {
          end();
          reject(new Error(`waited ${deadlineMs} ms in vain for ${what}`));
        }, deadlineMs);
        emitter.on(CHANGE, look);
        look();
      });
    },
  };
}
