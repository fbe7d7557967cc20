import { largestPageSize } from "../store-api/listing.ts";
import { hasStatus, statusKey } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { type OrderPage, StoreError } from "../store-api/store-api.ts";
import { type BaselineMark, isOfBaseline } from "./baseline.ts";
import { ConflictError } from "./conflict-error.ts";
import type { FailingPage, ListMemory, Sorting } from "./list-memory.ts";
import { isAlerted, isDealtWith, type OrderRow } from "./order-row.ts";
import { hasMoved } from "./triggers.ts";

/** Requests of a poll to which nothing is new. */
const steadyRequests = 3;
/** Requests that one poll may add to follow a run of new orders; the next poll goes on from there. */
const extraRequests = 50;
/** New orders that one poll may find before it stops following their run: they are held in memory until they are recorded. */
const mostFresh = 2_000;
/** Pages that may fail before a poll stops asking: a store that goes down in mid-poll is not asked for all of them. */
const mostFailures = 2;
/** Polls for which a page that fails again and again is left out: 0, 1, 3, 7, 15, 31. */
const restAfter = (failures: number) => Math.min(2 ** (failures - 1), 32) - 1;

export interface ScanInput {
  /** One API request; undefined when the page's bytes are those of the fingerprint. Pages count from 1. */
  readPage(page: number, fingerprint: string | undefined): Promise<OrderPage | undefined>;
  /** The ledger's entries of those ids that have one. */
  known(ids: readonly string[]): Promise<ReadonlyMap<string, OrderRow>>;
  /** Which statuses the list is asked for. */
  readonly statuses: readonly string[];
  /** Statuses that are alerted, in other lists as well. */
  readonly alerting: readonly string[];
  /** Statuses that rules wait for, in other lists as well. */
  readonly awaited: readonly string[];
  /** Is given what page 1 brought, and a run that goes on from it, before other pages are asked for, which may hang. */
  early?(found: Arrivals): Promise<void>;
  /**
   * While nothing is remembered of the list: alerts found since then (epoch ms) may be of a run of new orders that another poll
   * has followed, and that goes on behind them.
   */
  readonly runSince?: number | undefined;
  /** While the baseline is being read. */
  readonly baseline?: BaselineMark | undefined;
  readonly memory: ListMemory;
}

/** What has happened to orders of a list. */
export interface Arrivals {
  /** Orders to be alerted that the ledger does not have, each once, oldest first. */
  readonly fresh: readonly Order[];
  /** Orders in a status that rules wait for, and in which they were not seen before. */
  readonly entered: readonly Order[];
}

/** A page beyond the first that could not be read. */
export interface PageFailure {
  readonly page: number;
  readonly error: unknown;
}

export interface ScanResult extends Arrivals {
  /** Orders that would be among the arrivals, but were of the baseline: to be taken as seen. */
  readonly baseline: readonly Order[];
  /** The pages read; undefined where the bytes were those of last time. */
  readonly pages: ReadonlyMap<number, OrderPage | undefined>;
  /** Every row of the pages that had changed, as last read, and what the ledger has of them. */
  readonly rows: ReadonlyMap<string, Order>;
  readonly known: ReadonlyMap<string, OrderRow>;
  /** What to remember of the list, but for where its orders are. */
  readonly memory: Omit<ListMemory, "pages" | "absent" | "isPlaced">;
  /** As the last page that was read told it; 1 when none was. */
  readonly lastPage: number;
  /** Pages that failed; the others count. Page 1 among them means that nothing else was asked for. */
  readonly failures: readonly PageFailure[];
}

/** What one poll has read so far. */
interface Reading {
  readonly input: ScanInput;
  readonly pages: Map<number, OrderPage | undefined>;
  readonly rows: Map<string, Order>;
  readonly known: Map<string, OrderRow>;
  readonly fresh: Map<string, Order>;
  readonly entered: Map<string, Order>;
  readonly baseline: Map<string, Order>;
  readonly resume: Set<number>;
  readonly failures: PageFailure[];
  lastPage: number;
  requests: number;
  extra: number;
  isOver: boolean;
}

