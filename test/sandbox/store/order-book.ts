import type { Ordering, StoredOrder } from "./shapes.ts";

export interface OrderFilters {
  readonly statuses?: readonly string[];
  readonly email?: string;
}

/** Keeps orders in the sequence of their arrival, and makes pages of them in any ordering. */
export function createOrderBook() {
  const orders: StoredOrder[] = [];
  const byId = new Map<string, StoredOrder>();
  const lists = new Map<string, StoredOrder[]>();
  let byIdSorted: StoredOrder[] = [];

  const listOf = (ordering: Ordering, { statuses, email }: OrderFilters): StoredOrder[] => {
    const key = JSON.stringify([ordering, statuses, email]);
    const known = lists.get(key);
    if (known !== undefined) return known;
    const wanted = statuses === undefined ? undefined : new Set(statuses);
    const fits = (order: StoredOrder) =>
      (wanted === undefined || wanted.has(order.status)) &&
      (email === undefined || order.customer.email.toLowerCase() === email.toLowerCase());
    if (ordering === "by-id" && byIdSorted.length < orders.length) {
      // Only the end is not sorted, so this takes nearly linear time.
      byIdSorted = byIdSorted.concat(orders.slice(byIdSorted.length)).sort((a, b) => (a.id < b.id ? -1 : 1));
    }
    const list = (ordering === "by-id" ? byIdSorted : orders).filter(fits);
    if (ordering === "newest-first") list.reverse();
    lists.set(key, list);
    return list;
  };

  return {
    orders,
    /** Upper and lower case differ, because the document promises nothing else. */
    find: (id: string) => byId.get(id),
    add(more: readonly StoredOrder[]): void {
      for (const order of more) {
        orders.push(order);
        byId.set(order.id, order);
      }
      lists.clear();
    },
    remove(id: string): void {
      const order = byId.get(id);
      if (order === undefined) return;
      orders.splice(orders.indexOf(order), 1);
      byId.delete(id);
      byIdSorted = [];
      lists.clear();
    },
    /** Call this after an order was changed in place. */
    changed: () => lists.clear(),
    page(ordering: Ordering, filters: OrderFilters, page: number, limit: number) {
      const list = listOf(ordering, filters);
      return {
        orders: list.slice((page - 1) * limit, page * limit),
        lastPage: Math.max(1, Math.ceil(list.length / limit)),
      };
    },
  };
}
