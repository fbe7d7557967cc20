import { ConflictError } from "../orders/conflict-error.ts";
import type { Messenger } from "../outbox/messenger.ts";
import type { Storage, Table } from "../storage/table.ts";
import type { Health } from "./poll-failures.ts";

/**
 * One server of which several processes take turns. What each of them remembers is good for as long as no other one has
 * written. All of it rejects with a `StorageError` where it cannot be known.
 */
export interface SharedServer {
  /** Right before a message goes out. Throws `ConflictError` where the right is gone, or somebody else has written. */
  confirm(): Promise<void>;
  /** Right before each write of a poll, and before what a message makes untrue. Throws `ConflictError` where the right is gone, or somebody else has written. */
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

/** How often it is looked at whether a message that waits for Discord's limit may still go out. */
const lookEveryMs = 1_000;

/** A signal that is aborted with `signal`, or where the right is found to be gone, until `end` is called. */
function watched(shared: Pick<SharedServer, "confirm">, signal: AbortSignal | undefined) {
  const over = new AbortController();
  const looking = setInterval(() => {
    // A Redis that does not answer says nothing of what others have written.
    shared.confirm().catch((error: unknown) => error instanceof ConflictError && over.abort());
  }, lookEveryMs);
  return {
    signal: signal ? AbortSignal.any([signal, over.signal]) : over.signal,
    end: () => clearInterval(looking),
  };
}

/** The messenger, with a look at the right before each message, and while it waits. */
export function confirmed(messenger: Messenger, shared: Pick<SharedServer, "confirm" | "writing">): Messenger {
  return {
    async send(channelId, payload, nonce, signal, replyTo) {
      // Others may remember that this was never sent, and where no answer comes nothing is written that tells them.
      await shared.writing();
      await shared.confirm();
      const watch = watched(shared, signal);
      return messenger.send(channelId, payload, nonce, watch.signal, replyTo).finally(watch.end);
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

/** A class: there are a dozen for each server that is polled. */
class AnnouncedTable<T> implements Table<T> {
  private readonly table: Table<T>;
  private readonly announcing: Announcing;

  constructor(table: Table<T>, announcing: Announcing) {
    this.table = table;
    this.announcing = announcing;
  }

  private async around(write: () => Promise<void>): Promise<void> {
    await this.announcing.writing();
    await write();
    await this.announcing.written();
  }

  get(key: string) {
    return this.table.get(key);
  }

  getMany(keys: readonly string[]) {
    return this.table.getMany(keys);
  }

  entries() {
    return this.table.entries();
  }

  set(...args: Parameters<Table<T>["set"]>) {
    return this.around(() => this.table.set(...args));
  }

  async setMany(entries: Parameters<Table<T>["setMany"]>[0]) {
    if (entries.length > 0) await this.around(() => this.table.setMany(entries));
  }

  delete(key: string) {
    return this.around(() => this.table.delete(key));
  }

  async deleteMany(keys: readonly string[]) {
    if (keys.length > 0) await this.around(() => this.table.deleteMany(keys));
  }

  clear() {
    return this.around(() => this.table.clear());
  }

  read(keys: readonly string[]) {
    return this.table.read(keys);
  }

  expect(...args: Parameters<Table<T>["expect"]>) {
    return this.table.expect(...args);
  }

  put(...args: Parameters<Table<T>["put"]>) {
    return this.table.put(...args);
  }

  remove(...args: Parameters<Table<T>["remove"]>) {
    return this.table.remove(...args);
  }

  written(...args: Parameters<Table<T>["written"]>) {
    return this.table.written(...args);
  }
}

/** The storage, of which every write is announced to the other processes. */
export const announced = (storage: Storage, announcing: Announcing): Storage => ({
  table: (shape, part) => new AnnouncedTable(storage.table(shape, part), announcing),
  async commit(steps) {
    await announcing.writing();
    const isCommitted = await storage.commit(steps);
    await announcing.written();
    return isCommitted;
  },
  close: () => storage.close(),
});