/**
 * Finds the orders that have come, however the list is sorted, and writes nothing.
 *
 * A poll reads page 1, the last page and one page in between, in turn: 3 requests when nothing is new, all pages when
 * there are 3 or fewer. From a page that brought something new it goes on to the pages next to it. So a new order is
 * found by the next poll where new orders come first or last, and by the next `lastPage - 1` polls anywhere else.
 * An arrival or departure during those can shift the order past the page being read; each such shift costs it at most
 * `lastPage - 1` polls more. A page that fails costs the orders on it a further round, and no others anything.
 *
 * Rejects only with what `known` and `early` reject with: then nothing is concluded and the old memory stays good.
 */
export async function scan(input: ScanInput): Promise<ScanResult> {
  const reading = await readPages(input);
  const sorting = sortingOf(reading);
  const { pages, rows, known, resume, lastPage, failures } = reading;
  return {
    ...arrivals(reading, sorting),
    baseline: [...reading.baseline.values()],
    pages,
    rows,
    known,
    memory: {
      ...rotate(input.memory, reading),
      resume: [...resume].filter((page) => failures.length > 0 || page <= lastPage),
      failing: failingNow(reading),
      newest: newestSeen(reading),
      sorting,
    },
    lastPage,
    failures,
  };
}

const sortingOf = ({ input, pages }: Reading) =>
  [...pages.values()].reduce(
    (before, page) => (page ? observeSorting(before, page.items) : before),
    input.memory.sorting,
  );

/** How the list is sorted, given what it was taken for and a page of it (a page is one moment: no shift can blur it). */
export function observeSorting(before: Sorting | undefined, rows: readonly Order[]): Sorting | undefined {
  const times = rows.map(({ createdAt }) => createdAt ?? Number.NaN);
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? Number.NaN));
  const rises = before === "oldest_first" || steps.some((step) => step > 0);
  const falls = before === "newest_first" || steps.some((step) => step < 0);
  if (before === "mixed" || (rises && falls) || times.some(Number.isNaN)) return "mixed";
  if (rises) return "oldest_first";
  return falls ? "newest_first" : undefined;
}

async function readPages(input: ScanInput): Promise<Reading> {
  const reading: Reading = {
    input,
    pages: new Map(),
    rows: new Map(),
    known: new Map(),
    fresh: new Map(),
    entered: new Map(),
    baseline: new Map(),
    resume: new Set(input.memory.resume),
    failures: [],
    lastPage: 1,
    requests: 0,
    extra: 0,
    isOver: false,
  };
  await readFirst(reading);
  if (!reading.pages.has(1)) return reading;
  const tail = reading.lastPage;
  await explore(reading, tail);
  if (reading.lastPage < tail) await explore(reading, reading.lastPage);
  const middle = rotate(input.memory, reading).next;
  if (reading.requests - reading.extra < steadyRequests && middle <= reading.lastPage) await explore(reading, middle);
  for (const page of input.memory.resume) if (page <= reading.lastPage) await explore(reading, page, lookFurther);
  return reading;
}

/**
 * Reads page 1, and the pages after it for as long as they bring something new. A run that ends on page 1 need not wait for
 * page 2 to say so; of a longer one the oldest orders come first.
 */
async function readFirst(reading: Reading): Promise<void> {
  const leadsOn = await look(reading, 1);
  const rows = reading.pages.get(1)?.items ?? [];
  const giveEarly = async () => {
    if (arrived(reading) > 0 && reading.lastPage > 1)
      await reading.input.early?.(arrivals(reading, sortingOf(reading)));
  };
  const endsHere = rows.some(({ id }) => !reading.fresh.has(id) && !reading.entered.has(id));
  if (endsHere) await giveEarly();
  if (leadsOn) await goOn(reading, 1, 1);
  if (!endsHere) await giveEarly();
}

const arrived = ({ fresh, entered }: Reading) => fresh.size + entered.size;

