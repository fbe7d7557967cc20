import { type BaselineState, type Beginning, newBaseline } from "../orders/baseline.ts";
import { listsOf } from "../orders/lists.ts";
import { observeSorting, pageQuery } from "../orders/scan.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Page, Store } from "../store-api/store-api.ts";
import type { StoreReader } from "./store-reader.ts";

/** The baseline of a list with more pages than this is read in the background. */
const pagesReadAtOnce = 5;
const dayMs = 24 * 60 * 60_000;

/** An order, and a status in which it was seen. */
export type Seen = readonly [orderId: string, status: string];

/** What waits in a store, as far as a few requests show it: some 500 orders of a list. */
export interface WaitingOrders {
  /** Each with its status. */
  readonly orders: readonly Seen[];
  /** Whether these are all. */
  readonly complete: boolean;
  /** The reading that goes on from there. */
  readonly baseline: BaselineState;
}

/**
 * From when on orders are new, by what the store calls its time (epoch ms): when it answered, or, where its orders say so,
 * earlier. Some stores write local time without a zone, and all of their orders look hours older than they are.
 */
function beginningOf({ items, servedAt }: Page<Order>, now: number): number {
  const answered = servedAt ?? now;
  const newest = items[0]?.createdAt;
  const isNewestFirst = observeSorting(undefined, items) === "newest_first";
  // A date without a time would make everything of today new.
  if (!isNewestFirst || newest === undefined || newest % dayMs === 0) return answered;
  return Math.min(answered, newest);
}

/**
 * Reads what is in the lists of these statuses: all of it where that takes a few requests, else the first and the last
 * page. What these answers show was there before, whatever its creation time says. Writes nothing.
 */
export async function readWaiting(
  reader: StoreReader,
  store: Store,
  statuses: readonly string[],
): Promise<WaitingOrders> {
  const { signal, now } = reader.deps;
  const orders = new Map<string, string>();
  const beginnings: Beginning[] = [];
  let isAll = true;
  let isRead = true;
  for (const list of listsOf(statuses)) {
    const read = async (page: number) => {
      await reader.pace();
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
