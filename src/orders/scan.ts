import { largestPageSize } from "../store-api/listing.ts";
import { hasStatus, statusKey } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { type OrderPage, StoreError } from "../store-api/store-api.ts";
import { type BaselineMark, isOfBaseline } from "./baseline.ts";
import { ConflictError } from "./conflict-error.ts";
import type { FailingPage, ListMemory, Sorting } from "./list-memory.ts";
import { isAlerted, isDealtWith, type OrderRow } from "./order-row.ts";
import { hasMoved } from "./triggers.ts";

/** Number of requests of a poll that finds nothing new. */
const steadyRequests = 3;
/**
 * Maximum number of further requests per poll to read a run of new orders (neighbouring pages with new orders) to its end. The
 * next poll continues there.
 */
const extraRequests = 50;
/** A poll stops following a run after this many new orders, because they are in memory until they are recorded. */
const mostFresh = 2_000;
/** A poll stops after this many failed pages. Otherwise it would ask a store that goes down for every page. */
const mostFailures = 2;
/** Returns how many polls leave out a page that keeps failing: 0, 1, 3, 7, 15, 31. */
const restAfter = (failures: number) => Math.min(2 ** (failures - 1), 32) - 1;

export interface ScanInput {
  /** Sends one API request. Returns undefined if the page has the bytes that the fingerprint describes. Page numbers start at 1. */
  readPage(page: number, fingerprint: string | undefined): Promise<OrderPage | undefined>;
  /** Returns the ledger's rows of these orders, by id. Orders without a row are left out. */
  known(ids: readonly string[]): Promise<ReadonlyMap<string, OrderRow>>;
  readonly statuses: readonly string[];
  /** Statuses that cause an alert. Other lists may show them, too. */
  readonly alerting: readonly string[];
  /** Statuses for which a rule has a message. Other lists may show them, too. */
  readonly awaited: readonly string[];
  /** Receives the new orders of page 1, and of a run that begins there, before other pages are requested. Those requests may hang. */
  early?(found: Arrivals): Promise<void>;
  /**
   * Set while there is no memory of the list. Orders found since this time (epoch ms) may belong to a run of new orders that an
   * earlier poll began to follow. More new orders may come after them.
   */
  readonly runSince?: number | undefined;
  /** Set while the baseline is being read. */
  readonly baseline?: BaselineMark | undefined;
  readonly memory: ListMemory;
}

/** New orders of a list: those that get an alert, and those for which a rule has a message. */
export interface Arrivals {
  /** Orders to alert that the ledger does not have. Each is listed once, oldest first. */
  readonly fresh: readonly Order[];
  /** Orders that were not seen before in their present status, and a rule has a message for it. */
  readonly entered: readonly Order[];
}

/** A page beyond the first that could not be read. */
export interface PageFailure {
  readonly page: number;
  readonly error: unknown;
}

export interface ScanResult extends Arrivals {
  /** Orders of the baseline (baseline.ts). The caller treats them as already seen; they are not among the arrivals. */
  readonly baseline: readonly Order[];
  /** The pages read. The value is undefined for a page with the same bytes as last time. */
  readonly pages: ReadonlyMap<number, OrderPage | undefined>;
  /** Every row of the changed pages, as last read. `known` has the ledger's rows of these orders. */
  readonly rows: ReadonlyMap<string, Order>;
  readonly known: ReadonlyMap<string, OrderRow>;
  /** The new memory of the list, except the parts that `departures` finds. */
  readonly memory: Omit<ListMemory, "pages" | "absent" | "isPlaced">;
  /** Number of the last page, according to the page that was read last; 1 if no page was read. */
  readonly lastPage: number;
  /** Pages that failed. The others are valid. If page 1 failed, no other page was requested. */
  readonly failures: readonly PageFailure[];
}

