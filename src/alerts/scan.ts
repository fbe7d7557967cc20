import type { Order } from "../store-api/schemas.ts";
import { ignoredFilters, type Page } from "../store-api/store-api.ts";
import {
  findMissing,
  missingAgain,
  type ObservedOrder,
  type OpenOrder,
  observeOrder,
  type Sightings,
} from "./scan-absence.ts";
import { hasStatus, readPageOrGone, timeOf } from "./scan-page.ts";

/** Orders asked for per page: the most that the API gives (store-open-api 8). */
export const PAGE_SIZE = 100;
/** Requests of a poll to which nothing is new. */
const STEADY_REQUESTS = 3;
/** Requests that one poll may add to follow a run of new orders; the next poll goes on from there. */
const EXTRA_REQUESTS = 50;

/**
 * What a scan remembers between two polls of one server: plain data. It may be lost at any time; no order is lost or
 * doubled by that.
 */
export interface ScanMemory {
  /** The middle page that is read next: 2, 3, … last page, and again from 2. */
  readonly next: number;
  /** How often that went round. */
  readonly round: number;
  /** Pages at which a run of new orders was cut short, by a failure or by the bound of one poll. */
  readonly resume: readonly number[];
  /** Creation time (epoch ms) of the newest order of any status seen by a poll that ended well. */
  readonly newest?: number;
  readonly order?: ObservedOrder;
  readonly statusHonoured?: boolean;
  readonly limitHonoured?: boolean;
  readonly sightings: Sightings;
}

