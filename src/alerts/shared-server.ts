import type { Storage, Table } from "../storage/table.ts";
import type { Messenger } from "./messenger.ts";
import type { Health } from "./poll-failures.ts";

/**
 * One server of which several processes take turns. What each of them remembers is good for as long as no other one has
 * written. All of it rejects with a `StorageError` where it cannot be known.
 */
export interface SharedServer {
  /** Right before a message goes out. Throws `Overtaken` where the right is gone, or somebody else has written. */
  confirm(): Promise<void>;
  /** Right before each write of a poll, and before what a message makes untrue. Throws `Overtaken` where the right is gone, or somebody else has written. */
  writing(): Promise<void>;
  /** Something that is kept for the server is being changed here, beside its polls: whoever polls it is to forget. */
  changed(): Promise<void>;
  /** Whether no other process has written since this was last asked; what is remembered is to be forgotten otherwise. */
  isFresh(): Promise<boolean>;
  /** What another process last remembered of the lists, once; undefined where this process's own memory is the newest. */
  takeMemory(): string | undefined;
  /** What this process remembers of the lists now. May be lost. */
  keepMemory(text: string): void;
  /** How polls of the server go, for those who show it. May be lost. */
  keepHealth(health: Health): void;
  /** As the process saw it that polled last. */
  health(): Promise<Health>;
}

/** The messenger, with a look at the right before each message. */
export function confirmed(messenger: Messenger, shared: Pick<SharedServer, "confirm" | "writing">): Messenger {
  return {
    async send(...args) {
      // Others may remember that this was never sent, and where no answer comes nothing is written that tells them.
      await shared.writing();
      await shared.confirm();
      return messenger.send(...args);
    },
    async edit(...args) {
      await shared.confirm();
      return messenger.edit(...args);
    },
    read: (...args) => messenger.read(...args),
    own: (...args) => messenger.own(...args),
    async tellOwner(...args) {
      await shared.confirm();
      return messenger.tellOwner(...args);
    },
  };
}

/** What is to be done around a write. */
interface Announcing {
  writing(): Promise<void>;
  written(): Promise<void>;
}

function announcedTable<T>(table: Table<T>, { writing, written }: Announcing): Table<T> {
  async function around(write: () => Promise<void>) {
    await writing();
    await write();
    await written();
  }
  return {
    get: (key) => table.get(key),
    getMany: (keys) => table.getMany(keys),
    entries: () => table.entries(),
    set: (...args) => around(() => table.set(...args)),
    setMany: async (entries) => (entries.length > 0 ? around(() => table.setMany(entries)) : undefined),
    delete: (key) => around(() => table.delete(key)),
    deleteMany: async (keys) => (keys.length > 0 ? around(() => table.deleteMany(keys)) : undefined),
    clear: () => around(() => table.clear()),
  };
}

/** The storage, of which every write is announced to the other processes. */
export const announced = (storage: Storage, announcing: Announcing): Storage => ({
  table: (shape, part) => announcedTable(storage.table(shape, part), announcing),
  close: () => storage.close(),
});
