import type { Announcement } from "../guilds/guilds.ts";
import { type Mark, marksTable, newMark, partitionOf, polledTable } from "../storage/polled-servers.ts";
import { absent, type Row, type Step, type Storage } from "../storage/table.ts";

/** Rows that this process wrote itself. `Partitions` must not report them as changes of another process. */
export interface Written {
  readonly partition: number;
  /** Rows of {@link polledTable}. */
  readonly rows: readonly Row<Mark>[];
  /** The mark of the partition before the write. `to` is the mark after the write. */
  readonly from: string | undefined;
  readonly to: string;
}

/**
 * Stores which servers are polled: those with alerts or digests. Announces changes of a server to the process that polls the
 * server.
 * An announcement replaces the mark (a random text) in the server's row. `Partitions.hear` notices the new mark. Every function
 * throws `StorageError`.
 */
export function createActiveGuilds(
  storage: Pick<Storage, "table" | "commit">,
  onWritten: (written: Written) => void = () => undefined,
) {
  const marks = storage.table(marksTable);

  /**
   * Returns steps to commit together with a change of a server's record. These steps store whether the server is polled, and
   * announce the change to the process that polls it. The mark of the partition changes even for a server that is not polled.
   * Other processes must notice its change, too, because they may have to encrypt its token with another key.
   *
   * @param isPolled whether the server is polled after the change. Undefined: as before the change
   */
  async function announcementOf(guildId: string, isPolled?: boolean): Promise<Announcement> {
    const partition = partitionOf(guildId);
    const servers = storage.table(polledTable, String(partition));
    const [server = absent(guildId)] = await servers.read([guildId]);
    const [row = absent(String(partition))] = await marks.read([String(partition)]);
    const next = newMark();
    const steps: Step[] = [];
    if (isPolled ?? server.value !== undefined) steps.push(servers.put(server, newMark()));
    else if (server.value) steps.push(servers.remove(server));
    return {
      steps: [...steps, marks.put(row, next)],
      done() {
        const rows = steps.map((step) => servers.written(step));
        onWritten({ partition, rows, from: row.value?.mark, to: next.mark });
      },
    };
  }

  return {
    announcementOf,
    /** Announces that data of the server was changed, or is about to be. */
    async touch(guildId: string): Promise<void> {
      for (;;) {
        const { steps, done } = await announcementOf(guildId);
        if (await storage.commit(steps)) return done();
      }
    },
  };
}

export type ActiveGuilds = ReturnType<typeof createActiveGuilds>;