export interface ScanInput {
  /** One API request, with the status filter and {@link PAGE_SIZE} as limit. Pages count from 1. */
  readPage(page: number): Promise<Page<Order>>;
  /** Which of these ids the ledger has, in whatever state. */
  known(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Which statuses ring. Compared without regard to case. */
  readonly statuses: readonly string[];
  /** Alerts posted whose order has not left the list. */
  readonly open: readonly OpenOrder[];
  /** While the backlog is being read: which statuses it is of, and since when those ring (epoch ms, the store's clock). */
  readonly backlog?: { readonly since: number; readonly statuses: readonly string[] };
  readonly memory: ScanMemory;
}

export interface ScanResult {
  /** Orders that ring and that the ledger does not have, each once, oldest first. */
  readonly fresh: Order[];
  /** Ids that ring by status, are unknown to the ledger, and were of the backlog: to be marked as seen. */
  readonly backlog: string[];
  /** Open orders that a page showed with another status than their alert: no need to read them. */
  readonly changed: Order[];
  /** Open orders that left the list, for all that is known, at most 5: to be read once each. */
  readonly missing: string[];
  readonly memory: ScanMemory;
  /** Pages asked for. */
  readonly requests: number;
  /** As the last page that was read told it; 1 when none was. */
  readonly lastPage: number;
  /** Whether the API honours the filter and the page size; undefined while nothing has shown it. */
  readonly statusHonoured: boolean | undefined;
  readonly limitHonoured: boolean | undefined;
  /** What the page read that failed threw. Nothing was read after it; what was read before it counts. */
  readonly failure?: unknown;
}

/** What one poll has read so far. */
interface Reading {
  readonly input: ScanInput;
  readonly pages: Map<number, Page<Order>>;
  /** Every row of these pages, as last read. */
  readonly rows: Map<string, Order>;
  /** Those of the rows that the ledger has. */
  readonly known: Set<string>;
  readonly fresh: Map<string, Order>;
  readonly backlog: Set<string>;
  readonly resume: Set<number>;
  lastPage: number;
  requests: number;
  extra: number;
  failure?: unknown;
}

/** The memory of a process that has just started. */
export function newScanMemory(): ScanMemory {
  return { next: 2, round: 0, resume: [], sightings: {} };
}

/** A memory by which the next scan gives `ids` as missing again: for orders whose one read failed. */
export function askAgain(memory: ScanMemory, ids: readonly string[]): ScanMemory {
  return { ...memory, sightings: missingAgain(memory.sightings, ids, memory.round) };
}

/**
 * Finds the orders that have come and the open ones that have gone, whatever the list's order, and writes nothing.
 *
 * A poll reads page 1, the last page and one page in between, in turn: 3 requests when nothing is new, all pages when
 * there are 3 or fewer. From a page that brought something new it goes on to the pages beside it. So a new order is
 * found by the next poll where new orders come first or last, and by the next `lastPage - 1` polls anywhere else.
 * An arrival or departure during those can shift the order past the page being read; each such shift costs it at most
 * `lastPage - 1` polls more.
 *
 * Rejects only with what `known` rejects with: then nothing is concluded and the old memory stays good.
 */
export async function scan(input: ScanInput): Promise<ScanResult> {
  const reading = await readPages(input);
  const rotation = rotate(input.memory, reading);
  const pages = [...reading.pages].map(([number, page]) => ({ number, page }));
  const order = pages.reduce((before, { page }) => observeOrder(before, page.items), input.memory.order);
  const { missing, sightings } = findMissing({
    open: input.open,
    before: input.memory.sightings,
    pages,
    seen: new Set(reading.rows.keys()),
    fresh: [...reading.fresh.keys()],
    order,
    rounds: [input.memory.round, rotation.round],
  });
  const { statusHonoured, limitHonoured } = observeFilters(input, reading);
  return {
    fresh: oldestFirst(reading, order),
    backlog: [...reading.backlog],
    changed: input.open.flatMap(({ id, status }) => {
      const row = reading.rows.get(id);
      return row && row.status.toUpperCase() !== status.toUpperCase() ? [row] : [];
    }),
    missing,
    memory: {
      ...rotation,
      resume: [...reading.resume].filter((page) => reading.failure !== undefined || page <= reading.lastPage),
      newest: newestSeen(reading),
      order,
      statusHonoured,
      limitHonoured,
      sightings,
    },
    requests: reading.requests,
    lastPage: reading.lastPage,
    statusHonoured,
    limitHonoured,
    failure: reading.failure,
  };
}

async function readPages(input: ScanInput): Promise<Reading> {
  const reading: Reading = {
    input,
    pages: new Map(),
    rows: new Map(),
    known: new Set(),
    fresh: new Map(),
    backlog: new Set(),
    resume: new Set(input.memory.resume),
    lastPage: 1,
    requests: 0,
    extra: 0,
  };
  await explore(reading, 1);
  const tail = reading.lastPage;
  await explore(reading, tail);
  if (reading.lastPage < tail) await explore(reading, reading.lastPage);
  const middle = rotate(input.memory, reading).next;
  if (reading.requests - reading.extra < STEADY_REQUESTS && middle <= reading.lastPage) await explore(reading, middle);
  for (const page of input.memory.resume) if (page <= reading.lastPage) await explore(reading, page, lookFurther);
  return reading;
}

/** Reads a page unless this poll has, and the pages to both sides of it for as long as they bring something new. */
async function explore(reading: Reading, page: number, read = look): Promise<void> {
  if (reading.pages.has(page) || !(await read(reading, page))) return;
  await follow(reading, page, 1);
  await follow(reading, page, -1);
}

async function follow(reading: Reading, from: number, step: 1 | -1): Promise<void> {
  let page = from + step;
  let leadsOn = true;
  while (leadsOn && page >= 1 && page <= reading.lastPage && !reading.pages.has(page)) {
    leadsOn = await lookFurther(reading, page);
    if (!reading.pages.has(page)) reading.resume.add(page);
    page += step;
  }
  // A departure between two requests lifts an order over the boundary, onto a page that was read already. Page 1 is
  // read by the next poll anyway; the others of a long run get a second look on the way back.
  for (let back = page - 2; step === 1 && back > from; back -= 1) await lookFurther(reading, back);
}

async function lookFurther(reading: Reading, page: number): Promise<boolean> {
  if (reading.extra >= EXTRA_REQUESTS || reading.failure !== undefined) return false;
  reading.extra += 1;
  return look(reading, page);
}

/** Reads a page. True when the pages beside it may hold more that is new. */
async function look(reading: Reading, number: number): Promise<boolean> {
  if (reading.failure !== undefined) return false;
  const page = await readOrFail(reading, number);
  if (page === undefined) return false;
  const unread = page.items.filter((row) => !reading.rows.has(row.id));
  for (const id of await reading.input.known(unread.map((row) => row.id))) reading.known.add(id);
  reading.resume.delete(number);
  reading.pages.set(number, page);
  reading.lastPage = page.lastPage;
  const before = reading.fresh.size;
  for (const row of page.items) sortIn(reading, row);
  return reading.fresh.size > before || hidesOthers(reading, page, unread);
}

async function readOrFail(reading: Reading, number: number): Promise<Page<Order> | undefined> {
  reading.requests += 1;
  try {
    return await readPageOrGone(reading.input.readPage, number);
  } catch (error) {
    reading.failure = error;
    return undefined;
  }
}

function sortIn(reading: Reading, row: Order): void {
  const { backlog, statuses } = reading.input;
  reading.rows.set(row.id, row);
  if (reading.known.has(row.id) || !hasStatus(row, statuses)) return;
  const isOld = backlog !== undefined && hasStatus(row, backlog.statuses) && !(timeOf(row) >= backlog.since);
  if (isOld) reading.backlog.add(row.id);
  else reading.fresh.set(row.id, reading.fresh.get(row.id) ?? row);
}

/**
 * Where the API ignores the status filter, new orders can stand behind pages full of new orders that do not ring. A page
 * may hide some as long as not one of its rows was there before.
 */
function hidesOthers({ input, known }: Reading, page: Page<Order>, unread: readonly Order[]): boolean {
  const newest = Math.max(
    input.memory.newest ?? Number.NEGATIVE_INFINITY,
    input.backlog?.since ?? Number.NEGATIVE_INFINITY,
  );
  return (
    page.items.some((row) => !hasStatus(row, input.statuses)) &&
    unread.length === page.items.length &&
    unread.every((row) => !known.has(row.id) && timeOf(row) > newest)
  );
}

/** Moves past the pages that were read: those from `next` on without a gap. A page that failed stays the next one. */
function rotate(memory: ScanMemory, reading: Reading): { next: number; round: number } {
  let { next } = memory;
  while (reading.pages.has(next)) next += 1;
  if (!reading.pages.has(1) || next <= reading.lastPage) return { next, round: memory.round };
  return { next: 2, round: memory.round + 1 };
}

function newestSeen({ input, rows, failure }: Reading): number | undefined {
  if (failure !== undefined) return input.memory.newest;
  const times = [...rows.values()].map(timeOf).filter((time) => !Number.isNaN(time));
  return times.reduce<number | undefined>((newest, time) => Math.max(newest ?? time, time), input.memory.newest);
}

function observeFilters({ memory, statuses }: ScanInput, { pages }: Reading) {
  let { statusHonoured, limitHonoured } = memory;
  for (const [number, page] of pages) {
    const ignored = ignoredFilters({ page: number, limit: PAGE_SIZE, statuses }, page);
    if (ignored.includes("status")) statusHonoured = false;
    else if (page.items.length > 0) statusHonoured ??= true;
    if (ignored.includes("limit")) limitHonoured = false;
    else if (page.lastPage > 1 && page.items.length > 0 && number < page.lastPage) limitHonoured ??= true;
  }
  return { statusHonoured, limitHonoured };
}

/** Orders of the same moment stand as the list has them: a burst has many of those. */
function oldestFirst({ pages, fresh }: Reading, order: ObservedOrder | undefined): Order[] {
  const inList = [...pages].sort(([one], [other]) => one - other).flatMap(([, page]) => page.items.map(({ id }) => id));
  const ids = new Set([...(order === "oldest_first" ? inList : inList.reverse()), ...fresh.keys()]);
  const age = (row: Order) => (Number.isNaN(timeOf(row)) ? Number.MAX_VALUE : timeOf(row));
  return [...ids].flatMap((id) => fresh.get(id) ?? []).sort((one, other) => age(one) - age(other));
}
