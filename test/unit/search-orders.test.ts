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
  return {
    async listOrders({ statuses = [], page = 1, limit = 10 }: OrderQuery = {}) {
      const fitting = orders.filter(({ status }) => statuses.length === 0 || statuses.includes(status));
      const items = fitting.slice((page - 1) * limit, page * limit);
      return { items, lastPage: Math.ceil(fitting.length / limit), skipped: 0 };
    },
    capabilities: new Capabilities(),
  } as Pick<Store, "listOrders" | "capabilities"> as Store;
}

it("a filter is ignored if the list is as long as without it, even if the first page fits", async () => {
  const store = createStore();
  store.listOrders = async ({ page = 1, limit = 10 } = {}) => {
    const sorted = orders.toSorted((one, other) => one.status.localeCompare(other.status)).slice(4);
    return { items: sorted.slice((page - 1) * limit, page * limit), lastPage: Math.ceil(20 / limit), skipped: 0 };
  };
  const list = await searchOrders(store, { statuses: ["PENDING"] }, 2, "en");
  expect(list.items).toHaveLength(6);
  expect(list.notes).toEqual([expect.stringContaining("ignores this filter")]);
});

it("a filter that the API has and ignores is applied by the bot, and a note says so", async () => {
  const store = createStore();
  const list = await searchOrders(store, { email }, 1, "en");
  expect(list).toMatchObject({ lastPage: 2, notes: [expect.stringContaining("ignores this filter")] });
  expect(list.items).toHaveLength(10);
});
