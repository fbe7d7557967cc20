import type { Order } from "../src/store-api/schemas.ts";
import { ignoredFilters, type OrderQuery, type Page, type Store } from "../src/store-api/store-api.ts";
import { setup } from "../src/views/catalogue/setup.ts";
import type { Locale } from "../src/views/context.ts";
import { PAGE_SIZE } from "../src/views/list-page.ts";

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
      ...(query.statuses || query.email ? [say.ignoredFilters] : []),
      ...(isPartial ? [say.onlyFirst(looked.toLocaleString(locale))] : []),
      ...skippedNotes(skipped, locale),
    ],
  };
}

/**
 * A page of ten orders. Where the API ignores a filter or the page size, the list is made here out of its first pages,
 * and the notes say so.
 */
export async function listOrders(
  store: Store,
  query: OrderQuery,
  page: number,
  locale: Locale,
): Promise<Listed<Order>> {
  const asked = { ...query, page, limit: PAGE_SIZE };
  const answer = await store.listOrders(asked);
  if (ignoredFilters(asked, answer).length > 0) return filteredHere(store, query, page, locale);
  return listed(answer, page, locale);
}
