import { BoundedMap } from "../basics/bounded-map.ts";
import { createCache } from "../basics/cache.ts";
import { largestPageSize } from "../store-api/listing.ts";
import type { Order, Product } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";

/** Recently read data of each server's store. Throws `StoreError`. */
export interface StoreCache {
  /** The newest orders, kept in memory for 20 s. */
  recentOrders(guildId: string, store: Store): Promise<readonly Order[]>;
  recentProducts(guildId: string, store: Store): Promise<readonly Product[]>;
  /** Returns the newest orders that are in memory. It does not ask the store. */
  cachedOrders(guildId: string): Promise<readonly Order[]>;
  /** Whether the store was searched for the product within the last 30 s without success. */
  isMissing(guildId: string, productId: string): boolean;
  noteMissing(guildId: string, productId: string): void;
  /** Forgets everything about the server's store, because its token changed. */
  forget(guildId: string): void;
}

/** How long a page is kept: long enough while a person types, short enough for new orders to appear. */
const keptMs = 20_000;
/**
 * Maximum number of servers with a page of orders, and with a page of products: some 40 kB each. Beyond that the oldest
 * go.
 */
const mostServers = 1_000;

/**
 * How long a product counts as missing. A search takes up to ten requests, so it is not repeated at once. A product
 * that comes back is found after this time.
 */
const missingMs = 30_000;
/** Maximum number of missing products, about 100 bytes each. Beyond that the oldest go, and are searched for again. */
const mostMissing = 1_000;

/**
 * Makes a cache of one page of orders and one of products for each server, read at most every 20 s. Parallel calls
 * share one request.
 *
 * @param now a clock that only runs forward, in milliseconds
 */
export function createStoreCache(now: () => number = () => performance.now()): StoreCache {
  const orders = createCache<readonly Order[]>({ keptMs, most: mostServers }, now);
  const products = createCache<readonly Product[]>({ keptMs, most: mostServers }, now);
  /** Until when a product counts as missing, by server and product. */
  const missing = new BoundedMap<string, number>(mostMissing);
  const missingKey = (guildId: string, productId: string) => `${guildId}:${productId}`;

  return {
    recentOrders: (guildId, store) =>
      orders.get(guildId, async () => (await store.listOrders({ limit: largestPageSize })).items),
    recentProducts: (guildId, store) =>
      products.get(guildId, async () => (await store.listProducts({ limit: largestPageSize })).items),
    cachedOrders: async (guildId) => (await orders.peek(guildId)) ?? [],
    isMissing: (guildId, productId) => (missing.get(missingKey(guildId, productId)) ?? 0) > now(),
    noteMissing: (guildId, productId) => void missing.set(missingKey(guildId, productId), now() + missingMs),
    forget(guildId) {
      for (const key of missing.keys()) if (key.startsWith(missingKey(guildId, ""))) missing.delete(key);
      orders.forget(guildId);
      products.forget(guildId);
    },
  };
}
