import { listsOf, sortingOf } from "../orders/list-memory.ts";
import { pageQuery } from "../orders/read-list.ts";
import type { ServerContext } from "../outbox/context.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";
import { type BaselineState, type ListBaseline, newListBaseline } from "./baseline-rules.ts";

/** A list with at most this many pages is read whole before the command answers. */
const pagesReadAtOnce = 5;
const dayMs = 24 * 60 * 60_000;

/** Usually at most 500 orders per list. */
export interface ExistingOrders {
  readonly orders: readonly (readonly [orderId: string, status: string])[];
  /** Whether these are all orders of the lists. */
  readonly complete: boolean;
  readonly baseline: BaselineState;
  /** Orders that were created from this time on count as new (epoch ms by the store's clock). */
  readonly since: number;
}

/**
 * The creation time (epoch ms by the store's clock) from which the orders of a list count as new. If the list has its newest
 * orders first, this is the time of the newest order, because the store may write local times without a zone. If the list is
 * sorted in another way, or that time is in the future, this is the time of the store's answer.
 *
 * @param first the orders of page 1. A time that they all have is not used: orders on the next pages may have it, too
 * @param read the orders of all pages that were read. The orders of a single page may be sorted by chance
 */
function beginningOf(first: readonly Order[], read: readonly Order[], answered: number): number {
  const newest = first.find(({ createdAt }) => createdAt !== undefined)?.createdAt;
  const isNewestFirst = [first, read].every((orders) => sortingOf(orders) === "newest_first");
  // A time of exactly midnight may be a date without a time of day. If it were used, all orders of that day would count as new.
  if (!isNewestFirst || newest === undefined || newest % dayMs === 0) return answered;
  return Math.min(answered, newest);
}

/**
 * Reads all pages of a short list, and the first and last page of a long one. All orders on these pages belong to the baseline,
 * even those that were created after `since`. Writes nothing. Throws `StoreError`.
 */
export async function readExistingOrders(
  { throttle, signal, now }: ServerContext,
  store: Store,
  statuses: readonly string[],
): Promise<ExistingOrders> {
  const orders = new Map<string, string>();
  const lists: ListBaseline[] = [];
  let complete = true;
  for (const list of listsOf(statuses)) {
    const before = orders.size;
    const all: Order[] = [];
    const read = async (page: number) => {
      await throttle();
      const answer = await store.listOrders(pageQuery(page, list), signal);
      all.push(...answer.items);
      for (const order of answer.items) if (hasStatus(order, statuses)) orders.set(order.id, order.status);
      return answer;
    };
    const { items: first, lastPage, servedAt = now() } = await read(1);
    const isShort = lastPage <= pagesReadAtOnce;
    for (let page = isShort ? 2 : lastPage; page <= lastPage; page++) await read(page);
    complete &&= isShort;
    const begun = newListBaseline(list, beginningOf(first, all, servedAt));
    lists.push({ ...begun, done: lastPage === 1, counted: orders.size - before });
  }
  return { orders: [...orders], complete, baseline: { lists }, since: Math.min(...lists.map(({ since }) => since)) };
}
