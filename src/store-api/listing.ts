import type { OrderFilter } from "./order-filter.ts";
import type { Order } from "./schemas.ts";

/** The largest page that the API returns, in rows (store-open-api 8). */
export const largestPageSize = 100;

/** How much of each row of a list is kept. */
interface Kept {
  /**
   * Keeps texts and lists whole, as a file needs them. Without it, only what a message can show is kept. The texts of a
   * page then take up to twice the bytes of its answer, 8 MiB, so the caller must drop each page before it reads the
   * next.
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
  /** Number of rows left out because they were malformed. */
  readonly skipped: number;
  /** When the server answered, by its own clock; epoch milliseconds. */
  readonly servedAt?: number;
  /**
   * The API does not have this page, or has it no longer: it answered 404 to a page beyond the first. `lastPage` is
   * then the page before it.
   */
  readonly isGone?: true;
  /**
   * The API names no last page, and this page is full. There may be one more page, so `lastPage` is this page's number
   * plus one.
   */
  readonly isOpen?: true;
  /** Number of rows left out of the middle, because the answer had more rows than allowed (1,000). */
  readonly cut?: number;
}

/**
 * One page of the order list, with the digest of its bytes. If the page is gone, the digest is empty, which matches no
 * body.
 */
export interface OrderPage extends Page<Order> {
  readonly fingerprint: string;
}

/** The number of rows in an answer, including those left out. */
export const rowsOf = ({ items, skipped, cut = 0 }: Page<unknown>): number => items.length + skipped + cut;
