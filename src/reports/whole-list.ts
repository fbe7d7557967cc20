import { idHash } from "../basics/id-hash.ts";
import { largestPageSize, type Page, rowsOf } from "../store-api/list-pages.ts";
import type { Order } from "../store-api/schemas.ts";

type ReadPage<Row> = (page: number, limit: number) => Promise<Page<Row>>;

export interface ReadRows<Row> {
  /** Rows that were not read before, in the sequence of the list. */
  readonly fresh: readonly Row[];
  /** Malformed rows, which are left out. */
  readonly skipped: number;
  /** Number of rows from the start of the list to the end of the furthest page that was read. */
  readonly at: number;
  /** About how many rows the whole list has. */
  readonly about: number;
  /**
   * False if the reading ended early, if rows left the list faster than it was read, or if the API ignores page numbers. In
   * these cases a row may have been missed.
   */
  readonly isCertain: boolean;
}

/** Consecutive reads share at least this many rows. If one or two rows leave the list meanwhile, one row is still shared. */
const leastOverlap = 3;
const smallestSize = 51;
/** If more steps are needed, rows leave the list faster than it can be read. */
const mostStepsBack = 20;
/** After this many consecutive reads without a new row, the reading ends: some APIs return the same page again and again. */
const mostStale = 20;
/** At most this many rows are read, because a list may have no end. This many rows take 40 MB of memory. */
const mostRows = 1_000_000;
/** At the end, at most this many pages are read again, to find rows that came during the reading. */
const mostNewPages = 20;

/** Tries all page sizes. Of the pages that begin at least `overlap` rows before row `at`, returns the one that ends last. */
function pageFrom(at: number, overlap: number): { readonly page: number; readonly limit: number } {
  let best = { page: 1, limit: largestPageSize, end: 0 };
  for (let limit = largestPageSize; limit >= smallestSize; limit -= 1) {
    const page = Math.floor((at - overlap) / limit) + 1;
    if (page * limit > best.end) best = { page, limit, end: page * limit };
  }
  return best;
}

class Reading<Row extends { readonly id: string }> {
  private readonly ids = new Set<number>();
  private readonly read: ReadPage<Row>;
  private at = 0;
  private about = 0;
  private stale = 0;
  private skipped = 0;
  isCertain = true;

  constructor(read: ReadPage<Row>) {
    this.read = read;
  }

  async page(number: number, limit: number) {
    const page = await this.read(number, limit);
    const rows = rowsOf(page);
    const hashed = page.items.map((row) => ({ row, id: idHash(row.id) }));
    const known = hashed.filter(({ id }) => this.ids.has(id)).length;
    this.about = number < page.lastPage ? page.lastPage * Math.max(rows, 1) : (number - 1) * limit + rows;
    return { page, hashed, rows, known, isLast: number >= page.lastPage };
  }

  isStuck(): boolean {
    const isStuck = this.stale >= mostStale || this.ids.size >= mostRows;
    if (isStuck) this.isCertain = false;
    return isStuck;
  }

  /**
   * Whether far fewer different rows were read than the list has. This happens if the API returns page 1 for every page number.
   * A small difference does not count, because rows may come and leave during the reading. `size`: rows of a page.
   */
  lacksRows(size: number): boolean {
    return this.at - this.ids.size - this.skipped >= size / 2;
  }

  take(hashed: readonly { readonly row: Row; readonly id: number }[], skipped: number, at: number): ReadRows<Row> {
    const fresh: Row[] = [];
    for (const { row, id } of hashed) {
      if (this.ids.has(id)) continue;
      this.ids.add(id);
      fresh.push(row);
    }
    this.stale = fresh.length > 0 ? 0 : this.stale + 1;
    this.skipped += skipped;
    this.at = Math.max(this.at, at);
    return { fresh, skipped, at: this.at, about: Math.max(this.about, this.at), isCertain: this.isCertain };
  }
}

/**
 * Yields every row of a list once, while rows come and leave. Pages have different sizes, so that each read overlaps the
 * previous one. If a read shares a row with the previous read, no row between them was missed. Otherwise, the reader steps
 * back. At the end, the first pages are read again until they have no new rows, because lists usually begin with the newest
 * rows. If the API ignores the page size, the list is read forwards and backwards instead.
 *
 * A row may be missed if it moves, during the reading, to a part that was read already.
 */
export async function* wholeList<Row extends { readonly id: string }>(
  read: ReadPage<Row>,
): AsyncGenerator<ReadRows<Row>> {
  const list = new Reading(read);
  const { page, hashed, rows, isLast } = await list.page(1, largestPageSize);
  yield list.take(hashed, page.skipped, rows);
  if (isLast) return;
  if (rows === largestPageSize) yield* inOverlaps(list, rows);
  else yield* forwardsAndBackwards(list, page.lastPage, Math.max(rows, 1));
  yield* whatIsNew(list);
  if (!list.lacksRows(Math.max(rows, 1))) return;
  list.isCertain = false;
  yield list.take([], 0, 0);
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
    const { page, hashed, rows, known, isLast } = await list.page(number, limit);
    const isGap = start > 0 && known === 0 && page.skipped < at - start;
    if (isGap && stepsBack < mostStepsBack) {
      stepsBack += 1;
      overlap = Math.min(overlap * 4, at);
      // These rows do not count as read. Otherwise the next read could share rows with them, and the gap would go unnoticed.
      yield list.take([], 0, at);
      continue;
    }
    if (isGap) list.isCertain = false;
    overlap = leastOverlap;
    // The previous read has already counted the malformed rows in the overlap.
    const counted = Math.max(Math.min(at, start + rows) - start - known, 0);
    at = start + rows;
    yield list.take(hashed, Math.max(page.skipped - counted, 0), at);
    if (isLast || rows === 0 || list.isStuck()) return;
    // The page has another size than requested, so the API ignores page sizes.
    if (rows !== limit) return yield* forwardsAndBackwards(list, page.lastPage, rows);
  }
}

async function* forwardsAndBackwards<Row extends { readonly id: string }>(
  list: Reading<Row>,
  last: number,
  size: number,
): AsyncGenerator<ReadRows<Row>> {
  let lastPage = last;
  let at = size;
  for (let number = 2; number <= lastPage; number += 1) {
    const { page, hashed, rows } = await list.page(number, largestPageSize);
    lastPage = page.lastPage;
    at += rows;
    yield list.take(hashed, page.skipped, at);
    if (list.isStuck()) return;
  }
  for (let number = lastPage - 1; number > 1; number -= 1) {
    const { hashed } = await list.page(number, largestPageSize);
    yield list.take(hashed, 0, at);
  }
}

async function* whatIsNew<Row extends { readonly id: string }>(list: Reading<Row>): AsyncGenerator<ReadRows<Row>> {
  for (let number = 1; number <= mostNewPages; number += 1) {
    const { page, hashed, known, isLast } = await list.page(number, largestPageSize);
    yield list.take(hashed, 0, 0);
    if (known === page.items.length || isLast) return;
  }
}

type Dated = Pick<Order, "createdAt">;

/**
 * The returned function takes the new rows of each read. It returns the latest time (epoch ms) that a row of a later read can
 * have. If the rows so far were not sorted from newest to oldest, it returns infinity.
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
    // Takes the time of the first row, not of the last. So the reading goes on until all rows of a page are too old.
    youngest = fresh[0]?.createdAt ?? youngest;
    return isNewestFirst ? youngest : Number.POSITIVE_INFINITY;
  };
}
