import { idHash } from "../basics/id-hash.ts";
import { largestPageSize, type Page, rowsOf } from "../store-api/listing.ts";
import type { Order } from "../store-api/schemas.ts";

/** Reads one page of a list; pages count from 1. */
export type ReadPage<Row> = (page: number, limit: number) => Promise<Page<Row>>;

/** What one request added. */
export interface ReadRows<Row> {
  /** Rows that were not read before, in the sequence of the list. */
  readonly fresh: readonly Row[];
  /** Rows that could not be understood and were left out. */
  readonly skipped: number;
  /** The place in the list up to which it is read. */
  readonly at: number;
  /** How many rows the list has, as far as is known. */
  readonly about: number;
  /** Nothing was passed over so far; false where rows left the list faster than it was read. */
  readonly isCertain: boolean;
}

/** Rows that two reads have in common: as many may leave the list between them, and nothing is passed over. */
const leastOverlap = 3;
/** Page sizes from here on are tried for the one that reads on with the smallest overlap. */
const smallestSize = 51;
/** Steps back in a list from which rows leave faster than it is read. */
const mostStepsBack = 20;
/** Reads in a row that bring nothing new: an API that gives the same page again and again is read no further. */
const mostStale = 20;
/** Rows of a list that are read, 40 bytes each: 40 MB. A digest has the time to read a list that has no end. */
const mostRows = 1_000_000;
/** Pages that are looked at in the end for what came meanwhile. */
const mostNewPages = 20;

/** The page that begins at least `overlap` rows before this place and reads the furthest. */
function pageFrom(at: number, overlap: number): { readonly page: number; readonly limit: number } {
  let best = { page: 1, limit: largestPageSize, end: largestPageSize };
  // Whatever its size, page 1 overlaps with everything, and reads no further than the largest.
  if (at < largestPageSize) return best;
  best = { ...best, end: 0 };
  for (let limit = largestPageSize; limit >= smallestSize; limit -= 1) {
    const page = Math.floor(Math.max(at - overlap, 0) / limit) + 1;
    if (page * limit > best.end) best = { page, limit, end: page * limit };
  }
  return best;
}

/** What is known of a list that is being read. */
class Reading<Row extends { readonly id: string }> {
  /** By {@link idHash}. */
  private readonly ids = new Set<number>();
  private readonly read: ReadPage<Row>;
  private about = 0;
  private stale = 0;
  isCertain = true;

  constructor(read: ReadPage<Row>) {
    this.read = read;
  }

  /** @returns `known`: how many of its rows were taken before */
  async page(number: number, limit: number) {
    const page = await this.read(number, limit);
    const rows = rowsOf(page);
    const known = page.items.filter(({ id }) => this.ids.has(idHash(id))).length;
    this.about = number < page.lastPage ? page.lastPage * Math.max(rows, 1) : (number - 1) * limit + rows;
    return { page, rows, known, isLast: number >= page.lastPage };
  }

  /** Whether reading on is of no use. */
  isStuck(): boolean {
    const isStuck = this.stale >= mostStale || this.ids.size >= mostRows;
    if (isStuck) this.isCertain = false;
    return isStuck;
  }

  /** Those of these rows that were not taken before, from now on taken. */
  take(items: readonly Row[], skipped: number, at: number): ReadRows<Row> {
    const fresh: Row[] = [];
    for (const row of items) {
      const id = idHash(row.id);
      if (this.ids.has(id)) continue;
      this.ids.add(id);
      fresh.push(row);
    }
    this.stale = fresh.length > 0 ? 0 : this.stale + 1;
    return { fresh, skipped, at, about: Math.max(this.about, at), isCertain: this.isCertain };
  }
}

/**
 * Every row of a list, each once, while rows come and leave. Each read begins within what the one before it read, by pages
 * of odd sizes: a row that both have shows that none between them was passed over, and where there is none the reader
 * steps back. In the end the first pages are read again, as far as there is something new on them: where the newest come
 * first, what came or changed meanwhile. An API with a page size of its own is read there and back instead.
 *
 * So a row that is there all the time is found wherever rows leave the list, as long as those that stay keep their
 * sequence. Not found may be: one that is moved, while the list is read, to a part that was read already and is not the
 * first; and one that an API with its own page size shifts past the reader in both directions.
 *
 * @param read what it rejects with ends the list
 */
