import { hash } from "node:crypto";
import { type BaselineState, takeBaselinePage } from "../../src/orders/baseline.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import type { OrderPage, Page } from "../../src/store-api/store-api.ts";

/** How the model store sorts its list. All are stable: an order keeps its place among the others for life. */
export const SORTINGS = ["newest first", "oldest first", "by id", "by total", "by nothing known"] as const;
export type Sorting = (typeof SORTINGS)[number];

export interface OrderList {
  /** A new order with this status; `chance` (0 to 1) decides its id, total and place. Returns its id. */
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

/** The order list of a store, in memory: `pageSize` orders a page, and all of them where `filter` is undefined. */
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

/** These rows as the store's client gives them. */
export function asPage(items: Order[], lastPage: number): OrderPage {
  return { items, lastPage, skipped: 0, fingerprint: hash("sha1", JSON.stringify([items, lastPage])) };
}

/** As the client does it: nothing where the page is what it was. */
export const changed = (page: OrderPage, fingerprint: string | undefined): OrderPage | undefined =>
  page.fingerprint === fingerprint ? undefined : page;

/** What is asked of a list of orders that ring, where there are no rules. */
export const ofPending = {
  statuses: ["PENDING"],
  alerting: ["PENDING"],
  awaited: [],
};

/** Reads one page of a baseline: the new state, and how many orders were taken as seen. */
export async function readBacklogPage(input: {
  readonly state: BaselineState;
  readPage(page: number): Promise<Page<Order>>;
  known(ids: readonly string[]): Promise<{ has(id: string): boolean }>;
  markSeen(ids: readonly string[]): Promise<void>;
}): Promise<{ state: BaselineState; seen: number }> {
  if (input.state.done) return { state: input.state, seen: 0 };
  const state = await takeBaselinePage({
    state: input.state,
    page: await input.readPage(input.state.page),
    async takeAsSeen(orders) {
      const ids = [...new Set(orders.map(({ id }) => id))];
      const known = await input.known(ids);
      const unknown = ids.filter((id) => !known.has(id));
      if (unknown.length > 0) await input.markSeen(unknown);
      return unknown.length;
    },
  });
  return { state, seen: state.counted - input.state.counted };
}
