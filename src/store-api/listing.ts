import type { OrderFilter } from "./order-filter.ts";
import type { Order } from "./schemas.ts";

/** The most rows of a page that the API gives (store-open-api 8). */
export const largestPageSize = 100;

/** How much is kept of the rows of a list. */
interface Kept {
  /**
   * Texts and lists as a file has them, whole, in place of as much as is ever shown. A page's texts then take up to twice the
   * bytes of its answer, 8 MiB: only for a caller that drops each page before the next.
   */
  readonly isWhole?: true;
}

/** Which orders to list (store-open-api 4.3). */
export interface OrderQuery extends Kept, OrderFilter {
  /** From 1. */
  readonly page?: number;
  /** Orders per page, at most {@link largestPageSize}. */
  readonly limit?: number;
}

/** Which products to list (store-open-api 4.2). */
export interface ProductQuery extends Kept {
  /** From 1. */
  readonly page?: number;
  /** Products per page, at most {@link largestPageSize}; the API takes 10 without it. */
  readonly limit?: number;
  /** A uuid. */
  readonly categoryId?: string;
  readonly title?: string;
}

/** One page of a list. */
export interface Page<T> {
  readonly items: T[];
  /** The number of the last page, at least 1. */
  readonly lastPage: number;
  /** Rows left out because they were malformed. */
  readonly skipped: number;
  /** When the server answered, by its own clock: epoch milliseconds. */
  readonly servedAt?: number;
  /** The API does not have this page (any more): a 404 to a page beyond the first; `lastPage` is then the page before it. */
  readonly isGone?: true;
  /** The API names no last page, and this one is full: there may be another, and `lastPage` is that. */
  readonly isOpen?: true;
  /** Rows left out because the answer had more than anybody may send (1,000): the middle ones. */
  readonly cut?: number;
}

/** A page of the order list, and what its bytes are recognised by; empty, which nothing is, for a page that is gone. */
export interface OrderPage extends Page<Order> {
  readonly fingerprint: string;
}

/** Rows that an answer held, those that were left out among them. */
export const rowsOf = ({ items, skipped, cut = 0 }: Page<unknown>): number => items.length + skipped + cut;
