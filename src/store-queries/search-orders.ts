import { z } from "zod";
import type { Locale } from "../basics/locale.ts";
import type { Feature } from "../store-api/capabilities.ts";
import { firstRows, isRepeated, largestPageSize, rowsOf } from "../store-api/list-pages.ts";
import {
  filtersIgnored,
  filtersIn,
  fitsFilter,
  type OrderFilter,
  orderFilterSchema,
} from "../store-api/order-filter.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Page, Store } from "../store-api/store-api.ts";
import { listNotes, pageFrom, pageSize, type ShownPage } from "../views/parts/list-page.ts";
import { answerTimeout } from "./answer-timeout.ts";

export const listQuerySchema = orderFilterSchema.extend({
  title: z.string().optional(),
  categoryId: z.string().optional(),
  handling: z.enum(["mine", "free", "someones"]).optional().catch(undefined),
});

export type ListQuery = Readonly<z.infer<typeof listQuerySchema>>;

/** If this process filters, it reads at most this many pages of 100 orders, but at least one page for each query. */
const mostApiPages = 5;

interface Row {
  readonly id: string;
}

type ReadPage<T> = (page: number) => Promise<Page<T>>;

/** Requests each page once. */
export function oncePerPage<T>(read: ReadPage<T>): ReadPage<T> {
  const pages = new Map<number, Promise<Page<T>>>();
  return (page) => {
    const reading = pages.get(page) ?? read(page);
    pages.set(page, reading);
    return reading;
  };
}

/**
 * If the list has no such page, returns an empty page with the list's `lastPage`. Reads page 1 at the same time, because
 * {@link shownPage} needs page 1, and a store may be slow.
 *
 * @param read from {@link oncePerPage}
 */
async function readPage<T>(read: ReadPage<T>, page: number): Promise<Page<T>> {
  const [{ lastPage }, answer] = await Promise.all([read(1), read(page)]);
  return answer.isGone ? { ...answer, lastPage } : answer;
}

interface Search {
  readonly store: Store;
  readonly filter: OrderFilter;
  /** From 1. */
  readonly page: number;
  readonly locale: Locale;
  readonly signal: AbortSignal;
}

/** Reads the first pages of one list for each query in `asked`, and filters them in this process. */
async function filteredHere(
  { store, filter, page, locale, signal }: Search,
  asked: readonly OrderFilter[],
): Promise<ShownPage<Order>> {
  const pagesOfEach = Math.max(Math.floor(mostApiPages / asked.length), 1);
  const scanned: Order[] = [];
  let [skipped, isPartial, isIgnored] = [0, false, false];
  try {
    for (const list of asked) {
      const read = (number: number) => store.listOrders({ ...list, page: number, limit: largestPageSize }, signal);
      const first = await firstRows(read, pagesOfEach);
      scanned.push(...first.items);
      skipped += first.skipped;
      isPartial ||= !first.isAll;
      isIgnored ||= filtersIgnored(list, first.items).length > 0;
    }
  } catch (error) {
    // If the time is over, the person sees what was read until then.
    if (!signal.aborted || scanned.length === 0) throw error;
    isPartial = true;
  }
  const fitting = scanned.filter(fitsFilter(filter));
  const orders = [...new Map(fitting.map((order) => [order.id, order])).values()];
  // The lists are merged by time, because each is sorted separately. Orders without a time come last.
  if (asked.length > 1) orders.sort((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0));
  return {
    ...pageFrom(orders, page),
    notes: listNotes({ isIgnored, onlyFirst: isPartial ? scanned.length : undefined, skipped }, locale),
  };
}

/** For an API that ignores the page number: the bot knows only the rows of page 1, and a note says so. */
const onlyFirst = <T>(first: Page<T>, page: number, locale: Locale): ShownPage<T> => ({
  ...pageFrom(first.items, page),
  notes: listNotes({ onlyFirst: first.lastPage > 1 ? rowsOf(first) : undefined, skipped: first.skipped }, locale),
});

