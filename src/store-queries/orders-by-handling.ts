import type { Locale } from "../basics/locale.ts";
import type { Guild } from "../guilds/guild.ts";
import { texts } from "../locales/texts.ts";
import { filtersIn, fitsFilter } from "../store-api/order-filter.ts";
import { documentedStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { isUnusable, type Store, StoreError } from "../store-api/store-api.ts";
import type { Takes } from "../views/orders/handling.ts";
import { listNotes, pageFrom, pageSize, type ShownPage } from "../views/parts/list-page.ts";
import { formatNumber } from "../views/parts/numbers.ts";
import { answerTimeout } from "./answer-timeout.ts";
import { type ListQuery, searchOrders } from "./search-orders.ts";

/** If taken orders are filtered, at most this many are read, because each needs a request. */
const mostRead = 30;
/** The store's queue sends at most this many requests for people at once. */
const atOnce = 3;

/**
 * Leaves out orders whose answer cannot be used, and orders that the store refuses to show: they may belong to another store.
 * If no order remains, throws the `StoreError` of the first one left out. The notes say how many were left out, and how many
 * the store does not have.
 */
async function readAll(store: Store, ids: readonly string[], locale: Locale) {
  const signal = answerTimeout();
  const orders: Order[] = [];
  let read = 0;
  let gone = 0;
  const unusable: StoreError[] = [];
  try {
    for (; read < ids.length; read += atOnce) {
      const some = await Promise.all(
        ids.slice(read, read + atOnce).map((id) =>
          store.getOrder(id, signal).catch((error: unknown) => {
            if (!(error instanceof StoreError)) throw error;
            if (isUnusable(error) || error.code === "unauthorized") unusable.push(error);
            // The order was deleted, or belongs to another store.
            else if (error.code === "not_found") gone += 1;
            else throw error;
            return undefined;
          }),
        ),
      );
      orders.push(...some.filter((order) => order !== undefined));
    }
  } catch (error) {
    if (!signal.aborted || read === 0) throw error;
  }
  const [first] = unusable;
  if (first && orders.length === 0) throw first;
  const say = texts(locale).orders;
  const notes = [
    ...listNotes({ skipped: unusable.length }, locale),
    ...(gone > 0 ? [say.notInStore(formatNumber(gone, locale))] : []),
  ];
  return { orders, read, notes };
}

/** Lists the orders in the sequence of `ids`. If there is a filter, only the first 30 are read. */
export async function listTaken(
  store: Store,
  ids: readonly string[],
  filter: ListQuery,
  page: number,
  locale: Locale,
): Promise<ShownPage<Order>> {
  if (filtersIn(filter).length === 0) {
    const { items, ...place } = pageFrom(ids, page);
    const { orders, read, notes } = await readAll(store, items, locale);
    const onlyFirst = read < items.length ? (page - 1) * pageSize + read : undefined;
    return { ...place, items: orders, notes: [...listNotes({ onlyFirst }, locale), ...notes] };
  }
  const { orders, read, notes } = await readAll(store, ids.slice(0, mostRead), locale);
  const onlyFirst = read < ids.length ? read : undefined;
  const fitting = pageFrom(orders.filter(fitsFilter(filter)), page);
  return { ...fitting, notes: [...listNotes({ onlyFirst }, locale), ...notes] };
}

/** Free orders are those that nobody took. By default, only those in a status that causes alerts are listed. */
export const withFreeStatuses = (query: ListQuery, { alerts }: Pick<Guild, "alerts">): ListQuery =>
  query.handling === "free" ? { ...query, statuses: query.statuses ?? alerts?.statuses ?? [documentedStatus] } : query;

/** A page of the store's list without taken orders. A note says how many were left out. */
export async function listFree(
  store: Store,
  query: ListQuery,
  takesOf: (ids: readonly string[]) => Promise<Takes>,
  page: number,
  locale: Locale,
): Promise<ShownPage<Order>> {
  const list = await searchOrders(store, query, page, locale);
  const takes = await takesOf(list.items.map(({ id }) => id));
  const items = list.items.filter(({ id }) => !takes.has(id));
  const left = list.items.length - items.length;
  const say = texts(locale).orders;
  return {
    ...list,
    items,
    notes: [...list.notes, ...(left > 0 ? [say.takenLeftOut(formatNumber(left, locale))] : [])],
  };
}
