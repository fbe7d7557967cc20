import { createQueue } from "../basics/queue.ts";
import { absent, type Storage, type TableShape } from "../storage/table.ts";
import { textsSchema } from "../storage/texts-schema.ts";

/** The servers whose stores are polled: those with alerts on. The one source of that. Throws `StorageError`. */
export interface Roster {
  /** From memory once they were read. */
  ids(): Promise<readonly string[]>;
  /** Durable when it resolves: only then may their records say that alerts are on. */
  add(guildIds: readonly string[]): Promise<void>;
  remove(guildId: string): Promise<void>;
  forgetMemory(): void;
}

/** One list of ids. What is malformed is none: the records of the servers name them all again at the start. */
export const rosterTable: TableShape<readonly string[]> = {
  name: "alerting",
  schema: textsSchema,
  version: 1,
};

const key = "ids";

/**
 * One list for all servers (22 bytes each), written when alerts are turned on or a server is left.
 *
 * @param onChange after each change, durably, and where nothing was to be changed, too: an earlier attempt may have written
 * and not have told
 */
export function createRoster(storage: Storage, onChange: () => Promise<void> = async () => undefined): Roster {
  const table = storage.table(rosterTable);
  const changes = createQueue();
  let known: readonly string[] | undefined;
  /** How often the memory was dropped: what was read meanwhile is not kept. */
  let drops = 0;

  function forgetMemory() {
    drops++;
    known = undefined;
  }

  async function read(): Promise<readonly string[]> {
    const asOf = drops;
    const ids = (await table.get(key)) ?? [];
    if (asOf === drops) known = ids;
    return ids;
  }

  /** Puts what `next` makes of the list in its place. */
  const change = (next: (ids: readonly string[]) => readonly string[]) =>
    changes.run(async () => {
      for (;;) {
        const [row = absent(key)] = await table.read([key]);
        const before = row.value ?? [];
        const after = next(before);
        const isThere =
          after.length === before.length || (await storage.commit([table.put(row, after)]).finally(forgetMemory));
        if (isThere) return onChange();
      }
    });

  return {
    ids: async () => known ?? read(),
    add: (guildIds) => change((before) => [...new Set([...before, ...guildIds])]),
    remove: (guildId) => change((before) => before.filter((id) => id !== guildId)),
    forgetMemory,
  };
}
