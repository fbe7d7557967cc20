import type { Commit, Step, Storage } from "../storage/table.ts";

/**
 * The right of this process to poll one server and to send its messages. A process gets this right for a whole partition
 * (polling/held-partitions.ts). An epoch begins when the process takes the partition, and ends when it loses the partition.
 */
export interface GuildLease {
  /**
   * The signal of the present epoch. It is aborted with a `ConflictError` when the epoch ends. If this process does not have
   * the partition, the signal is aborted already.
   */
  signal(): AbortSignal;
  /** Ends requests to the store when the epoch or the process ends. */
  untilOver(): AbortSignal;
  /**
   * Steps to add to a commit. With them, the storage refuses the commit if another process has the partition, or if the
   * server's record was changed. Undefined if this process already knows that it may not commit.
   *
   * @param alsoIfRecordChanged if true, the storage does not check the server's record
   */
  fence(alsoIfRecordChanged: boolean): readonly Step[] | undefined;
  /** Called after a refused commit. Reads who holds the partition now, and which servers were changed. Never rejects. */
  refused(): Promise<void>;
}

/** Work cannot be recorded: this process no longer holds the lease, or the server's record or a row was changed. */
export class ConflictError extends Error {
  readonly code = "conflict";

  constructor() {
    super("another process polls now, or has changed the server's record");
    this.name = "ConflictError";
  }
}

/**
 * If another process has the partition, the returned `Commit` returns false or throws `ConflictError`.
 *
 * @param isMine false if the poller's epoch is over, or if this process knows that another process changed the record. The
 * fence alone would accept work that began with an older record: it expects the newest mark that this process knows
 */
export function fencedCommit(storage: Pick<Storage, "commit">, lease: GuildLease, isMine: () => boolean): Commit {
  return async (steps, alsoIfRecordChanged = false) => {
    const fence = lease.fence(alsoIfRecordChanged);
    if (fence === undefined || !(alsoIfRecordChanged || isMine())) throw new ConflictError();
    const isCommitted = await storage.commit([...fence, ...steps]);
    if (!isCommitted) await lease.refused();
    return isCommitted;
  };
}
