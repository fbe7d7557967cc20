import { z } from "zod";
import type { Locale } from "../basics/locale.ts";
import { texts } from "../locales/texts.ts";
import { largestPageSize } from "../store-api/listing.ts";
import { fitsFilter, type OrderFilter, orderFilterSchema } from "../store-api/order-filter.ts";
import type { Order } from "../store-api/schemas.ts";
import { ignoredFilters, type Page, type Store } from "../store-api/store-api.ts";
import { pageSize } from "../views/parts/list-page.ts";
import { answerTimeout } from "./answer-timeout.ts";

export const listQuerySchema = orderFilterSchema.extend({
  title: z.string().optional(),
  categoryId: z.string().optional(),
  handling: z.enum(["mine", "free", "someones"]).optional().catch(undefined),
});

/** The filters of a list through which a person turns pages. */
export type ListQuery = Readonly<z.infer<typeof listQuerySchema>>;

/** One page of a list as a person sees it, with notes about it. */
export interface ShownPage<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly lastPage: number;
  readonly notes: readonly string[];
}

/** Maximum number of pages (of the largest size) that are read if the API ignores a filter, or for several statuses. */
const mostApiPages = 5;

const skippedNotes = (skipped: number, locale: Locale) =>
  skipped > 0 ? [texts(locale).settings.rowsLeftOut(skipped.toLocaleString(locale))] : [];

/** Reads one page. If the API has fewer pages, the page is empty, and `lastPage` is the API's last one. */
export async function readPage<T>(read: (page: number) => Promise<Page<T>>, page: number): Promise<Page<T>> {
  const answer = await read(page);
  if (!answer.isGone) return answer;
  const { lastPage } = await read(1);
  return { ...answer, lastPage };
}

/** Makes a shown page from a page of the API. */
export function shownPage<T>(answer: Page<T>, page: number, locale: Locale): ShownPage<T> {
  return { items: answer.items, page, lastPage: answer.lastPage, notes: skippedNotes(answer.skipped, locale) };
}

interface Search {
  readonly store: Store;
  readonly filter: OrderFilter;
  /** From 1. */
  readonly page: number;
  readonly locale: Locale;
  readonly signal: AbortSignal;
}

/**
 * Makes a shown page by filtering the first pages of the API's lists in this process.
 *
 * @param asked the filters sent to the API, each of which returns one list
 */
async function filteredHere(
  { store, filter, page, locale, signal }: Search,
  asked: readonly OrderFilter[],
  isIgnored: boolean,
): Promise<ShownPage<Order>> {
  const fits = fitsFilter(filter);
  const found = new Map<string, Order>();
  const pagesOfEach = Math.max(Math.floor(mostApiPages / asked.length), 1);
  let skipped = 0;
  let scanned = 0;
  let isPartial = false;
  for (const list of asked) {
    for (let number = 1, lastPage = 1; number <= Math.min(lastPage, pagesOfEach); number++) {
      const answer = await store.listOrders({ ...list, page: number, limit: largestPageSize }, signal);
      for (const order of answer.items.filter(fits)) found.set(order.id, order);
      skipped += answer.skipped;
      scanned += answer.items.length;
      lastPage = answer.lastPage;
      isPartial ||= answer.cut !== undefined || lastPage > pagesOfEach;
    }
  }
  const say = texts(locale).settings;
  const orders = [...found.values()];
  // The lists are merged by time, because each is sorted separately. Orders without a time come last.
  if (asked.length > 1) orders.sort((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0));
  return {
    items: orders.slice((page - 1) * pageSize, page * pageSize),
    page,
    lastPage: Math.max(Math.ceil(orders.length / pageSize), 1),
    notes: [
      ...(isIgnored ? [say.ignoredFilters] : []),
      ...(isPartial ? [say.onlyFirst(scanned.toLocaleString(locale))] : []),
      ...skippedNotes(skipped, locale),
    ],
  };
}

/**
 * Makes a shown page from an API whose pages have another size. It reads the one or two pages that the shown page
 * overlaps.
 */
