import { largestPageSize } from "../store-api/listing.ts";
import type { Order } from "../store-api/schemas.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { answerTimeout } from "./answer-timeout.ts";

/** A customer's orders, as the store lists them. */
export interface CustomerOrders {
  readonly orders: readonly Order[];
  /** Nothing was left unread. */
  readonly isAll: boolean;
  /** Orders of the store that were looked through. */
  readonly scanned: number;
  /** Orders of others were among them, so the store's filter is none, or takes a part of an address for the whole. */
  readonly isFilteredHere: boolean;
  readonly skipped: number;
}

/** 1,000 orders where the API filters: requests of one press, of the 60 that a server's people may have at once. */
const mostPages = 10;
/** As many as a list looks through where the API does not. */
const mostPagesUnfiltered = 5;

/**
 * Every order whose customer has exactly this e-mail address, capitals aside, of the first 10 pages that the store gives for it
 * (5 where it ignores the filter). What fails after the first page, or takes longer than a person waits, ends the reading:
 * then these are not all. Throws a `StoreError` where the first page cannot be read.
 *
 * @param onRead hears after each page how many were found so far
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

/** As {@link read}; an address with capitals is looked for in small letters, too, for a store may tell them apart. */
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

/** What orders come to: their number, the sum of their totals, and when the first and the last of them were placed. */
export function sumsOf(orders: readonly Order[]) {
  const times = orders.flatMap(({ createdAt }) => createdAt ?? []);
  return {
    count: orders.length,
    // 15 digits are what a double keeps of any decimal: what the addition makes beyond them is dust.
    total: orders.reduce((sum, { pricing }) => Number((sum + pricing.total).toPrecision(15)), 0),
    firstAt: times.length === 0 ? undefined : Math.min(...times),
    lastAt: times.length === 0 ? undefined : Math.max(...times),
  };
}
