import type { Storage } from "../storage/table.ts";
import { createQueue } from "./queue.ts";

/** The servers whose stores are polled: those with alerts on. The one source of that. Throws `StorageError`. */
export interface Roster {
  /** From memory once they were read. */
  ids(): Promise<readonly string[]>;
  /** Durable when it resolves: only then may a record say that alerts are on. */
  add(guildId: string): Promise<void>;
  remove(guildId: string): Promise<void>;
  forgetMemory(): void;
}

const key = "ids";

/** One list for all servers (22 bytes each), written when alerts are turned on or a server is left. */
export function createRoster(storage: Storage): Roster {
  const table = storage.table<readonly string[]>("alerting");
  const changes = createQueue();
  let known: readonly string[] | undefined;

  async function ids() {
    known ??= (await table.get(key)) ?? [];
    return known;
  }

  const change = (next: (ids: readonly string[]) => readonly string[]) =>
    changes.run(async () => {
      // Another process may have changed it.
      const before = (await table.get(key)) ?? [];
      const after = next(before);
      known = undefined;
      if (after.length !== before.length) await table.set(key, after);
      known = after;
    });

  return {
    ids,
    add: (guildId) => change((before) => (before.includes(guildId) ? before : [...before, guildId])),
    remove: (guildId) => change((before) => before.filter((id) => id !== guildId)),
    forgetMemory() {
      known = undefined;
    },
  };
}
