import { firstRows, largestPageSize } from "../store-api/list-pages.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";
import { answerTimeout } from "./answer-timeout.ts";

/** At most this many pages are read. Each request asks for 100 orders. */
const mostPages = 10;

/**
 * `isAll` is false if a part of the list was not read, for example because a later page failed or the time was over.
 * `isFilteredHere`: the store also returned orders of other customers. Throws a `StoreError` if page 1 cannot be read.
 */
async function read(store: Store, email: string, signal: AbortSignal) {
  const wanted = email.toLowerCase();
  const list = (page: number) => store.listOrders({ email, page, limit: largestPageSize }, signal);
  const { items, skipped, isAll } = await firstRows(list, mostPages);
  const theirs = items.filter(({ customer }) => customer.email.toLowerCase() === wanted);
  const orders = [...new Map(theirs.map((order) => [order.id, order])).values()];
  return { orders, isAll, scanned: items.length, isFilteredHere: theirs.length < items.length, skipped };
}

/** As {@link read}. If an address with capitals has no orders, also tries lower case, because a store may distinguish case. */
export async function customerOrders(store: Store, email: string) {
  const signal = answerTimeout();
  const asTyped = await read(store, email, signal);
  const lower = email.toLowerCase();
  if (lower === email || asTyped.orders.length > 0 || asTyped.isFilteredHere) return asTyped;
  return read(store, lower, signal);
}

/** Times are epoch ms. */
export function sumsOf(orders: readonly Order[]) {
  const times = orders.flatMap(({ createdAt }) => createdAt ?? []);
  return {
    count: orders.length,
    // A double has 15 exact decimal digits. Further digits are rounding errors of the addition.
    total: orders.reduce((sum, { pricing }) => Number((sum + pricing.total).toPrecision(15)), 0),
    firstAt: times.length === 0 ? undefined : Math.min(...times),
    lastAt: times.length === 0 ? undefined : Math.max(...times),
  };
}
