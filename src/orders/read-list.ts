import { idHash } from "../basics/id-hash.ts";
import { largestPageSize } from "../store-api/listing.ts";
import { hasStatus } from "../store-api/order-status.ts";
import { type OrderPage, StoreError } from "../store-api/store-api.ts";
import { ConflictError } from "./conflict-error.ts";
import type { Ledger } from "./ledger.ts";
import type { ListMemory } from "./list-memory.ts";
import type { Statuses } from "./lists.ts";
import { isAlerted } from "./order-row.ts";

/** Number of requests of a poll that finds nothing new. */
const steadyRequests = 3;
/**
 * Maximum number of further requests per poll to read runs of new orders (neighbouring pages with new orders) to their end. The
 * next poll continues there.
 */
const extraRequests = 20;
/** A poll stops after this many failed pages. Otherwise it would ask a store that goes down for every page. */
const mostFailures = 2;
/** Maximum number of orders that one poll reports as missing. Each of them causes a request to the store. */
const reportsPerPoll = 5;

export interface PageFailure {
  readonly page: number;
  readonly error: unknown;
}

/** A changed page whose orders were compared with the ledger. */
export interface InspectedPage {
  /** Whether the neighbouring pages may show more new orders. */
  readonly leadsOn: boolean;
  /** Whether every order of the page is new. */
  readonly isAllNew: boolean;
  /** Records what the page shows. Returns the ids of its orders whose alert waits or is followed. */
  record(): Promise<readonly string[]>;
}

export interface ListSource {
  readonly statuses: Statuses;
  readonly ledger: Pick<Ledger, "alertedIds" | "entries">;
  /** Sends one API request. Returns undefined if the page has the bytes that the fingerprint describes. Page numbers start at 1. */
  readPage(page: number, fingerprint: string | undefined): Promise<OrderPage | undefined>;
  inspect(page: OrderPage): Promise<InspectedPage>;
}

/** The result of one poll of one list. The orders of its pages were recorded already. */
export interface ListReading {
  readonly failures: readonly PageFailure[];
  /** Ids of followed orders that seem to have left the list, at most 5. The caller reads each of them once by id. */
  readonly missing: readonly string[];
}

/**
 * Reads one list, with any sorting of the list. Rejects with `ConflictError`, and with errors of `inspect`, `record` and the ledger.
 *
 * A poll reads page 1, the last page and one page in between, which changes from poll to poll. That is 3 requests if nothing is
 * new, and all pages if there are at most 3. After a page with new orders, the poll reads the neighbouring pages, too.
 * So the next poll finds a new order if new orders come first or last in the list, and the next `lastPage - 1` polls find it
 * anywhere else. An order that arrives or leaves during those polls can shift the new order past the page that is being read.
 * Each shift, or a failure of its page, delays the new order by at most `lastPage - 1` polls.
 *
 * An alerted order counts as gone from the list if a page no longer shows it, and no other page shows it until the next poll. If
 * this poll read all pages, the order counts as gone at once. When every page was read for the first time, all alerted orders
 * that no page shows count as gone.
 */
export async function readList(memory: ListMemory, source: ListSource): Promise<ListReading> {
  const wasComplete = memory.isComplete;
  const before = new Set(memory.gone);
  const poll = new ListPoll(memory, source);
  await poll.run(1);
  const last = memory.lastPage;
  await poll.run(last);
  if (memory.lastPage < last) await poll.run(memory.lastPage);
  await poll.runMiddle();
  await poll.resume();
  memory.settle();
  const left = poll.hasReadAll ? new Set(memory.gone) : new Set([...memory.gone].filter((order) => before.has(order)));
  const isFirst = memory.isComplete && !wasComplete;
  return { failures: poll.failures, missing: await missingOf(memory, source, isFirst ? undefined : left) };
}

/** @param left the orders that left, each as its `idHash`. If it is undefined, all orders that no page shows left */
async function missingOf(memory: ListMemory, { ledger, statuses }: ListSource, left: ReadonlySet<number> | undefined) {
  const missing: string[] = [];
  if (left?.size === 0) return missing;
  const listed = memory.alerted();
  const hasLeft = (order: number) => (left ? left.has(order) : !listed.has(order));
  const ids = (await ledger.alertedIds()).filter((id) => hasLeft(idHash(id)));
  const known = await ledger.entries(ids);
  for (const order of left ?? []) memory.gone.delete(order);
  for (const [id, row] of known) {
    if (!isAlerted(row) || !hasStatus(row.facts, statuses)) continue;
    // An order whose alert is still in the outbox has no message to edit. It is reported after the alert was posted.
    if (row.state === "open" && missing.length < reportsPerPoll) missing.push(id);
    else memory.gone.add(idHash(id));
  }
  return missing;
}