/** The state of one poll while it reads. */
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
 * Finds new orders in one list, with any sorting of the list. Orders that left the list are found by departures.ts. Writes
 * nothing.
 *
 * A poll reads page 1, the last page and one page in between, which changes from poll to poll. That is 3 requests if nothing is
 * new, and all pages if there are at most 3. After a page with new orders, the poll reads the neighbouring pages, too.
 * So the next poll finds a new order if new orders come first or last in the list, and the next `lastPage - 1` polls find it
 * anywhere else. An order that arrives or leaves during those polls can shift the new order past the page that is being read.
 * Each shift delays it by at most `lastPage - 1` polls. A failed page delays only its own orders, by one more round over the
 * pages.
 *
 * Rejects only with errors of `known` and `early`. The old memory then stays valid.
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

/**
 * Returns how the list is sorted, from the sorting known before and one page. A page shows one moment, so shifts of the list do
 * not disturb it.
 */
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
 * Reads page 1, and the following pages while they show new orders.
 * If the run of new orders ends on page 1, `early` gets it before page 2 is read. A longer run is first read to its end,
 * because its oldest orders may come last and have to be alerted first.
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

/** Whether this poll needs no request for the page: it was read, it failed, or it is left out because it failed too often. */
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

/** Reads a page that this poll has not read yet. Then reads the pages on both sides while they show new orders. */
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
  // An order that leaves the list between two requests can move another order to a page that was already read. So the pages of
  // a long run are read a second time, backwards. The first page of the run is not: the next poll reads page 1 anyway.
  for (let back = page - 2; step === 1 && back > from; back -= 1) await lookFurther(reading, back);
}

async function lookFurther(reading: Reading, page: number): Promise<boolean> {
  if (reading.extra >= extraRequests || arrived(reading) >= mostFresh) return false;
  reading.extra += 1;
  return look(reading, page);
}

/**
 * Updates the number of the last page. Only page 1 and the last page are believed if they report fewer pages, because a page in
 * between may be wrong.
 */
function takeLastPage(reading: Reading, number: number, lastPage: number) {
  const isEnd = number === 1 || number >= reading.lastPage;
  reading.lastPage = isEnd ? lastPage : Math.max(reading.lastPage, lastPage);
}

/** Reads a page. Returns whether its neighbours may show more new orders. */
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
  // If the alert already showed this status, the order did not just enter it.
  const isEntering = isAwaited && (isNew || hasMoved(known, row) || !hasStatus(row, alerting));
  if (!isNew && !isEntering) return;
  if (baseline !== undefined && isOfBaseline(row, baseline) && !hasMoved(known, row))
    return void reading.baseline.set(row.id, row);
  if (isNew) reading.fresh.set(row.id, reading.fresh.get(row.id) ?? row);
  if (isEntering) reading.entered.set(row.id, row);
}

/**
 * Whether pages with new orders may follow, although this page shows none to alert. If the API ignores the status filter, the
 * newest pages may be full of new orders with other statuses. A page is of that sort if all its rows are new.
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

/** Moves `next` past the pages that were read without a gap. A failed page is read in the next round. */
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

/** Sorts by creation time. Orders with the same time, as in a burst, keep the sequence of the list. */
function oldestFirst({ pages }: Reading, some: ReadonlyMap<string, Order>, sorting: Sorting | undefined): Order[] {
  if (some.size === 0) return [];
  const inList = [...pages]
    .sort(([one], [other]) => one - other)
    .flatMap(([, page]) => page?.items.map(({ id }) => id) ?? []);
  const ids = new Set([...(sorting === "oldest_first" ? inList : inList.reverse()), ...some.keys()]);
  const age = ({ createdAt }: Order) => createdAt ?? Number.MAX_VALUE;
  return [...ids].flatMap((id) => some.get(id) ?? []).sort((one, other) => age(one) - age(other));
}

/** Returns the query of one page, with the largest page size. */
export const pageQuery = (page: number, statuses: readonly string[]) => ({ page, limit: largestPageSize, statuses });