/** For an API that ignores the page size, and sends longer pages. Shorter pages are shown as they are. */
async function resized<T extends Row>(read: ReadPage<T>, page: number, locale: Locale): Promise<ShownPage<T>> {
  const first = await read(1);
  const { lastPage, skipped } = first;
  const size = Math.max(rowsOf(first), 1);
  const start = (page - 1) * pageSize;
  const end = start + pageSize;
  const from = Math.floor(start / size) + 1;
  const count = Math.max(Math.min(Math.ceil(end / size), lastPage) + 1 - from, 0);
  const [last, answers] = await Promise.all([
    read(lastPage),
    Promise.all(Array.from({ length: count }, (_, index) => read(from + index))),
  ]);
  if (lastPage > 1 && isRepeated(last, first)) return onlyFirst(first, page, locale);
  const items = answers.flatMap((answer, index) => {
    const offset = (from + index - 1) * size;
    return answer.items.slice(Math.max(start - offset, 0), end - offset);
  });
  const total = (lastPage - 1) * size + rowsOf(last);
  return { items, page, lastPage: Math.max(Math.ceil(total / pageSize), 1), notes: listNotes({ skipped }, locale) };
}

/**
 * Also reads page 1, which shows whether the API ignores the page size or the page number. The last page would not show this.
 *
 * @param read from {@link oncePerPage}
 */
export async function shownPage<T extends Row>(read: ReadPage<T>, page: number, locale: Locale): Promise<ShownPage<T>> {
  const answer = await readPage(read, page);
  const first = await read(1);
  if (rowsOf(first) > pageSize) return resized(read, page, locale);
  if (page > 1 && isRepeated(answer, first)) return onlyFirst(first, page, locale);
  return { items: answer.items, page, lastPage: answer.lastPage, notes: listNotes(answer, locale) };
}

/**
 * Finds out which filters the API applies. For each filter that is not proved yet, reads the list without this filter. If the
 * list without the filter is longer, the API applies the filter. The list without the filter is read first, because a new order
 * between the two reads would make the second list longer. `limit` is the page size of both lists.
 */
export async function provingFilters(
  { store, filter, signal }: Pick<Search, "store" | "filter" | "signal">,
  limit: number,
  read: () => Promise<Page<Order>>,
): Promise<Page<Order>> {
  const { capabilities } = store;
  const isUnproved = (name: keyof OrderFilter) => capabilities.of(name) === undefined;
  const without = new Map<keyof OrderFilter, Page<Order>>();
  for (const name of filtersIn(filter).filter(isUnproved)) {
    without.set(name, await store.listOrders({ ...filter, [name]: undefined, limit }, signal));
  }
  const answer = await read();
  for (const [name, { lastPage }] of without) {
    if (isUnproved(name) && answer.lastPage < lastPage) capabilities.note(name, true);
  }
  return answer;
}

/**
 * Returns a page of ten. If an e-mail address with capitals has no orders, also searches for it in lower case. Phones often
 * write the first letter in capitals, and a store may distinguish case.
 */
export async function searchOrders(
  store: Store,
  filter: OrderFilter,
  page: number,
  locale: Locale,
): Promise<ShownPage<Order>> {
  const search: Search = { store, filter, page, locale, signal: answerTimeout() };
  const found = await searchAsTyped(search);
  const email = filter.email?.toLowerCase();
  // If the API ignores the e-mail filter, the bot itself has filtered the orders, without regard to case.
  if (email === filter.email || found.items.length > 0 || store.capabilities.of("email") === false) return found;
  return searchAsTyped({ ...search, filter: { ...filter, email } });
}

/**
 * If the API ignores a filter, the bot filters the first pages of the list itself. The bot also filters a list of several pages
 * while it does not know whether the API applies all filters. If the filter has several statuses, each status has a separate
 * query, because an API may accept only one status at a time.
 */
async function searchAsTyped(search: Search): Promise<ShownPage<Order>> {
  const { store, filter, page, locale, signal } = search;
  const { statuses = [] } = filter;
  const filters = filtersIn(filter);
  const known = (feature: Feature) => store.capabilities.of(feature);
  if (statuses.length > 1 && known("statuses") !== false) {
    const lists = statuses.map((status) => ({ ...filter, statuses: [status] }));
    const merged = await filteredHere(search, lists);
    // If the API ignores statuses, each of these lists was the whole list, so the result is not used.
    if (known("statuses") !== false) return merged;
  }
  if (filters.some((name) => known(name) === false)) return filteredHere(search, [filter]);
  const read = oncePerPage((number) => store.listOrders({ ...filter, page: number, limit: pageSize }, signal));
  const answer = await provingFilters(search, pageSize, () => readPage(read, page));
  const isUnproved = answer.lastPage > 1 && filters.some((name) => known(name) !== true);
  if (isUnproved || filtersIgnored(filter, answer.items).length > 0) return filteredHere(search, [filter]);
  return shownPage(read, page, locale);
}
