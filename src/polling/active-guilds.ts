import type { Announcement } from "../guilds/guilds.ts";
import { type Mark, marksTable, newMark, partitionOf, polledTable } from "../storage/polled-servers.ts";
import { absent, type Row, type Step, type Storage, type Table } from "../storage/table.ts";

/** Number of rows read or written at a time. */
const sliceSize = 100;

/**
 * Stores which servers are polled: those with alerts or digests. Announces changes of a server to the process that polls the
 * server.
 * An announcement replaces the mark (a random text) in the server's row. `Partitions.hear` notices the new mark. Every method
 * throws `StorageError`.
 */
export interface ActiveGuilds {
  /** Stores that these servers are polled. Only after this may their records say that alerts or digests are on. */
  add(guildIds: readonly string[]): Promise<void>;
  remove(guildId: string): Promise<void>;
  /**
   * Returns steps to commit together with a change of a server's record. These steps announce the change to the process that
   * polls the server.
   */
  announcementOf(guildId: string): Promise<Announcement>;
  /** Announces that data of the server was changed or will be changed at once. */
  touch(guildId: string): Promise<void>;
}

/** Rows that this process wrote itself. `Partitions` must not report them as changes of another process. */
export interface Written {
  readonly partition: number;
  /** Rows of {@link polledTable}. */
  readonly rows: readonly Row<Mark>[];
  /** The mark of the partition before the write. `to` is the mark after the write. */
  readonly from: string | undefined;
  readonly to: string;
}

export function createActiveGuilds(
  storage: Pick<Storage, "table" | "commit">,
  onWritten: (written: Written) => void = () => undefined,
): ActiveGuilds {
  const marks = storage.table(marksTable);
  const tableOf = (partition: number) => storage.table(polledTable, String(partition));

  /**
   * Returns an announcement with these steps and a new mark of the partition. `steps` is empty for a server that is not polled.
   * Other processes must notice its change, too, because they may have to encrypt its token with another key.
   */
  async function tellingOf(partition: number, steps: readonly Step[]): Promise<Announcement> {
    const [row = absent(String(partition))] = await marks.read([String(partition)]);
    const next = newMark();
    return {
      steps: [...steps, marks.put(row, next)],
      done() {
        const rows = steps.map((step) => tableOf(partition).written(step));
        onWritten({ partition, rows, from: row.value?.mark, to: next.mark });
      },
    };
  }

  /**
   * Commits the steps that `make` returns for these servers. One commit is for at most 100 servers of one partition. Commits
   * nothing if there are no steps.
   */
  async function change(guildIds: readonly string[], make: (rows: Row<Mark>[], table: Table<Mark>) => readonly Step[]) {
    for (const [partition, ids] of Map.groupBy(new Set(guildIds), partitionOf)) {
      const table = tableOf(partition);
      for (let start = 0; start < ids.length; ) {
        const steps = make(await table.read(ids.slice(start, start + sliceSize)), table);
        const { steps: all, done } = await tellingOf(partition, steps);
        if (steps.length > 0 && !(await storage.commit(all))) continue;
        if (steps.length > 0) done();
        start += sliceSize;
      }
    }
  }

  async function announcementOf(guildId: string): Promise<Announcement> {
    const partition = partitionOf(guildId);
    const table = tableOf(partition);
    const [row = absent(guildId)] = await table.read([guildId]);
    return tellingOf(partition, row.value === undefined ? [] : [table.put(row, newMark())]);
  }

  return {
    add: (guildIds) =>
      change(guildIds, (rows, table) => rows.flatMap((row) => (row.value ? [] : [table.put(row, newMark())]))),
    remove: (guildId) =>
      change([guildId], (rows, table) => rows.flatMap((row) => (row.value ? [table.remove(row)] : []))),
    announcementOf,
    async touch(guildId) {
      for (;;) {
        const { steps, done } = await announcementOf(guildId);
        if (await storage.commit(steps)) return done();
      }
    },
  };
}
