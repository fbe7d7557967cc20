import { hash } from "node:crypto";
import { afterPage, isOfBaseline, type ListBaseline } from "../../../src/baseline/baseline-rules.ts";
import type { Ledger } from "../../../src/orders/ledger.ts";
import type { OrderRow } from "../../../src/orders/order-row.ts";
import type { Order } from "../../../src/store-api/schemas.ts";
import type { OrderPage, Page } from "../../../src/store-api/store-api.ts";

/** An order always keeps its place among the others. */
export const SORTINGS = ["newest first", "oldest first", "by id", "by total", "by nothing known"] as const;
export type Sorting = (typeof SORTINGS)[number];

export interface OrderList {
  /** `chance` (0 to 1) decides the id, total and place. Returns the id. */
  arrive(status: string, chance: number): string;
  setStatus(id: string, status: string): void;
  remove(id: string): void;
  ids(status: string): string[];
  page(number: number): OrderPage;
  lastPage(): number;
  /** Epoch ms: the creation time of the next order. */
  clock(): number;
}

const START = Date.UTC(2026, 0, 1);

/** A list in memory, with `pageSize` orders a page. If `filter` is undefined, it lists all orders. */
export function createOrderList(options: {
  sorting: Sorting;
  pageSize: number;
  filter: string | undefined;
}): OrderList {
  const places = new Map<string, number>();
  const orders = new Map<string, Order>();
  let sorted: Order[] | undefined;
  let count = 0;

  const placeOf = (order: Order, chance: number) =>
    ({
      "newest first": -(order.createdAt ?? 0),
      "oldest first": order.createdAt ?? 0,
      "by id": Number.parseInt(order.id.slice(0, 8), 16),
      "by total": order.pricing.total,
      "by nothing known": (chance * 7919) % 1,
    })[options.sorting];
  const list = () => {
    sorted ??= [...orders.values()]
      .filter(({ status }) => options.filter === undefined || status === options.filter)
      .sort((one, other) => (places.get(one.id) ?? 0) - (places.get(other.id) ?? 0) || (one.id < other.id ? -1 : 1));
    return sorted;
  };
  const change = (id: string, order: Order | undefined) => {
    if (order) orders.set(id, order);
    else orders.delete(id);
    sorted = undefined;
  };
  const lastPage = () => Math.max(1, Math.ceil(list().length / options.pageSize));

  return {
    arrive(status, chance) {
      count += 1;
      const order = createOrder(count, status, chance);
      places.set(order.id, placeOf(order, chance));
      change(order.id, order);
      return order.id;
    },
    setStatus(id, status) {
      const order = orders.get(id);
      if (order) change(id, { ...order, status });
    },
    remove: (id) => change(id, undefined),
    ids: (status) => [...orders.values()].filter((order) => order.status === status).map(({ id }) => id),
    page: (number) => asPage(list().slice((number - 1) * options.pageSize, number * options.pageSize), lastPage()),
    lastPage,
    clock: () => START + (count + 1) * 1000,
  };
}

function createOrder(count: number, status: string, chance: number): Order {
  const head = Math.floor(chance * 0xffffffff)
    .toString(16)
    .padStart(8, "0");
  return {
    id: `${head}-0000-4000-8000-${count.toString(16).padStart(12, "0")}`,
    status,
    customer: { email: "", name: "" },
    items: [],
    pricing: { subtotal: 0, discount: 0, total: Math.floor(chance * 50) },
    paymentMethod: "",
    createdAt: START + count * 1000,
  };
}

export function asPage(items: Order[], lastPage: number): OrderPage {
  return { items, lastPage, skipped: 0, fingerprint: hash("sha1", JSON.stringify([items, lastPage])) };
}

/** As the client, returns undefined if the page is unchanged. */
export const changed = (page: OrderPage, fingerprint: string | undefined): OrderPage | undefined =>
  page.fingerprint === fingerprint ? undefined : page;

export const ledgerOf = (rows: ReadonlyMap<string, OrderRow>): Pick<Ledger, "alertedIds" | "entries"> => ({
  alertedIds: async () => [...rows].flatMap(([id, row]) => (row.state === "open" ? [id] : [])),
  entries: async (ids) =>
    new Map(
      ids.flatMap((id) => {
        const row = rows.get(id);
        return row ? [[id, row] as const] : [];
      }),
    ),
});

/** Reads one page of the baseline. Returns the new state. */
export async function readBacklogPage(input: {
  readonly state: ListBaseline;
  readPage(page: number): Promise<Page<Order>>;
  /** Returns how many of the orders were unknown. */
  takeAsSeen(ids: readonly string[]): Promise<number>;
}): Promise<ListBaseline> {
  const { state, readPage, takeAsSeen } = input;
  if (state.done) return state;
  const { items, lastPage } = await readPage(state.page);
  const old = items.filter((order) => isOfBaseline(order, { lists: [state] }));
  const unknown = await takeAsSeen([...new Set(old.map(({ id }) => id))]);
  return afterPage({ lists: [state] }, state, lastPage, unknown).lists[0] ?? state;
}
