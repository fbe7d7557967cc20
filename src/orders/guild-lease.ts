import type { Step } from "../storage/table.ts";

/**
 * The right of this process to poll one server and to send its messages. `Partitions` (polling/partitions.ts) makes it: servers
 * are leased in groups (partitions). Its epoch is the time without interruption for which this process holds the partition.
 */
export interface GuildLease {
  /**
   * Returns the number of the current epoch, which grows each time this process takes the partition. Undefined while another
   * process may hold it.
   */
  epoch(): number | undefined;
  /** Returns a signal that is aborted when the current epoch is over. Its reason is a `ConflictError`. */
  signal(): AbortSignal;
  /**
   * Returns steps for a commit. They make the storage refuse the commit if another process holds the lease. Undefined if it is
   * certain that this process does not hold it.
   *
   * @param alsoIfRecordChanged leaves out the server's mark (active-guilds.ts), so that the commit succeeds even if another
   * process changed the server's record
   */
  fence(alsoIfRecordChanged: boolean): readonly Step[] | undefined;
  /** Must be called after a refused commit. Checks whether another process holds the lease. Never rejects. */
  refused(): Promise<void>;
}