interface Inspected extends InspectedPage {
  readonly number: number;
  readonly page: OrderPage;
}

/** The requests of one poll for one list. No page is requested twice. */
class ListPoll {
  readonly failures: PageFailure[] = [];
  private readonly memory: ListMemory;
  private readonly source: ListSource;
  private readonly asked = new Set<number>();
  private extra = 0;
  private isOver = false;

  constructor(memory: ListMemory, source: ListSource) {
    this.memory = memory;
    this.source = source;
  }

  get hasReadAll(): boolean {
    return this.failures.length === 0 && this.asked.size >= this.memory.lastPage;
  }

  /**
   * Reads a page. Then reads the pages on both sides while they show new orders.
   * A page is recorded before the next one is requested, because that request may hang. The exception is a page with only new
   * orders. It is recorded at the end of the run, because the next pages probably have older orders, and these are alerted first.
   */
  async run(page: number): Promise<void> {
    let waiting: Inspected[] = [];
    const record = async () => {
      for (const one of waiting.toReversed()) await this.record(one);
      waiting = [];
    };
    const look = async (number: number) => {
      const found = await this.look(number);
      if (found) waiting.push(found);
      if (!found?.isAllNew) await record();
      return found?.leadsOn === true;
    };
    if (!(await look(page))) return;
    for (const step of page === 1 ? [1] : [-1, 1]) {
      let next = page + step;
      while (next >= 1 && next <= this.memory.lastPage && !this.asked.has(next)) {
        this.memory.resume.add(next);
        if (!this.takeExtra() || !(await look(next))) break;
        next += step;
      }
      await record();
    }
  }

  private async record({ number, page, record }: Inspected) {
    const alerted = await record();
    this.memory.remember(
      number,
      page,
      alerted.map((id) => idHash(id)),
    );
  }

  /** Reads the middle page whose turn it is. A page that failed is read again in its next turn. */
  async runMiddle(): Promise<void> {
    const { memory } = this;
    this.turn();
    if (this.asked.size - this.extra < steadyRequests && memory.next <= memory.lastPage) await this.run(memory.next);
    this.turn();
  }

  private turn() {
    const { memory } = this;
    while (this.asked.has(memory.next)) memory.next += 1;
    if (memory.next > memory.lastPage) memory.next = 2;
  }

  /** Continues the runs that earlier polls did not read to their end. */
  async resume(): Promise<void> {
    const { resume } = this.memory;
    for (const page of [...resume]) {
      if (this.asked.has(page)) continue;
      if (page > this.memory.lastPage) resume.delete(page);
      else if (this.takeExtra()) {
        resume.delete(page);
        await this.run(page);
      }
    }
  }

  private takeExtra(): boolean {
    if (this.isOver || this.extra >= extraRequests) return false;
    this.extra += 1;
    return true;
  }

  /** Reads a page. Returns undefined if it was read already, did not change, or could not be read. */
  private async look(number: number): Promise<Inspected | undefined> {
    const { memory, source } = this;
    if (this.isOver || this.asked.has(number)) return undefined;
    this.asked.add(number);
    const before = memory.pages.get(number);
    let page: OrderPage | undefined;
    try {
      page = await source.readPage(number, before?.fingerprint);
      if (page?.isGone && number < memory.lastPage) {
        throw new StoreError("malformed", "a page within the list is missing");
      }
    } catch (error) {
      if (error instanceof ConflictError) throw error;
      this.failures.push({ page: number, error });
      const wantsNoMore = error instanceof StoreError && error.code === "rate_limited";
      this.isOver = number === 1 || wantsNoMore || this.failures.length >= mostFailures;
      return undefined;
    }
    memory.resume.delete(number);
    // Only page 1 and the last page are believed if they report fewer pages, because a page in between may be wrong.
    const isEnd = number === 1 || number >= memory.lastPage;
    const { lastPage } = page ?? before ?? memory;
    memory.lastPage = isEnd ? lastPage : Math.max(memory.lastPage, lastPage);
    return page && { number, page, ...(await source.inspect(page)) };
  }
}

/** Returns the query of one page, with the largest page size. */
export const pageQuery = (page: number, statuses: readonly string[]) => ({ page, limit: largestPageSize, statuses });