/** Whether this poll is through with a page: it was read, it failed, or it failed too often of late. */
const isDone = ({ input, pages, failures }: Reading, page: number) =>
  pages.has(page) ||
  failures.some((failure) => failure.page === page) ||
  (page > 1 && (input.memory.failing.get(page)?.rest ?? 0) > 0);

function failingNow({ input, pages, failures, lastPage }: Reading): ReadonlyMap<number, FailingPage> {
  const before = input.memory.failing;
  if (before.size === 0 && failures.length === 0) return before;
  const now = new Map<number, FailingPage>();
  for (const [page, { failures: count, rest }] of before) {
    if (!pages.has(page) && page <= lastPage) now.set(page, { failures: count, rest: Math.max(rest - 1, 0) });
  }
  for (const { page } of failures) {
    const count = (before.get(page)?.failures ?? 0) + 1;
    if (page > 1) now.set(page, { failures: count, rest: restAfter(count) });
  }
  return now;
}

/** Reads a page unless this poll has, and the pages to both sides of it for as long as they bring something new. */
async function explore(reading: Reading, page: number, read = look): Promise<void> {
  if (isDone(reading, page) || !(await read(reading, page))) return;
  await goOn(reading, page, 1);
  await goOn(reading, page, -1);
}

async function goOn(reading: Reading, from: number, step: 1 | -1): Promise<void> {
  let page = from + step;
  let leadsOn = true;
  while (leadsOn && page >= 1 && page <= reading.lastPage && !isDone(reading, page)) {
    leadsOn = await lookFurther(reading, page);
    if (!reading.pages.has(page)) reading.resume.add(page);
    page += step;
  }
  // A departure between two requests lifts an order over the boundary, onto a page that was read already. Page 1 is
  // read by the next poll anyway; the others of a long run get a second look on the way back.
  for (let back = page - 2; step === 1 && back > from; back -= 1) await lookFurther(reading, back);
}

async function lookFurther(reading: Reading, page: number): Promise<boolean> {
  if (reading.extra >= extraRequests || arrived(reading) >= mostFresh) return false;
  reading.extra += 1;
  return look(reading, page);
}

/** Only the ends of the list say that it has become shorter; a page between them may be wrong about that, or about itself. */
function takeLastPage(reading: Reading, number: number, lastPage: number) {
  const isEnd = number === 1 || number >= reading.lastPage;
  reading.lastPage = isEnd ? lastPage : Math.max(reading.lastPage, lastPage);
}

/** Reads a page. True when the pages next to it may hold more that is new. */
async function look(reading: Reading, number: number): Promise<boolean> {
  const { input, pages, failures } = reading;
  if (reading.isOver) return false;
  const before = pages.get(number) ?? input.memory.pages.get(number);
  let page: OrderPage | undefined;
  reading.requests += 1;
  try {
    page = await input.readPage(number, before?.fingerprint);
  } catch (error) {
    if (error instanceof ConflictError) throw error;
    failures.push({ page: number, error });
    const wantsNoMore = error instanceof StoreError && error.code === "rate_limited";
    reading.isOver = wantsNoMore || failures.length >= mostFailures;
    return false;
  }
  if (page?.isGone && number < reading.lastPage) {
    failures.push({ page: number, error: new StoreError("malformed", "a page within the list is missing") });
    return false;
  }
  reading.resume.delete(number);
  if (page === undefined) {
    if (!pages.has(number)) pages.set(number, undefined);
    takeLastPage(reading, number, before?.lastPage ?? 1);
    return false;
  }
  return takeIn(reading, number, page);
}

