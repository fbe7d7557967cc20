import { describe, expect, it } from "vitest";
import type { Order } from "../../../src/store-api/schemas.ts";
import { type OrderQuery, type Page, type Store, StoreError } from "../../../src/store-api/store-api.ts";
import { customerOrders, sumsOf } from "../../../src/store-queries/customer-orders.ts";
import { codeOf } from "../../support/code-of.ts";
import { anOrder } from "../../support/views-support.ts";

const email = "ana@example.com";

const orderOf = (id: number, more: Partial<Order> = {}): Order =>
  anOrder({ id: String(id), customer: { email, name: "Ana" }, createdAt: Date.UTC(2026, 0, 1) + id, ...more });

const orders = (count: number) => Array.from({ length: count }, (_, id) => orderOf(id));

/** Records its requests. */
function storeOf(answer: (query: OrderQuery) => Partial<Page<Order>>) {
  const asked: OrderQuery[] = [];
  const store = {
    listOrders: async (query: OrderQuery = {}) => {
      asked.push(query);
      return { items: [], lastPage: 1, skipped: 0, ...answer(query) };
    },
  } as Partial<Store> as Store;
  return { store, asked };
}

describe("a customer's orders", () => {
  it("are read up to ten pages, each once if pages shift; beyond that they are not all", async () => {
    const all = orders(1_001);
    const { store, asked } = storeOf(({ page = 1 }) => ({
      items: all.slice(Math.max((page - 1) * 100 - 5, 0), page * 100),
      lastPage: 11,
    }));
    const found = await customerOrders(store, email);
    expect(asked).toHaveLength(10);
    expect(found.orders).toEqual(all.slice(0, 1_000));
    expect(found.isAll).toBe(false);
    const one = storeOf(() => ({ items: orders(3) }));
    expect(await customerOrders(one.store, email)).toMatchObject({ isAll: true, scanned: 3 });
  });

  it("are filtered from the first ten pages if the store ignores the filter", async () => {
    const others = { customer: { email: "susana@example.com", name: "Susana" } };
    const { store, asked } = storeOf(({ page = 1 }) => ({
      items: [orderOf(page, { customer: { email: "ANA@example.com", name: "" } }), orderOf(-page, others)],
      lastPage: 300,
    }));
    const found = await customerOrders(store, email);
    expect(asked).toHaveLength(10);
    expect(found).toMatchObject({ isAll: false, isFilteredHere: true, scanned: 20 });
    expect(found.orders.map(({ id }) => id)).toEqual(["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]);
  });

  it("are also searched in lower case, unless that would be the same search", async () => {
    const strict = storeOf((query) => ({ items: query.email === email ? orders(1) : [] }));
    expect((await customerOrders(strict.store, "Ana@Example.com")).orders).toHaveLength(1);
    expect(strict.asked.map((query) => query.email)).toEqual(["Ana@Example.com", email]);

    const none = storeOf(() => ({}));
    await customerOrders(none.store, email);
    expect(none.asked).toHaveLength(1);
  });

  it("read before a failure are shown as not all", async () => {
    const failing = (from: number) =>
      storeOf(({ page = 1 }) => {
        if (page >= from) throw new StoreError("timeout", "orders");
        return { items: orders(100), lastPage: 5 };
      }).store;
    expect(await customerOrders(failing(2), email)).toMatchObject({ isAll: false, scanned: 100 });
    expect(await codeOf(customerOrders(failing(1), email))).toBe("timeout");
  });

  it("count the rows that were left out", async () => {
    const { store } = storeOf(() => ({ items: orders(3), skipped: 2 }));
    expect(await customerOrders(store, email)).toMatchObject({ isAll: true, skipped: 2 });
  });
});

it("the sum of orders has no rounding errors, and the first and the last known time", () => {
  const totals = [0.1, 0.2, 49.9, -0.2, 1_234.56];
  const some = totals.map((total, id) =>
    orderOf(id, { pricing: { subtotal: 0, discount: 0, total }, createdAt: id === 0 ? undefined : 1_000 - id }),
  );
  expect(sumsOf(some)).toEqual({ count: 5, total: 1_284.56, firstAt: 996, lastAt: 999 });
  expect(sumsOf([])).toEqual({ count: 0, total: 0, firstAt: undefined, lastAt: undefined });
});
