import { expect, it } from "vitest";
import { createCapabilities } from "../../src/store-api/capabilities.ts";
import { orderSchema } from "../../src/store-api/schemas.ts";
import type { OrderQuery, Store } from "../../src/store-api/store-api.ts";
import { searchOrders } from "../../src/store-queries/search-orders.ts";

const email = "ana@example.com";

/** 24 orders: Ana placed every second one, and every third one is paid. The store filters by status only. */
const orders = Array.from({ length: 24 }, (_, index) =>
  orderSchema.parse({
    id: `o${index}`,
    status: index % 3 === 0 ? "PAID" : "PENDING",
    customer: { email: index % 2 === 0 ? email : "bob@example.com" },
  }),
);

function createStore() {
  const queries: OrderQuery[] = [];
  const store = {
    async listOrders(query: OrderQuery = {}) {
      queries.push(query);
      const { statuses = [], page = 1, limit = 10 } = query;
      const fitting = orders.filter(({ status }) => statuses.length === 0 || statuses.includes(status));
      const items = fitting.slice((page - 1) * limit, page * limit);
      return { items, lastPage: Math.ceil(fitting.length / limit), skipped: 0 };
    },
    capabilities: createCapabilities(),
  } as Pick<Store, "listOrders" | "capabilities"> as Store;
  return { store, queries };
}

const byBot = { statuses: "status", email: "bot" } as const;

it("a filter that the API does not have is applied to all its orders, and no note says that the store ignores it", async () => {
  const { store, queries } = createStore();
  const first = await searchOrders(store, { email }, 1, "en", byBot);
  const second = await searchOrders(store, { email }, 2, "en", byBot);
  expect([...first.items, ...second.items].map(({ id }) => Number(id.slice(1)) % 2)).toEqual(new Array(12).fill(0));
  expect(first).toMatchObject({ lastPage: 2, notes: [] });
  expect(queries.map((query) => query.email)).toEqual([undefined, undefined]);
});

it("it is applied together with a filter of the API", async () => {
  const { store, queries } = createStore();
  const list = await searchOrders(store, { email, statuses: ["PAID"] }, 1, "en", byBot);
  expect(list.items.map(({ id }) => id)).toEqual(["o0", "o6", "o12", "o18"]);
  expect(list.notes).toEqual([]);
  expect(queries).toMatchObject([{ statuses: ["PAID"], email: undefined }]);
});

it("a filter that the API has and ignores is applied by the bot, and a note says so", async () => {
  const { store } = createStore();
  const list = await searchOrders(store, { email }, 1, "en");
  expect(list).toMatchObject({ lastPage: 2, notes: [expect.stringContaining("ignores this filter")] });
  expect(list.items).toHaveLength(10);
});
