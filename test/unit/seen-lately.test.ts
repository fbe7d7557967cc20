import { expect, it } from "vitest";
import { orderSchema } from "../../src/store-api/schemas.ts";
import type { Store } from "../../src/store-api/store-api.ts";
import { createSeenLately } from "../../src/store-queries/seen-lately.ts";

/** A store whose readings are answered by hand. */
function manualStore() {
  const readings: { answer(id: string): void; fail(): void }[] = [];
  const listOrders: Store["listOrders"] = () =>
    new Promise((resolve, reject) => {
      readings.push({
        answer: (id) => resolve({ items: [orderSchema.parse({ id })], lastPage: 1, skipped: 0 }),
        fail: () => reject(new Error("no")),
      });
    });
  const forbidden = async () => {
    throw new Error("not to be asked");
  };
  const store: Store = {
    listOrders,
    changedOrders: forbidden,
    getOrder: forbidden,
    listProducts: forbidden,
    createProduct: forbidden,
    capabilities: { of: () => undefined, note: () => undefined },
  };
  return { store, readings };
}

const idsOf = async (orders: Promise<readonly { id: string }[]>) => (await orders).map(({ id }) => id);

it("what is asked together is read once, and again after 20 s", async () => {
  let now = 0;
  const seen = createSeenLately(() => now);
  const { store, readings } = manualStore();
  const both = [seen.recentOrders("g", store), seen.recentOrders("g", store)];
  readings[0]?.answer("a");
  expect(await Promise.all(both.map(idsOf))).toEqual([["a"], ["a"]]);
  now = 19_999;
  expect(await idsOf(seen.recentOrders("g", store))).toEqual(["a"]);
  now = 20_000;
  const later = seen.recentOrders("g", store);
  readings[1]?.answer("b");
  expect(await idsOf(later)).toEqual(["b"]);
  expect(readings).toHaveLength(2);
});

it("a reading that failed is tried again at once", async () => {
  const seen = createSeenLately();
  const { store, readings } = manualStore();
  const first = seen.recentOrders("g", store);
  readings[0]?.fail();
  await expect(first).rejects.toThrow("no");
  const second = seen.recentOrders("g", store);
  readings[1]?.answer("b");
  expect(await idsOf(second)).toEqual(["b"]);
});

it("a reading that fails late takes no newer one away (0.1.0: it did)", async () => {
  const seen = createSeenLately();
  const { store, readings } = manualStore();
  const old = seen.recentOrders("g", store);
  seen.forget("g");
  const fresh = seen.recentOrders("g", store);
  readings[0]?.fail();
  await expect(old).rejects.toThrow("no");
  readings[1]?.answer("b");
  expect(await idsOf(fresh)).toEqual(["b"]);
  expect(await idsOf(seen.recentOrders("g", store))).toEqual(["b"]);
  expect(readings).toHaveLength(2);
});