async function takeIn(reading: Reading, number: number, page: OrderPage): Promise<boolean> {
  const unread = page.items.filter((row) => !reading.rows.has(row.id));
  for (const [id, entry] of await reading.input.known(unread.map((row) => row.id))) reading.known.set(id, entry);
  reading.pages.set(number, page);
  takeLastPage(reading, number, page.lastPage);
  const before = arrived(reading);
  for (const row of page.items) sortIn(reading, row);
  const { runSince = Number.POSITIVE_INFINITY } = reading.input;
  const isOfRun = (entry: OrderRow | undefined) => isAlerted(entry) && entry.foundAt >= runSince;
  const wasFollowed = page.items.some(({ id }) => isOfRun(reading.known.get(id)));
  return arrived(reading) > before || wasFollowed || hidesOthers(reading, page, unread);
}

function sortIn(reading: Reading, row: Order): void {
  const { awaited, baseline, alerting, statuses } = reading.input;
  reading.rows.set(row.id, row);
  const known = reading.known.get(row.id);
  const isNew = !isDealtWith(known) && hasStatus(row, alerting) && hasStatus(row, statuses);
  const isAwaited = hasStatus(row, awaited) && !known?.seen?.includes(statusKey(row.status));
  // What was alerted in a status was in it before any rule waited for that.
  const isEntering = isAwaited && (isNew || hasMoved(known, row) || !hasStatus(row, alerting));
  if (!isNew && !isEntering) return;
  if (baseline !== undefined && isOfBaseline(row, baseline) && !hasMoved(known, row))
    return void reading.baseline.set(row.id, row);
  if (isNew) reading.fresh.set(row.id, reading.fresh.get(row.id) ?? row);
  if (isEntering) reading.entered.set(row.id, row);
}

/**
 * Where the API ignores the status filter, new orders can stand behind pages full of new orders that are not alerted. A page
 * may hide some as long as not one of its rows was there before.
 */
function hidesOthers({ input, known }: Reading, page: OrderPage, unread: readonly Order[]): boolean {
  const newest = Math.max(
    input.memory.newest ?? Number.NEGATIVE_INFINITY,
    input.baseline?.since ?? Number.NEGATIVE_INFINITY,
  );
  return (
    page.items.some((row) => !hasStatus(row, input.statuses)) &&
    unread.length === page.items.length &&
    unread.every(({ id, createdAt }) => !isDealtWith(known.get(id)) && createdAt !== undefined && createdAt > newest)
  );
}

/** Moves past the pages that were read: those from `next` on without a gap. One that failed is read in the next round. */
function rotate(memory: ListMemory, reading: Reading): { next: number; round: number } {
  let { next } = memory;
  while (isDone(reading, next)) next += 1;
  if (!reading.pages.has(1) || next <= reading.lastPage) return { next, round: memory.round };
  return { next: 2, round: memory.round + 1 };
}

function newestSeen({ input, rows, failures }: Reading): number | undefined {
  let { newest } = input.memory;
  if (failures.length > 0) return newest;
  for (const { createdAt } of rows.values()) {
    if (createdAt !== undefined && createdAt > (newest ?? Number.NEGATIVE_INFINITY)) newest = createdAt;
  }
  return newest;
}

const arrivals = (reading: Reading, sorting: Sorting | undefined): Arrivals => ({
  fresh: oldestFirst(reading, reading.fresh, sorting),
  entered: oldestFirst(reading, reading.entered, sorting),
});

/** Orders of the same moment stand as the list has them: a burst has many of those. */
function oldestFirst({ pages }: Reading, some: ReadonlyMap<string, Order>, sorting: Sorting | undefined): Order[] {
  if (some.size === 0) return [];
  const inList = [...pages]
    .sort(([one], [other]) => one - other)
    .flatMap(([, page]) => page?.items.map(({ id }) => id) ?? []);
  const ids = new Set([...(sorting === "oldest_first" ? inList : inList.reverse()), ...some.keys()]);
  const age = ({ createdAt }: Order) => createdAt ?? Number.MAX_VALUE;
  return [...ids].flatMap((id) => some.get(id) ?? []).sort((one, other) => age(one) - age(other));
}

/** What a page of the list is asked for with: the most that the API gives. */
export const pageQuery = (page: number, statuses: readonly string[]) => ({ page, limit: largestPageSize, statuses });
