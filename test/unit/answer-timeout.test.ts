import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Capabilities } from "../../src/store-api/capabilities.ts";
import { orderSchema, productSchema } from "../../src/store-api/schemas.ts";
import type { Page, Store } from "../../src/store-api/store-api.ts";
import { findProduct } from "../../src/store-queries/find-product.ts";
import { searchOrders } from "../../src/store-queries/search-orders.ts";
import { createStoreCache } from "../../src/store-queries/store-cache.ts";

/** Time of each answer of the store. */
const slowMs = 5_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function slowly<T>(page: Page<T>, signal: AbortSignal | undefined): Promise<Page<T>> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, slowMs, page);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

/** A slow store with many pages that ignores filters and page sizes. */
const store = {
  listOrders: (_, signal) =>
    slowly({ items: [orderSchema.parse({ id: "o", status: "PAID" })], lastPage: 50, skipped: 0 }, signal),
  listProducts: (_, signal) => slowly({ items: [productSchema.parse({ id: "p" })], lastPage: 50, skipped: 0 }, signal),
  capabilities: new Capabilities(),
} as Pick<Store, "listOrders" | "listProducts" | "capabilities"> as Store;

const shop = { guildId: "1", store, cache: createStoreCache() };

it.each([
  ["a product that is looked for", () => findProduct(shop, "another", "Title")],
  ["a list that is bot filtered", () => searchOrders(store, { statuses: ["PENDING"] }, 1, "en")],
  ["a list of several statuses", () => searchOrders(store, { statuses: ["PENDING", "PAID"] }, 1, "en")],
  ["a list whose pages have another size", () => searchOrders(store, {}, 9, "en")],
])("a person waits 12 s at most, however many requests this takes: %s", async (_, work) => {
  const startedAt = performance.now();
  const ended = work().then(
    () => "answered",
    (error: { code?: string }) => `${error.code} after ${Math.round(performance.now() - startedAt)} ms`,
  );
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await ended).toBe("timeout after 12000 ms");
});