async function resized({ store, filter, page, locale, signal }: Search): Promise<ShownPage<Order>> {
  const read = (number: number) => store.listOrders({ ...filter, page: number, limit: pageSize }, signal);
  const first = await read(1);
  const size = Math.max(first.items.length + first.skipped, 1);
  const start = (page - 1) * pageSize;
  const end = start + pageSize;
  const numbers = new Set([Math.floor(start / size) + 1, Math.floor((end - 1) / size) + 1]);
  const items: Order[] = [];
  for (const number of [...numbers].filter((wanted) => wanted <= first.lastPage)) {
    const answer = number === 1 ? first : await read(number);
    const offset = (number - 1) * size;
    items.push(...answer.items.filter((_, index) => offset + index >= start && offset + index < end));
  }
  const last = first.lastPage === 1 ? first : await read(first.lastPage);
  const total = (first.lastPage - 1) * size + last.items.length + last.skipped;
  return {
    items,
    page,
    lastPage: Math.max(Math.ceil(total / pageSize), 1),
    notes: [
      ...(first.cut === undefined ? [] : [texts(locale).settings.onlyFirst(first.items.length.toLocaleString(locale))]),
      ...skippedNotes(first.skipped, locale),
    ],
  };
}

/**
 * Names for each filter who applies it: a feature of the API, which an API may ignore, or "bot" for a filter that the
 * API does not have. A new filter does not compile without its entry.
 */
type AppliedBy = Readonly<Record<keyof OrderFilter, "status" | "email" | "bot">>;

const appliedBy: AppliedBy = { statuses: "status", email: "email" };

/** Separates the filters that are set: the API's features behind them, and the filters that are not sent to it. */
function split(filter: OrderFilter, by: AppliedBy) {
  const set = orderFilterSchema.keyof().options.filter((name) => filter[name]?.length);
  const needed = set.flatMap((name) => (by[name] === "bot" ? [] : [by[name]]));
  return { needed, unsent: set.filter((name) => by[name] === "bot") };
}

/**
 * Finds out whether the filters make the list shorter, if nothing is known about them yet. An API that ignores them
 * returns a list of the same length.
 */
async function shortens(
  { store, signal }: Search,
  needed: readonly ("status" | "email")[],
  lastPage: number,
): Promise<boolean> {
  const { capabilities } = store;
  if (needed.length === 0 || lastPage === 1 || needed.every((feature) => capabilities.of(feature) !== undefined))
    return true;
  const whole = await store.listOrders({ limit: pageSize }, signal);
  if (whole.lastPage === lastPage) return false;
  if (needed.length === 1) for (const feature of needed) capabilities.note(feature, true);
  return true;
}

/**
 * Searches orders, and returns a page of ten. If the API ignores a filter or the page size, the page is made here from
 * the API's first pages, and the notes tell the person. For several statuses there is one query each, because an API
 * may accept only one status at a time.
 */
export async function searchOrders(
  store: Store,
  filter: OrderFilter,
  page: number,
  locale: Locale,
  by: AppliedBy = appliedBy,
): Promise<ShownPage<Order>> {
  const search: Search = { store, filter, page, locale, signal: answerTimeout() };
  const { needed, unsent } = split(filter, by);
  const sent: OrderFilter = { ...filter, ...Object.fromEntries(unsent.map((name) => [name, undefined])) };
  const { statuses = [] } = sent;
  const isKnownIgnored = (feature: "status" | "email" | "limit") => store.capabilities.of(feature) === false;
  if (statuses.length > 1 && !isKnownIgnored("status")) {
    const lists = statuses.map((status) => ({ ...sent, statuses: [status] }));
    return filteredHere(search, lists, false);
  }
  if (unsent.length > 0) return filteredHere(search, [sent], needed.some(isKnownIgnored));
  const query = (number: number) => ({ ...filter, page: number, limit: pageSize });
  const answer = await readPage((number) => store.listOrders(query(number), search.signal), page);
  const shown = ignoredFilters(query(page), answer);
  const isIgnored = (feature: "status" | "email" | "limit") => shown.includes(feature) || isKnownIgnored(feature);
  const isFilteredHere = needed.some(isIgnored) || !(await shortens(search, needed, answer.lastPage));
  if (isFilteredHere) return filteredHere(search, [filter], true);
  return isIgnored("limit") ? resized(search) : shownPage(answer, page, locale);
}
