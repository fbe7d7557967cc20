import { BoundedMap } from "../basics/bounded-map.ts";
import { createCache } from "../basics/cache.ts";
import { largestPageSize } from "../store-api/listing.ts";
import type { Order, Product } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";

/** What was seen of each server's store lately. Throws `StoreError`. */
export interface StoreCache {
  /** From memory for up to 20 s, then from the store. */
  recentOrders(guildId: string, store: Store): Promise<readonly Order[]>;
  recentProducts(guildId: string, store: Store): Promise<readonly Product[]>;
  /** Recent orders that are in memory: the store is not asked. */
  cachedOrders(guildId: string): Promise<readonly Order[]>;
  /** Whether the store was searched for the product within the last 30 s, in vain. */
  isMissing(guildId: string, productId: string): boolean;
  noteMissing(guildId: string, productId: string): void;
  /** Nothing that was seen of the server's store is shown again: its token changed. */
  forget(guildId: string): void;
}

/** Long enough for the letters that somebody types, short enough for what is new. */
const keptMs = 20_000;
/** Servers of which a page of orders, and one of products, is kept: some 40 kB each. Of more, the first go, and are read again. */
const mostServers = 1_000;

/** A search is up to ten requests, and nobody waits that long to press again; a product that comes back is soon found. */
const missingMs = 30_000;
/** About 100 bytes each. Of more, the oldest go: those are then searched for again. */
const mostMissing = 1_000;

/**
 * One page of each kind per server, read at most every 20 s; calls that come together share one request.
 *
 * @param now a clock that only runs forward, in milliseconds
 */
export function createStoreCache(now: () => number = () => performance.now()): StoreCache {
  const orders = createCache<readonly Order[]>({ keptMs, most: mostServers }, now);
  const products = createCache<readonly Product[]>({ keptMs, most: mostServers }, now);
  /** Until when by server and product; the oldest first. */
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
