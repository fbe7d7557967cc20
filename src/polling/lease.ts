import type { Step } from "../storage/table.ts";

/** The right to poll one server, and to send for it. */
export interface Lease {
  /** Number of the present term: it counts up each time the right is gained; undefined while this process does not have it. */
  epoch(): number | undefined;
  /** Aborted, with `ConflictError` as its reason, when the present term is found to be over. */
  signal(): AbortSignal;
  /**
   * What a commit expects so that it is refused once another process has the right; undefined where that is known already.
   *
   * @param isAnyway also where another process has changed what is kept for the server meanwhile
   */
  fence(isAnyway: boolean): readonly Step[] | undefined;
  /** A commit was refused: looks at once whether that was the fence. Never rejects. */
  refused(): Promise<void>;
}
