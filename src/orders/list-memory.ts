/** The sequence of creation times in the list, as far as the pages have shown it. Once a list is `mixed`, it stays so. */
export type Sorting = "newest_first" | "oldest_first" | "mixed";

/** What is remembered about a page: the result of its last reading. */
export interface PageMemory {
  readonly fingerprint: string;
  readonly lastPage: number;
  /** Alerted orders on the page, each as its {@link idHash}. */
  readonly alerted: readonly number[];
}

/** An alerted order that none of the pages showed when they were last read. */
export interface Absence {
  readonly createdAt: number | undefined;
  /** The round (see `ListMemory`) in which the order was last seen, was last reported as missing, or was first searched for. */
  readonly round: number;
  /** How often the order was reported as missing although it stayed open. */
  readonly reports: number;
}

/** A page whose last request failed. */
export interface FailingPage {
  /** Failures in a row. */
  readonly failures: number;
  /** Number of coming polls that leave the page out. */
  readonly rest: number;
}

/**
 * The memory of one list between two polls. If it is lost, no alert is lost or sent twice. It needs about 1 kB per page of 100
 * alerted orders: 15 kB for 1,500 of them.
 * A round is one pass of the polls over all middle pages, because each poll reads only one of them.
 */
export interface ListMemory {
  /** The middle page that is read next: 2, 3, … last page, then 2 again. */
  readonly next: number;
  /** Number of finished rounds. */
  readonly round: number;
  /** Pages at which a run of new orders was not read to its end, because of a failure or the limit of one poll. */
  readonly resume: readonly number[];
  /** Pages that failed recently. */
  readonly failing: ReadonlyMap<number, FailingPage>;
  /** Creation time (epoch ms) of the newest order, of any status, that a successful poll has seen. */
  readonly newest?: number | undefined;
  readonly sorting?: Sorting | undefined;
  readonly pages: ReadonlyMap<number, PageMemory>;
  readonly absent: ReadonlyMap<string, Absence>;
  /** Whether every alerted order was either seen on a page or recorded as absent. */
  readonly isPlaced: boolean;
}

/** Maximum number of pages remembered, which is 100,000 orders. Later pages are read in full each time. */
const mostPages = 1_000;

/** Creates the memory of a list that was never read. */
export function newListMemory(): ListMemory {
  return { next: 2, round: 0, resume: [], failing: new Map(), pages: new Map(), absent: new Map(), isPlaced: false };
}

/** Whether the memory includes a page with this number. */
export const isRemembered = (page: number, lastPage: number): boolean =>
  page <= lastPage && (page <= mostPages || page === lastPage);
