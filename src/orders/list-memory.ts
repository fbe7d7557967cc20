/** How the list is sorted by creation time, as far as the pages have shown. `mixed` is certain. */
export type Sorting = "newest_first" | "oldest_first" | "mixed";

/** A page as it was last read. */
export interface PageMemory {
  readonly fingerprint: string;
  readonly lastPage: number;
  /** Alerted orders on the page, by {@link idHash}. */
  readonly alerted: readonly number[];
}

/** An alerted order that is on none of the pages as last read. */
export interface Absence {
  readonly createdAt: number | undefined;
  /** The round in which the order was last seen, reported as missing, or first looked for. */
  readonly round: number;
  /** How often the order was reported as missing and yet stayed open. */
  readonly reports: number;
}

/** A page whose last request failed. */
export interface FailingPage {
  /** Failures in a row. */
  readonly failures: number;
  /** Polls that leave the page out. */
  readonly rest: number;
}

/**
 * The memory of one list between two polls. It may be lost at any time: no alert is lost or sent twice by that. About 1 kB for a page of
 * 100 alerted orders: 15 kB for 1,500 of them.
 */
export interface ListMemory {
  /** The middle page to read next: 2, 3, … last page, then 2 again. */
  readonly next: number;
  /** How often `next` has passed the last page. */
  readonly round: number;
  /** Pages at which a run of new orders was cut short, by a failure or by the limit of one poll. */
  readonly resume: readonly number[];
  /** Pages that failed lately. */
  readonly failing: ReadonlyMap<number, FailingPage>;
  /** Creation time (epoch ms) of the newest order of any status that a successful poll has seen. */
  readonly newest?: number | undefined;
  readonly sorting?: Sorting | undefined;
  readonly pages: ReadonlyMap<number, PageMemory>;
  readonly absent: ReadonlyMap<string, Absence>;
  /** Whether every alerted order was either seen on a page or recorded as absent. */
  readonly isPlaced: boolean;
}

/** Most pages remembered: 100,000 orders. Later pages are read in full each time. */
const mostPages = 1_000;

/** The memory of a list that was never read. */
export function newListMemory(): ListMemory {
  return { next: 2, round: 0, resume: [], failing: new Map(), pages: new Map(), absent: new Map(), isPlaced: false };
}

/** Whether a page of this number is remembered. */
export const isRemembered = (page: number, lastPage: number): boolean =>
  page <= lastPage && (page <= mostPages || page === lastPage);
