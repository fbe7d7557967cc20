import { afterEach, expect, it, vi } from "vitest";
import { orderSchema } from "../../src/store-api/schemas.ts";
import type { Store } from "../../src/store-api/store-api.ts";
import { createStoreCache } from "../../src/store-queries/store-cache.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

/** A store whose answers the test sends by hand. */
function manualStore() {
  const readings: { answer(id: string): void }[] = [];
  const listOrders: Store["listOrders"] = () =>
    new Promise((resolve) => {
      readings.push({ answer: (id) => resolve({ items: [orderSchema.parse({ id })], lastPage: 1, skipped: 0 }) });
    });
  return { store: { listOrders } as Partial<Store> as Store, readings };
}

const idsOf = async (orders: Promise<readonly { id: string }[]>) => (await orders).map(({ id }) => id);

it("parallel calls share one read, and it is read again after 20 s", async () => {
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const cache = createStoreCache();
  const { store, readings } = manualStore();
  const both = [cache.recentOrders("g", store), cache.recentOrders("g", store)];
  readings[0]?.answer("a");
  expect(await Promise.all(both.map(idsOf))).toEqual([["a"], ["a"]]);
  now = 19_999;
  expect(await idsOf(cache.recentOrders("g", store))).toEqual(["a"]);
  now = 20_000;
  const later = cache.recentOrders("g", store);
  readings[1]?.answer("b");
  expect(await idsOf(later)).toEqual(["b"]);
  expect(readings).toHaveLength(2);
});
