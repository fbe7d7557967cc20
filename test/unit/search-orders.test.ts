import { expect, it } from "vitest";
import { Capabilities } from "../../src/store-api/capabilities.ts";
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
    capabilities: new Capabilities(),
  } as Pick<Store, "listOrders" | "capabilities"> as Store;
  return { store, queries };
}

it("a filter that the API has and ignores is applied by the bot, and a note says so", async () => {
  const { store } = createStore();
  const list = await searchOrders(store, { email }, 1, "en");
  expect(list).toMatchObject({ lastPage: 2, notes: [expect.stringContaining("ignores this filter")] });
  expect(list.items).toHaveLength(10);
});
