import type { Step } from "../storage/table.ts";

/** What allows this process to poll one server, and to send for it. Its epochs are those of the server's partition. */
export interface GuildLease {
  /** Number of the present epoch: it grows each time this process takes the lease; undefined while another one may have it. */
  epoch(): number | undefined;
  /** Aborted, with `ConflictError` as its reason, when the present epoch is found to be over. */
  signal(): AbortSignal;
  /**
   * What a commit expects, so that it is refused once another process has the lease; undefined where that is known already.
   *
   * @param isAnyway also where another process has changed what is kept for the server meanwhile
   */
  fence(isAnyway: boolean): readonly Step[] | undefined;
  /** A commit was refused: looks at once whether that was the fence. Never rejects. */
  refused(): Promise<void>;
}
