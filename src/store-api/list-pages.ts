import type { OrderFilter } from "./order-filter.ts";
import type { Order } from "./schemas.ts";

/** The largest page that the API returns, in rows (store-open-api 8). */
export const largestPageSize = 100;

interface PageQuery {
  /** Number of the page, from 1. */
  readonly page?: number;
  /** Number of rows of a page, from 1 to {@link largestPageSize}. By default, the API returns 10 products. */
  readonly limit?: number;
  /**
   * True for whole texts, which a file needs. Otherwise texts are cut to what a message can show. A page of whole texts takes
   * up to 8 MiB of memory, so the caller must drop a page before reading the next one.
   */
  readonly isWhole?: true;
}

/** Which orders to list (store-open-api 4.3). */
export interface OrderQuery extends PageQuery, OrderFilter {}

/** Which products to list (store-open-api 4.2). */
export interface ProductQuery extends PageQuery {
  readonly categoryId?: string;
  readonly title?: string;
}

export interface Page<T> {
  readonly items: T[];
  /** The number of the last page, at least 1. */
  readonly lastPage: number;
  /** Number of rows left out because they were malformed. */
  readonly skipped: number;
  /** When the server answered, by its clock; epoch ms. */
  readonly servedAt?: number;
  /** The API answered 404 for this page, which is not the first one. Then `lastPage` is the page before this one. */
  readonly isGone?: true;
  /** Number of rows left out of the middle, because the answer had more rows than allowed (1,000). */
  readonly cut?: number;
}

export interface OrderPage extends Page<Order> {
  /** A hash of the body; "" for a page that is gone. */
  readonly fingerprint: string;
}

/** Returns the number of rows in an answer, including those left out of `items`. */
export const rowsOf = ({ items, skipped, cut = 0 }: Page<unknown>): number => items.length + skipped + cut;

/** Reads a list from its first page on, at most `most` pages. */
export async function* firstPages<T>(read: (page: number) => Promise<Page<T>>, most: number): AsyncGenerator<Page<T>> {
  for (let page = 1, lastPage = 1; page <= Math.min(lastPage, most); page += 1) {
    const answer = await read(page);
    yield answer;
    lastPage = answer.lastPage;
  }
}
