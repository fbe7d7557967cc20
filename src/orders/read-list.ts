import { idHash } from "../basics/id-hash.ts";
import { largestPageSize } from "../store-api/list-pages.ts";
import { hasStatus } from "../store-api/order-status.ts";
import { type OrderPage, StoreError } from "../store-api/store-api.ts";
import { ConflictError } from "./guild-lease.ts";
import type { Ledger } from "./ledger.ts";
import type { ListMemory } from "./list-memory.ts";
import { isAlerted } from "./order-row.ts";

/** A poll sends at most this many requests for one list, not counting {@link extraRequests}. */
const steadyRequests = 3;
/** More requests of a poll, for runs (neighbouring pages with new orders). The next poll continues a longer run. */
const extraRequests = 20;
/** After this many failed pages, the store is probably down, and the poll requests no more pages of the list. */
const mostFailures = 2;
/** One poll reports at most this many orders of a list as missing. Each of them causes a request to the store. */
const reportsPerPoll = 5;

export interface PageFailure {
  readonly page: number;
  readonly error: unknown;
}

export interface InspectedPage {
  /** Whether the neighbouring pages may show more new orders. */
  readonly leadsOn: boolean;
  readonly isAllNew: boolean;
  /** Returns the ids of the alerted orders on the page. */
  record(): Promise<readonly string[]>;
}

export interface ListSource {
  readonly ledger: Pick<Ledger, "alertedIds" | "entries">;
  /** Undefined if the fingerprint of the page is unchanged. Page numbers start at 1. */
  readPage(page: number, fingerprint: string | undefined): Promise<OrderPage | undefined>;
  inspect(page: OrderPage): Promise<InspectedPage>;
}

/** The orders of the pages were recorded already. */
export interface ListReading {
  readonly failures: readonly PageFailure[];
  /** Followed orders that seem to have left the list, at most 5. The caller reads each of them by its id. */
  readonly missing: readonly string[];
}

/**
 * Reads one list, however the store sorts it. Rejects with `ConflictError`, and with errors of `inspect`, `record` and the
 * ledger.
 *
 * A poll reads page 1, the last page and one page in between, which differs from poll to poll. If a page has new orders, the
 * poll also reads the pages before and after it. If the store lists new orders first or last, the next poll usually finds them.
 * Otherwise, it takes at most `lastPage - 1` polls to find a new order. It takes longer if the order's page cannot be read, or
 * if the order moves to a page that was already read.
 *
 * An order may vanish from one page because it moved to another page. So an alerted order counts as gone if two polls did not
 * find it, or one poll that read all pages. When all pages have been read for the first time, each alerted order that is on no
 * page counts as gone, too.
 */
export async function readList(memory: ListMemory, source: ListSource): Promise<ListReading> {
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
  const isFirst = memory.isComplete && !memory.wasCompared;
  const missing = await missingOf(memory, source, isFirst ? undefined : left);
  memory.wasCompared = memory.isComplete;
  return { failures: poll.failures, missing };
}

/** @param left the orders that are gone, by `idHash`. Undefined: all alerted orders that no page shows */
async function missingOf(memory: ListMemory, { ledger }: ListSource, left: ReadonlySet<number> | undefined) {
  const missing: string[] = [];
  if (left?.size === 0) return missing;
  const listed = memory.alerted();
  const hasLeft = (order: number) => (left ? left.has(order) : !listed.has(order));
  const ids = (await ledger.alertedIds()).filter((id) => hasLeft(idHash(id)));
  const known = await ledger.entries(ids);
  for (const order of left ?? []) memory.gone.delete(order);
  for (const [id, row] of known) {
    if (!isAlerted(row) || !hasStatus(row.facts, memory.statuses)) continue;
    // A later poll reports orders beyond the limit, and orders whose alert was not posted yet.
    if (row.state === "open" && missing.length < reportsPerPoll) missing.push(id);
    else memory.gone.add(idHash(id));
  }
  return missing;
}

interface Inspected extends InspectedPage {
  readonly number: number;
  readonly page: OrderPage;
}

/** No page is requested twice in one poll. */
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
   * A page is recorded before the next request, because that request may hang. But if a page has only new orders, the next
   * pages probably have older ones, which must be alerted first. So this page is recorded after those pages.
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

  /** If the middle page cannot be read, it is tried again after all other middle pages. */
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

  async resume(): Promise<void> {
    const { resume } = this.memory;
    for (const page of [...resume]) {
      if (this.asked.has(page)) continue;
      if (page > this.memory.lastPage) resume.delete(page);
      else if (this.takeExtra()) {
        // A page that fails stays in the set, as the last one, so that it does not delay the others.
        resume.delete(page);
        resume.add(page);
        await this.run(page);
      }
    }
  }

  private takeExtra(): boolean {
    if (this.isOver || this.extra >= extraRequests) return false;
    this.extra += 1;
    return true;
  }

  /** Undefined if the page was requested already, is unchanged or could not be read, or if no more pages may be requested. */
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
    if (page === undefined) memory.resume.delete(number);
    const { lastPage, mayHaveMore }: Pick<OrderPage, "lastPage" | "mayHaveMore"> = page ?? before ?? memory;
    // A page in between may name a wrong number of pages.
    const isEnd = number >= memory.lastPage || (mayHaveMore === undefined ? number === 1 : !mayHaveMore);
    memory.lastPage = isEnd ? lastPage : Math.max(memory.lastPage, lastPage);
    return page && { number, page, ...(await source.inspect(page)) };
  }
}

export const pageQuery = (page: number, statuses: readonly string[]) => ({ page, limit: largestPageSize, statuses });
