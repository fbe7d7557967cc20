import type { Announcement } from "../guilds/guilds.ts";
import { type Mark, marksTable, newMark, partitionOf, polledTable } from "../storage/polled-servers.ts";
import { absent, type Row, type Step, type Storage, type Table } from "../storage/table.ts";

/** Rows read or written at a time. */
const sliceSize = 100;

/** The list of polled servers. Tells the process that polls a server of changes. Every method throws `StorageError`. */
export interface ActiveGuilds {
  /** The servers are stored when it resolves. Only after that may their records say that alerts are on. */
  add(guildIds: readonly string[]): Promise<void>;
  remove(guildId: string): Promise<void>;
  /** Steps to commit together with a change of a server's record. The process that polls the server hears of the change. */
  announcementOf(guildId: string): Promise<Announcement>;
  /** Tells the process that polls the server that its record was changed, or is about to be. */
  touch(guildId: string): Promise<void>;
}

/** Rows that this process wrote itself. It need not hear of them as changes. */
export interface Written {
  readonly partition: number;
  /** Rows of {@link polledTable}. */
  readonly rows: readonly Row<Mark>[];
  /** The mark of the partition before and after. */
  readonly from: string | undefined;
  readonly to: string;
}

export function createActiveGuilds(
  storage: Pick<Storage, "table" | "commit">,
  onWritten: (written: Written) => void = () => undefined,
): ActiveGuilds {
  const marks = storage.table(marksTable);
  const tableOf = (partition: number) => storage.table(polledTable, String(partition));

  /** The partition's mark changes also for a server that is not polled, because its token may have to be encrypted again. */
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

  /** Commits the steps that `make` returns for the rows of some servers of one partition. Commits nothing if there are none. */
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
