import type { OrderFilter } from "./order-filter.ts";
import type { Order } from "./schemas.ts";
import { StoreError } from "./store-error.ts";

/** The most rows that the API returns on one page (store-open-api 8). */
export const largestPageSize = 100;

interface PageQuery {
  /** From 1. */
  readonly page?: number;
  /** Rows of a page, from 1 to {@link largestPageSize}. By default, the API returns 10 products. */
  readonly limit?: number;
  /**
   * True: texts are whole, for a file. Undefined: texts are cut to what a message can show. A page of whole texts takes up to 8
   * MiB of memory, so the caller must drop a page before reading the next one.
   */
  readonly isWhole?: true;
}

/** store-open-api 4.3 */
export interface OrderQuery extends PageQuery, OrderFilter {}

/** store-open-api 4.2 */
export interface ProductQuery extends PageQuery {
  readonly categoryId?: string;
  readonly title?: string;
}

export interface Page<T> {
  readonly items: T[];
  readonly lastPage: number;
  /**
   * Undefined if the API names a last page. True: this page is full, so `lastPage` is the page after it, and there may be more
   * pages. False: this page is not full, so it is the last one.
   */
  readonly mayHaveMore?: boolean | undefined;
  /** How many malformed rows were left out. */
  readonly skipped: number;
  /** When the store answered, by its clock; epoch ms. */
  readonly servedAt?: number;
  /** The API answered 404 for this page, which is not page 1. Then `lastPage` is the page before this one. */
  readonly isGone?: true;
}

export interface OrderPage extends Page<Order> {
  /** A hash of the body; "" for a page that is gone. */
  readonly fingerprint: string;
}

/** Also counts the rows that were left out of `items`. */
export const rowsOf = ({ items, skipped }: Page<unknown>): number => items.length + skipped;

/** Whether a later page has the rows of page 1. If so, the API ignores the page number. */
export const isRepeated = <T extends { readonly id: string }>({ items }: Page<T>, first: Page<T>): boolean =>
  items.length > 0 && items.length === first.items.length && items.every(({ id }, at) => id === first.items[at]?.id);

/** Ends before `lastPage` if the API ignores the page number. */
export async function* firstPages<T extends { readonly id: string }>(
  read: (page: number) => Promise<Page<T>>,
  most: number,
): AsyncGenerator<Page<T>> {
  let first: Page<T> | undefined;
  for (let page = 1, lastPage = 1; page <= Math.min(lastPage, most); page += 1) {
    const answer = await read(page);
    if (first && isRepeated(answer, first)) return;
    first ??= answer;
    yield answer;
    lastPage = answer.lastPage;
  }
}

/**
 * Reads the first pages of a list. `isAll` is false if a part of the list was not read, for example because a later page
 * failed. Throws a `StoreError` if page 1 cannot be read.
 */
export async function firstRows<T extends { readonly id: string }>(
  read: (page: number) => Promise<Page<T>>,
  most: number,
) {
  const items: T[] = [];
  let [pages, skipped, isAll] = [0, 0, false];
  try {
    for await (const answer of firstPages(read, most)) {
      items.push(...answer.items);
      pages += 1;
      skipped += answer.skipped;
      isAll = pages >= answer.lastPage;
    }
  } catch (error) {
    if (pages === 0 || !(error instanceof StoreError)) throw error;
  }
  return { items, skipped, isAll };
}
