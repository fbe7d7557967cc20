import { largestPageSize } from "../store-api/listing.ts";
import type { Order } from "../store-api/schemas.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { answerTimeout } from "./answer-timeout.ts";

/** A customer's orders, as the store lists them. */
export interface CustomerOrders {
  readonly orders: readonly Order[];
  /** Whether all orders of the customer were read. */
  readonly isAll: boolean;
  /** The number of orders that were searched. */
  readonly scanned: number;
  /**
   * True if the store also returned orders of other customers: it ignores the filter, or accepts a part of an address.
   * They were removed here.
   */
  readonly isFilteredHere: boolean;
  readonly skipped: number;
}

/**
 * Maximum number of pages if the API filters: 1,000 orders. The 10 requests are part of the 60 that a server's people
 * may send at once.
 */
const mostPages = 10;
/** Maximum number of pages if the API does not filter, the same as for a list. */
const mostPagesUnfiltered = 5;

/**
 * Reads the orders of the customer with exactly this e-mail address, ignoring case, from the store's first 10 pages for
 * it (5 if the store ignores the filter). The reading ends early, with `isAll` false, if a later page fails or the time
 * for the answer is over. Throws a `StoreError` if the first page cannot be read.
 *
 * @param onRead called after each page with the number of orders found so far
 */
async function read(
  store: Store,
  email: string,
  onRead: (found: number) => Promise<void>,
  signal: AbortSignal,
): Promise<CustomerOrders> {
  const wanted = email.toLowerCase();
  const found = new Map<string, Order>();
  let looked = 0;
  let skipped = 0;
  let isAll = true;
  let isFilteredHere = false;
  for (let page = 1, lastPage = 1; page <= lastPage; page++) {
    if (page > (isFilteredHere ? mostPagesUnfiltered : mostPages)) {
      isAll = false;
      break;
    }
    try {
      const answer = await store.listOrders({ email, page, limit: largestPageSize }, signal);
      const theirs = answer.items.filter(({ customer }) => customer.email.toLowerCase() === wanted);
      for (const order of theirs) found.set(order.id, order);
      isFilteredHere ||= theirs.length < answer.items.length;
      looked += answer.items.length;
      skipped += answer.skipped;
      lastPage = answer.lastPage;
      if (answer.cut !== undefined) isAll = false;
    } catch (error) {
      if (page === 1 || !(error instanceof StoreError)) throw error;
      isAll = false;
      break;
    }
    await onRead(found.size);
  }
  return { orders: [...found.values()], isAll, scanned: looked, isFilteredHere, skipped };
}

/**
 * As {@link read}. If the address has capitals, it is also searched in lower case, because a store may distinguish
 * them.
 */
export async function customerOrders(
  store: Store,
  email: string,
  onRead: (found: number) => Promise<void>,
): Promise<CustomerOrders> {
  const signal = answerTimeout();
  const asTyped = await read(store, email, onRead, signal);
  const lower = email.toLowerCase();
  if (lower === email || asTyped.orders.length > 0 || asTyped.isFilteredHere) return asTyped;
  return read(store, lower, onRead, signal);
}

/**
 * Returns the number of orders, the sum of their totals, and when the first and the last of them were placed (epoch
 * ms).
 */
export function sumsOf(orders: readonly Order[]) {
  const times = orders.flatMap(({ createdAt }) => createdAt ?? []);
  return {
    count: orders.length,
    // A double keeps 15 digits of any decimal. Further digits are rounding errors of the addition.
    total: orders.reduce((sum, { pricing }) => Number((sum + pricing.total).toPrecision(15)), 0),
    firstAt: times.length === 0 ? undefined : Math.min(...times),
    lastAt: times.length === 0 ? undefined : Math.max(...times),
  };
}
