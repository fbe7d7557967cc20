import { type BaselineState, type Beginning, newBaseline } from "../orders/baseline.ts";
import { listsOf } from "../orders/lists.ts";
import { observeSorting, pageQuery } from "../orders/scan.ts";
import type { ServerContext } from "../outbox/context.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Page, Store } from "../store-api/store-api.ts";

/** Lists with more pages than this are read in the background. */
const pagesReadAtOnce = 5;
const dayMs = 24 * 60 * 60_000;

/** An order's id, and the status that the order had when it was read. */
export type Seen = readonly [orderId: string, status: string];

/** The orders in a store's lists, as far as a few requests show them: some 500 per list. */
export interface WaitingOrders {
  readonly orders: readonly Seen[];
  /** Whether these are all orders of the lists. */
  readonly complete: boolean;
  /** The state from which the background reading continues. */
  readonly baseline: BaselineState;
}

/**
 * Returns from when on orders count as new, by the store's clock (epoch ms). It is the time when the store answered, or the
 * creation time of its newest order if that is earlier.
 * The second case is for stores that write local time without a zone: all their orders seem to be hours older than they are.
 */
function beginningOf({ items, servedAt }: Page<Order>, now: number): number {
  const answered = servedAt ?? now;
  const newest = items[0]?.createdAt;
  const isNewestFirst = observeSorting(undefined, items) === "newest_first";
  // If creation times are dates without a time, all orders of today would count as new.
  if (!isNewestFirst || newest === undefined || newest % dayMs === 0) return answered;
  return Math.min(answered, newest);
}

/**
 * Reads the lists of these statuses: all pages of a short list, and the first and last page of a long one. All orders on these
 * pages belong to the baseline, even with a later creation time. Writes nothing.
 */
export async function readWaiting(
  { pace, signal, now }: ServerContext,
  store: Store,
  statuses: readonly string[],
): Promise<WaitingOrders> {
  const orders = new Map<string, string>();
  const beginnings: Beginning[] = [];
  let isAll = true;
  let isRead = true;
  for (const list of listsOf(statuses)) {
    const read = async (page: number) => {
      await pace();
      const answer = await store.listOrders(pageQuery(page, list), signal);
      for (const order of answer.items) if (hasStatus(order, statuses)) orders.set(order.id, order.status);
      if (page === 1) beginnings.push({ statuses: list, since: beginningOf(answer, now()) });
      return answer.lastPage;
    };
    const lastPage = await read(1);
    const atOnce = lastPage <= pagesReadAtOnce;
    for (let page = 2; atOnce && page <= lastPage; page++) await read(page);
    if (!atOnce) await read(lastPage);
    isAll &&= atOnce;
    isRead &&= lastPage === 1;
  }
  const baseline = { ...newBaseline(beginnings), done: isRead, counted: orders.size };
  return { orders: [...orders], complete: isAll, baseline };
}
