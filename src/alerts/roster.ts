import { createQueue } from "../basics/queue.ts";
import { type Storage, StorageError, type TableShape } from "../storage/table.ts";
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
/** Another process overwrites a change only if it writes between one read and one write: five in a row are a fault. */
const mostWrites = 5;
/** Another process may write late what it had read before, after this one has read its change back. */
const lookAgainMs = 10_000;

/**
 * One list for all servers (22 bytes each), written when alerts are turned on or a server is left.
 *
 * @param onChange after each change, durably, and where nothing was to be changed, too: an earlier attempt may have written
 * and not have told
 */
export function createRoster(storage: Storage, onChange: () => Promise<void> = async () => undefined): Roster {
  const table = storage.table(rosterTable);
  const changes = createQueue();
  /** Servers that this process has put there lately, each with the last call that did. */
  const lately = new Map<string, number>();
  let adds = 0;
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

  /** Reads back what it wrote: another process may have written, at the same moment, what it had read before. */
  const change = (next: (ids: readonly string[]) => readonly string[]) =>
    changes.run(async () => {
      for (let writes = 0; ; writes++) {
        const before = await read();
        const after = next(before);
        if (after.length === before.length) return onChange();
        if (writes === mostWrites) throw new StorageError("set", new Error("others overwrite the list each time"));
        await table.set(key, after).finally(forgetMemory);
      }
    });

  function add(guildIds: readonly string[]): Promise<void> {
    const call = ++adds;
    for (const id of guildIds) lately.set(id, call);
    setTimeout(() => void lookAgain(call).catch(() => undefined), lookAgainMs).unref();
    return change((before) => [...new Set([...before, ...guildIds])]);
  }

  function remove(guildId: string): Promise<void> {
    lately.delete(guildId);
    return change((before) => before.filter((id) => id !== guildId));
  }

  /**
   * What it cannot do is left to the daily look at the servers' records. What was taken out and stands there again is left,
   * too: another process may have put it there since, and a server too many costs a poll and no alert.
   */
  async function lookAgain(call: number) {
    const isWanted = (id: string) => lately.get(id) === call;
    if (![...lately.keys()].some(isWanted)) return;
    const present = new Set(await read());
    // Those that were taken out meanwhile are wanted no more.
    const wanted = [...lately.keys()].filter(isWanted);
    for (const id of wanted) lately.delete(id);
    const lost = wanted.filter((id) => !present.has(id));
    if (lost.length > 0) await add(lost);
  }

  return {
    ids: async () => known ?? read(),
    add,
    remove,
    forgetMemory,
  };
}
