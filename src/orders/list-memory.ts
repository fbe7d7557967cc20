/** How the order list is sorted by creation time, as far as the pages read have shown. `mixed` is for certain. */
export type Sorting = "newest_first" | "oldest_first" | "mixed";

/** A page as it was last read. */
export interface PageMemory {
  readonly fingerprint: string;
  readonly lastPage: number;
  /** Alerted orders that stood on it, by {@link idHash}. */
  readonly alerted: readonly number[];
}

/** An alerted order that stands on none of the pages as they were last read. */
export interface Absence {
  readonly createdAt: number | undefined;
  /** The round it was last seen, given as missing, or first asked about in. */
  readonly round: number;
  /** How often it was given as missing and yet stayed open. */
  readonly reports: number;
}

/** A page that failed when it was last asked for. */
export interface FailingPage {
  /** Failures in a row. */
  readonly failures: number;
  /** Polls for which it is left out. */
  readonly rest: number;
}

/**
 * What is remembered of one list between two polls. All of it may be lost at any time: no order is lost or doubled by
 * that. About 1 kB a page of 100 alerted orders: 15 kB for 1,500 of them.
 */
export interface ListMemory {
  /** The middle page that is read next: 2, 3, … last page, and again from 2. */
  readonly next: number;
  /** How often that went round. */
  readonly round: number;
  /** Pages at which a run of new orders was cut short, by a failure or by the bound of one poll. */
  readonly resume: readonly number[];
  /** Pages that failed lately. */
  readonly failing: ReadonlyMap<number, FailingPage>;
  /** Creation time (epoch ms) of the newest order of any status seen by a poll that ended well. */
  readonly newest?: number | undefined;
  readonly sorting?: Sorting | undefined;
  readonly pages: ReadonlyMap<number, PageMemory>;
  readonly absent: ReadonlyMap<string, Absence>;
  /** Whether every alerted order was either seen on a page or put down as absent. */
  readonly isPlaced: boolean;
}

/** Pages remembered: 100,000 orders. Those beyond are read as if they were new each time. */
const mostPages = 1_000;

/** The memory of a process that has just started. */
export function newListMemory(): ListMemory {
  return { next: 2, round: 0, resume: [], failing: new Map(), pages: new Map(), absent: new Map(), isPlaced: false };
}

/** Whether a page of this number is worth remembering. */
export const isRemembered = (page: number, lastPage: number): boolean =>
  page <= lastPage && (page <= mostPages || page === lastPage);
