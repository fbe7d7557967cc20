import type { StoredOrder } from "./shapes.ts";

export interface OrderFilters {
  readonly statuses?: readonly string[];
  readonly email?: string;
}

/** Keeps orders in the sequence of their arrival, and makes pages of them, newest first. */
export function createOrderBook() {
  const orders: StoredOrder[] = [];
  const byId = new Map<string, StoredOrder>();
  const lists = new Map<string, StoredOrder[]>();

  const listOf = ({ statuses, email }: OrderFilters): StoredOrder[] => {
    const key = JSON.stringify([statuses, email]);
    const known = lists.get(key);
    if (known !== undefined) return known;
    const wanted = statuses === undefined ? undefined : new Set(statuses);
    const fits = (order: StoredOrder) =>
      (wanted === undefined || wanted.has(order.status)) &&
      (email === undefined || order.customer.email.toLowerCase() === email.toLowerCase());
    const list = orders.filter(fits).reverse();
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
      lists.clear();
    },
    /** Call this after an order was changed in place. */
    changed: () => lists.clear(),
    page(filters: OrderFilters, page: number, limit: number) {
      const list = listOf(filters);
      return {
        orders: list.slice((page - 1) * limit, page * limit),
        lastPage: Math.max(1, Math.ceil(list.length / limit)),
      };
    },
  };
}
