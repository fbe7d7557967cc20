import type { Step } from "../storage/table.ts";

/** The right of this process to poll one server and to send for it. Its epochs are those of the server's partition. */
export interface GuildLease {
  /** Number of the current epoch, which grows each time this process takes the lease. Undefined while another process may have it. */
  epoch(): number | undefined;
  /** Aborted, with `ConflictError` as its reason, when the current epoch is over. */
  signal(): AbortSignal;
  /**
   * Steps of a commit that are refused once another process has the lease. Undefined if it is known that this process does not have it.
   *
   * @param alsoIfRecordChanged leaves out the server's mark, so that a change of its record by another process does not refuse the commit
   */
  fence(alsoIfRecordChanged: boolean): readonly Step[] | undefined;
  /** Checks, after a refused commit, whether another process has the lease. Never rejects. */
  refused(): Promise<void>;
}
