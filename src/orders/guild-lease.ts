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
   */
  fence(): readonly Step[] | undefined;
  /** As `fence`, but the storage does not check the server's record. */
  ownerFence(): readonly Step[] | undefined;
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

/** If another process has the partition, the returned `Commit` returns false or throws `ConflictError`. */
export function fencedCommit(storage: Pick<Storage, "commit">, lease: GuildLease, fence: GuildLease["fence"]): Commit {
  return async (steps) => {
    const checks = fence();
    if (checks === undefined) throw new ConflictError();
    const isCommitted = await storage.commit([...checks, ...steps]);
    if (!isCommitted) await lease.refused();
    return isCommitted;
  };
}
