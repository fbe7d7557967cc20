import { expect, test, vi } from "vitest";
import { createCache } from "../../../src/basics/limits/cache.ts";
import { type Order, orderSchema, type Product, productSchema } from "../../../src/store-api/schemas.ts";
import type { Store } from "../../../src/store-api/store-api.ts";
import { createStoreCache } from "../../../src/store-queries/store-cache.ts";

const keptMs = 1_000;

/** The test sets the clock and finishes the reads. */
function setUp({ most = 10 } = {}) {
  const clock = { now: 0 };
  const cache = createCache<string>({ keptMs, most }, () => clock.now);
  const reads: PromiseWithResolvers<string>[] = [];
  const get = (key = "key") =>
    cache.get(key, () => {
      const read = Promise.withResolvers<string>();
      reads.push(read);
      return read.promise;
    });
  return { clock, cache, reads, get };
}

test("calls that come together share one read, and later ones get what it gave until its time is over", async () => {
  const { clock, reads, get } = setUp();
  const together = Promise.all([get(), get()]);
  reads[0]?.resolve("first");
  expect(await together).toEqual(["first", "first"]);

  clock.now = keptMs - 1;
  expect(await get()).toBe("first");
  clock.now = keptMs;
  const later = get();
  reads[1]?.resolve("second");

  expect(await later).toBe("second");
  expect(reads).toHaveLength(2);
});

test("a read that fails rejects for all who share it, and is not kept", async () => {
  const { reads, get } = setUp();
  const together = Promise.allSettled([get(), get()]);
  reads[0]?.reject(new Error("down"));
  expect((await together).map(({ status }) => status)).toEqual(["rejected", "rejected"]);

  const again = get();
  reads[1]?.resolve("up");

  expect(await again).toBe("up");
});

test("a read that fails late takes nothing away from a newer one", async () => {
  const { cache, reads, get } = setUp();
  const old = get();
  cache.forget("key");
  const newer = get();
  reads[1]?.resolve("newer");
  await newer;

  reads[0]?.reject(new Error("late"));
  await expect(old).rejects.toThrow("late");

  expect(await get()).toBe("newer");
  expect(reads).toHaveLength(2);
});

test("of more entries than it may hold, the first one goes", () => {
  const { reads, get } = setUp({ most: 2 });
  for (const key of ["a", "b", "c", "b", "c", "a"]) void get(key);

  expect(reads).toHaveLength(4);
});

test("pages of a store are kept for 20 s", async () => {
  const clock = vi.spyOn(performance, "now").mockReturnValue(0);
  const asked: string[] = [];
  const answer = (list: string) => async () => {
    asked.push(list);
    return { items: [], lastPage: 1, skipped: 0 };
  };
  const store: Partial<Store> = { listOrders: answer("orders"), listProducts: answer("products") };
  const cacheOf = createStoreCache();
  for (const now of [0, 19_999, 20_000]) {
    clock.mockReturnValue(now);
    const cache = cacheOf("g", store as Store);
    await cache.recentOrders();
    await cache.recentProducts();
  }
  clock.mockRestore();

  expect(asked).toEqual(["orders", "products", "orders", "products"]);
});

test.each([101, 200, 250])(
  "the newest of %i orders are known from a store that lists the oldest first (before: the oldest 100)",
  async (count) => {
    const orders = Array.from({ length: count }, (_, at) => orderSchema.parse({ id: `${at}`, createdAt: 1e12 + at }));
    const listOrders: Store["listOrders"] = async ({ page = 1, limit = 10 } = {}) => ({
      items: orders.slice((page - 1) * limit, page * limit),
      lastPage: Math.ceil(count / limit),
      skipped: 0,
    });
    const recent = await createStoreCache()("g", { listOrders } as Store).recentOrders();

    const ids = recent.map(({ id }) => Number(id));
    expect(ids).toEqual(Array.from({ length: ids.length }, (_, at) => count - 1 - at));
    expect(ids.length).toBeGreaterThanOrEqual(100);
  },
);

const oldestFirst = (orders: readonly Order[], lastPage: number) => ({ items: [...orders], lastPage, skipped: 0 });
const twoOrders = [1, 2].map((at) => orderSchema.parse({ id: `${at}`, createdAt: 1e12 + at }));

test("the last two pages of such a store are asked for together, because suggestions are due within 3 s", async () => {
  const asked: number[] = [];
  const listOrders: Store["listOrders"] = async ({ page = 1 } = {}) => {
    asked.push(page);
    return page === 1 ? oldestFirst(twoOrders, 9) : new Promise<never>(() => undefined);
  };
  void createStoreCache()("g", { listOrders } as Store).recentOrders();

  await vi.waitFor(() => expect(asked).toEqual([1, 8, 9]));
});

test("an order is recent once, also if such a store returns the same page again and again", async () => {
  const listOrders: Store["listOrders"] = async () => oldestFirst(twoOrders, 9);
  const recent = await createStoreCache()("g", { listOrders } as Store).recentOrders();

  expect(recent.map(({ id }) => id)).toEqual(["2", "1"]);
});

test.each(["newest first", "oldest first"])(
  "of a store without pages, the newest 1,000 orders are known (%s)",
  async (sorting) => {
    const newest = Array.from({ length: 1_500 }, (_, at) => orderSchema.parse({ id: `${at}`, createdAt: 1e12 - at }));
    const orders = sorting === "newest first" ? newest : newest.toReversed();
    const listOrders: Store["listOrders"] = async () => oldestFirst(orders, 1);

    expect(await createStoreCache()("g", { listOrders } as Store).recentOrders()).toEqual(newest.slice(0, 1_000));
  },
);

test("an opened product is kept, also if nobody waits for it any more, and a further opening reads it again", async () => {
  const cache = createStoreCache()("server token", {} as Store);
  const reads: PromiseWithResolvers<Product>[] = [];
  const read = () => {
    const next = Promise.withResolvers<Product>();
    reads.push(next);
    return next.promise;
  };
  const given = (title: string) => productSchema.parse({ id: "p", info: { title } });
  void cache.opened("p", read);
  reads[0]?.resolve(given("first"));
  expect((await cache.opened("p", read)).info.title).toBe("first");

  void cache.open("p", read);
  reads[1]?.resolve(given("second"));
  expect((await cache.opened("p", read)).info.title).toBe("second");
  expect(reads).toHaveLength(2);
});
