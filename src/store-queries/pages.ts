import { z } from "zod";
import type { Locale } from "../basics/locale.ts";
import { texts } from "../locales/texts.ts";
import { largestPageSize } from "../store-api/listing.ts";
import { withStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { takesSeveral } from "../store-api/several-statuses.ts";
import { ignoredFilters, type OrderQuery, type Page, type Store } from "../store-api/store-api.ts";
import { pageSize } from "../views/parts/list-page.ts";
import { answerTimeout } from "./answer-timeout.ts";

export const listQuerySchema = z.object({
  statuses: z.array(z.string()).readonly().optional(),
  email: z.string().optional(),
  title: z.string().optional(),
  categoryId: z.string().optional(),
  handling: z.enum(["mine", "free", "someones"]).optional().catch(undefined),
});

/** What somebody is paging through: filters of a list. */
export type ListQuery = Readonly<z.infer<typeof listQuerySchema>>;

/** What a person sees of a list at once, and what has to be said about it. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly lastPage: number;
  readonly notes: readonly string[];
}

/** Orders looked through for a filter that the API ignores: 5 pages of the most that it gives. */
const mostApiPages = 5;

function matching({ statuses, email }: OrderQuery): (order: Order) => boolean {
  const isWanted = statuses && withStatus(statuses);
  const address = email?.toLowerCase();
  return (order) =>
    (isWanted === undefined || isWanted(order)) &&
    (address === undefined || order.customer.email.toLowerCase() === address);
}

const skippedNotes = (skipped: number, locale: Locale) =>
  skipped > 0 ? [texts(locale).settings.rowsLeftOut(skipped.toLocaleString(locale))] : [];

/** One page of ours, read from the API; a page that the API does not have is an empty one beyond the last. */
export async function readPage<T>(read: (page: number) => Promise<Page<T>>, page: number): Promise<Page<T>> {
  const answer = await read(page);
  if (!answer.isGone) return answer;
  const { lastPage } = await read(1);
  return { ...answer, lastPage };
}

/** A page of the API's list as a page of ours. */
export function listed<T>(answer: Page<T>, page: number, locale: Locale): Listed<T> {
  return { items: answer.items, page, lastPage: answer.lastPage, notes: skippedNotes(answer.skipped, locale) };
}

/** What one list takes to be made. */
interface Listing {
  readonly store: Store;
  readonly query: OrderQuery;
  /** Of ours. */
  readonly page: number;
  readonly locale: Locale;
  readonly signal: AbortSignal;
}

/** @param asked the part of the query that the API is asked with */
async function filteredHere(
  { store, query, page, locale, signal }: Listing,
  asked: OrderQuery,
): Promise<Listed<Order>> {
  const matches = matching(query);
  const found = new Map<string, Order>();
  let skipped = 0;
  let lastPage = 1;
  let looked = 0;
  let isCut = false;
  for (let number = 1; number <= Math.min(lastPage, mostApiPages); number++) {
    const answer = await store.listOrders({ ...asked, page: number, limit: largestPageSize }, signal);
    for (const order of answer.items.filter(matches)) found.set(order.id, order);
    skipped += answer.skipped;
    looked += answer.items.length;
    isCut ||= answer.cut !== undefined;
    lastPage = answer.lastPage;
  }
  const say = texts(locale).settings;
  const orders = [...found.values()];
  const isPartial = lastPage > mostApiPages || isCut;
  return {
    items: orders.slice((page - 1) * pageSize, page * pageSize),
    page,
    lastPage: Math.max(Math.ceil(orders.length / pageSize), 1),
    notes: [
      say.ignoredFilters,
      ...(isPartial ? [say.onlyFirst(looked.toLocaleString(locale))] : []),
      ...skippedNotes(skipped, locale),
    ],
  };
}

/** A page of ours out of an API whose pages have another size: the one or two of its pages that ours lies in. */
async function resized({ store, query, page, locale, signal }: Listing): Promise<Listed<Order>> {
  const read = (number: number) => store.listOrders({ ...query, page: number, limit: pageSize }, signal);
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

type Filter = "status" | "email";

/** Whether a filter of which nothing is known yet makes the list shorter; an API that ignores it gives the same list. */
async function shortens({ store, signal }: Listing, filters: readonly Filter[], lastPage: number): Promise<boolean> {
  const { capabilities } = store;
  if (lastPage === 1 || filters.every((filter) => capabilities.of(filter) !== undefined)) return true;
  const whole = await store.listOrders({ limit: pageSize }, signal);
  if (whole.lastPage === lastPage) return false;
  if (filters.length === 1) for (const filter of filters) capabilities.note(filter, true);
  return true;
}

/**
 * A page of ten orders. Where the API ignores a filter or the page size, or takes one status only, the list is made here
 * out of its first pages, and the notes say so.
 */
export async function searchOrders(
  store: Store,
  query: OrderQuery,
  page: number,
  locale: Locale,
): Promise<Listed<Order>> {
  const listing: Listing = { store, query, page, locale, signal: answerTimeout() };
  const { signal } = listing;
  const { statuses, ...rest } = query;
  const isSplit = statuses !== undefined && (await takesSeveral(store, statuses, signal)) === false;
  if (isSplit) return filteredHere(listing, rest);
  const read = (number: number) => store.listOrders({ ...query, page: number, limit: pageSize }, signal);
  const answer = await readPage(read, page);
  const shown = ignoredFilters({ ...query, page, limit: pageSize }, answer);
  const isIgnored = (filter: Filter | "limit") => shown.includes(filter) || store.capabilities.of(filter) === false;
  const filters = (["status", "email"] as const).filter((name) => (name === "status" ? statuses : query.email));
  if (filters.some(isIgnored)) return filteredHere(listing, query);
  if (filters.length > 0 && !(await shortens(listing, filters, answer.lastPage))) return filteredHere(listing, query);
  return isIgnored("limit") ? resized(listing) : listed(answer, page, locale);
}
