import type { Order } from "../src/store-api/schemas.ts";
import { type OrderQuery, type Page, type Store, StoreError } from "../src/store-api/store-api.ts";
import { setup } from "../src/views/catalogue/setup.ts";
import type { Locale } from "../src/views/context.ts";
import { PAGE_SIZE } from "../src/views/list-page.ts";
import type { Filter, Honours } from "./honours.ts";

/** What somebody is paging through: filters of a list. */
export interface ListQuery {
  readonly statuses?: readonly string[];
  readonly email?: string;
  readonly title?: string;
  readonly categoryId?: string;
}

/** What a person sees of a list at once, and what has to be said about it. */
export interface Listed<T> {
  readonly items: readonly T[];
  readonly page: number;
  readonly lastPage: number;
  readonly notes: readonly string[];
}

/** Orders looked through for a filter that the API ignores: 5 pages of the most that it gives. */
const apiPageSize = 100;
const mostApiPages = 5;

function matches(order: Order, { statuses, email }: OrderQuery): boolean {
  const status = order.status.toUpperCase();
  return (
    (statuses === undefined || statuses.some((wanted) => wanted.toUpperCase() === status)) &&
    (email === undefined || order.customer.email.toLowerCase() === email.toLowerCase())
  );
}

const skippedNotes = (skipped: number, locale: Locale) =>
  skipped > 0 ? [setup[locale].rowsLeftOut(skipped.toLocaleString(locale))] : [];

/** One page of ours, read from the API; a page that the API does not have is an empty one beyond the last. */
export async function readPage<T>(read: (page: number) => Promise<Page<T>>, page: number): Promise<Page<T>> {
  try {
    return await read(page);
  } catch (error) {
    const isBeyond = page > 1 && error instanceof StoreError && error.code === "not_found";
    if (!isBeyond) throw error;
    const { lastPage } = await read(1);
    return { items: [], lastPage, skipped: 0 };
  }
}

/** A page of the API's list as a page of ours. */
export function listed<T>(answer: Page<T>, page: number, locale: Locale): Listed<T> {
  return { items: answer.items, page, lastPage: answer.lastPage, notes: skippedNotes(answer.skipped, locale) };
}

async function filteredHere(store: Store, query: OrderQuery, page: number, locale: Locale): Promise<Listed<Order>> {
  const found = new Map<string, Order>();
  let skipped = 0;
  let lastPage = 1;
  let looked = 0;
  for (let number = 1; number <= Math.min(lastPage, mostApiPages); number++) {
    const answer = await store.listOrders({ ...query, page: number, limit: apiPageSize });
    for (const order of answer.items) if (matches(order, query)) found.set(order.id, order);
    skipped += answer.skipped;
    looked += answer.items.length;
    lastPage = answer.lastPage;
  }
  const say = setup[locale];
  const matching = [...found.values()];
  const isPartial = lastPage > mostApiPages;
  return {
    items: matching.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE),
    page,
    lastPage: Math.max(Math.ceil(matching.length / PAGE_SIZE), 1),
    notes: [
      say.ignoredFilters,
      ...(isPartial ? [say.onlyFirst(looked.toLocaleString(locale))] : []),
      ...skippedNotes(skipped, locale),
    ],
  };
}

/** A page of ours out of an API whose pages have another size: the one or two of its pages that ours lies in. */
async function resized(store: Store, query: OrderQuery, page: number, locale: Locale): Promise<Listed<Order>> {
  const read = (number: number) => store.listOrders({ ...query, page: number, limit: PAGE_SIZE });
  const first = await read(1);
  const size = Math.max(first.items.length + first.skipped, 1);
  const start = (page - 1) * PAGE_SIZE;
  const end = start + PAGE_SIZE;
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
    lastPage: Math.max(Math.ceil(total / PAGE_SIZE), 1),
    notes: skippedNotes(first.skipped, locale),
  };
}

/** Whether a filter of which nothing is known yet makes the list shorter; an API that ignores it gives the same list. */
async function shortens(
  store: Store,
  honours: Honours,
  filters: readonly Filter[],
  lastPage: number,
): Promise<boolean> {
  if (lastPage === 1 || filters.every((filter) => honours.of(filter) !== undefined)) return true;
  const whole = await store.listOrders({ limit: PAGE_SIZE });
  if (whole.lastPage === lastPage) return false;
  if (filters.length === 1) for (const filter of filters) honours.prove(filter);
  return true;
}

/**
 * A page of ten orders. Where the API ignores a filter or the page size, the list is made here out of its first pages,
 * and the notes say so.
 */
export async function listOrders(
  { store, honours }: { store: Store; honours: Honours },
  query: OrderQuery,
  page: number,
  locale: Locale,
): Promise<Listed<Order>> {
  const read = (number: number) => store.listOrders({ ...query, page: number, limit: PAGE_SIZE });
  const answer = await readPage(read, page);
  const ignored = honours.note({ ...query, page, limit: PAGE_SIZE }, answer);
  const filters = (["status", "email"] as const).filter((name) => (name === "status" ? query.statuses : query.email));
  if (filters.some((filter) => ignored.has(filter))) return filteredHere(store, query, page, locale);
  if (filters.length > 0 && !(await shortens(store, honours, filters, answer.lastPage))) {
    return filteredHere(store, query, page, locale);
  }
  return ignored.has("limit") ? resized(store, query, page, locale) : listed(answer, page, locale);
}