export async function* wholeList<Row extends { readonly id: string }>(
  read: ReadPage<Row>,
): AsyncGenerator<ReadRows<Row>> {
  const list = new Reading(read);
  const { page, rows, isLast } = await list.page(1, largestPageSize);
  yield list.take(page.items, page.skipped, rows);
  if (isLast) return;
  if (rows === largestPageSize) yield* inOverlaps(list, rows);
  else yield* thereAndBack(list, page.lastPage, Math.max(rows, 1));
  yield* whatIsNew(list);
}

async function* inOverlaps<Row extends { readonly id: string }>(
  list: Reading<Row>,
  from: number,
): AsyncGenerator<ReadRows<Row>> {
  let at = from;
  let overlap = leastOverlap;
  let stepsBack = 0;
  for (;;) {
    const { page: number, limit } = pageFrom(at, overlap);
    const start = (number - 1) * limit;
    const { page, rows, known, isLast } = await list.page(number, limit);
    const isGap = start > 0 && known === 0 && page.skipped < at - start;
    if (isGap && stepsBack < mostStepsBack) {
      stepsBack += 1;
      overlap = Math.min(overlap * 4, at);
      // Its rows are not taken: known beyond the gap, they would hide it.
      yield list.take([], 0, at);
      continue;
    }
    if (isGap) list.isCertain = false;
    overlap = leastOverlap;
    // Of the rows that two reads have in common, those that cannot be understood were counted before.
    const counted = Math.max(Math.min(at, start + rows) - start - known, 0);
    at = start + rows;
    yield list.take(page.items, Math.max(page.skipped - counted, 0), at);
    if (isLast || rows === 0 || list.isStuck()) return;
    // A list that became shorter than a page is that of an API which has changed its ways.
    if (rows !== limit) return yield* thereAndBack(list, page.lastPage, rows);
  }
}

async function* thereAndBack<Row extends { readonly id: string }>(
  list: Reading<Row>,
  last: number,
  size: number,
): AsyncGenerator<ReadRows<Row>> {
  let lastPage = last;
  for (let number = 2; number <= lastPage; number += 1) {
    const { page } = await list.page(number, largestPageSize);
    lastPage = page.lastPage;
    yield list.take(page.items, page.skipped, number * size);
    if (list.isStuck()) return;
  }
  for (let number = lastPage - 1; number > 1; number -= 1) {
    const { page } = await list.page(number, largestPageSize);
    yield list.take(page.items, 0, lastPage * size);
  }
}

async function* whatIsNew<Row extends { readonly id: string }>(list: Reading<Row>): AsyncGenerator<ReadRows<Row>> {
  for (let number = 1; number <= mostNewPages; number += 1) {
    const { page, known, isLast } = await list.page(number, largestPageSize);
    yield list.take(page.items, 0, 0);
    if (known === page.items.length || isLast) return;
  }
}

type Dated = Pick<Order, "createdAt">;

/**
 * Tells, from what is new of each read, how young what follows can be at most (epoch ms). The API promises no sequence: only
 * one that every row so far has kept is relied on.
 */
export function createYoungestLeft(): (fresh: readonly Dated[]) => number {
  let youngest = Number.POSITIVE_INFINITY;
  let newest = Number.POSITIVE_INFINITY;
  let isNewestFirst = true;
  return (fresh) => {
    for (const { createdAt = Number.NaN } of fresh) {
      isNewestFirst &&= createdAt <= newest;
      newest = createdAt;
    }
    // Not that of its last row: a row out of its place is given a page to show itself.
    youngest = fresh[0]?.createdAt ?? youngest;
    return isNewestFirst ? youngest : Number.POSITIVE_INFINITY;
  };
}
