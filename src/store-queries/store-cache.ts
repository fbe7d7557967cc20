import { BoundedMap } from "../basics/limits/bounded-map.ts";
import { createCache } from "../basics/limits/cache.ts";
import { largestPageSize } from "../store-api/list-pages.ts";
import type { Order, Product } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";

/** Recently read data of one store. */
export type StoreCache = ReturnType<ReturnType<typeof createStoreCache>>;

/** A server's store, with the cache of its recently read orders and products. */
export interface GuildStore {
  readonly guildId: string;
  readonly store: Store;
  readonly cache: StoreCache;
}

/** How long a page is kept. A person who types a search needs it for a few seconds. */
const keptMs = 20_000;
/** Maximum number of servers whose pages are kept: a page of orders and a page of products, some 40 kB each. */
const mostServers = 1_000;

/** How long a product that a person opened is kept: a person reads its card before a press on **Copy**. */
const openedMs = 10 * 60_000;
/** Maximum number of opened products in memory, usually 1 kB each, and at most some 100 kB. */
const mostOpened = 100;

/** How long a product counts as missing after a search without success. Each search takes up to ten requests. */
const missingMs = 30_000;
/** Maximum number of missing products in memory, about 100 bytes each. */
const mostMissing = 1_000;

/**
 * Makes the function that returns the cache of a connected store: a page of orders and a page of products. Parallel calls share
 * one request. `connection` names the server and its present token. So an answer for a former token, even a late one, is never
 * returned for a new token.
 */
export function createStoreCache() {
  const now = () => performance.now();
  const orders = createCache<readonly Order[]>({ keptMs, most: mostServers }, now);
  const products = createCache<readonly Product[]>({ keptMs, most: mostServers }, now);
  const opened = createCache<Product>({ keptMs: openedMs, most: mostOpened }, now);
  /** The time until which a product counts as missing (`performance.now()`), by connection and product. */
  const missing = new BoundedMap<string, number>(mostMissing);

  return (connection: string, store: Store) => ({
    /**
     * Returns the first 100 orders that the store lists, usually the newest. They were read at most 20 s ago. Throws
     * `StoreError`.
     */
    recentOrders: (): Promise<readonly Order[]> =>
      orders.get(connection, async () => (await store.listOrders({ limit: largestPageSize })).items),
    /**
     * Returns the first 100 products that the store lists, usually the newest. They were read at most 20 s ago. Throws
     * `StoreError`.
     */
    recentProducts: (): Promise<readonly Product[]> =>
      products.get(connection, async () => (await store.listProducts({ limit: largestPageSize })).items),
    /** Returns the orders that `recentOrders` has in memory; none if it has no valid page. Sends no request. */
    cachedOrders: async (): Promise<readonly Order[]> => (await orders.peek(connection)) ?? [],
    /** Reads a product, and keeps it for `opened`. */
    open(productId: string, read: () => Promise<Product>): Promise<Product> {
      opened.forget(`${connection} ${productId}`);
      return opened.get(`${connection} ${productId}`, read);
    },
    /** Returns a product as it was read within the last 10 min, or reads it. A read goes on after its caller has given up. */
    opened: (productId: string, read: () => Promise<Product>): Promise<Product> =>
      opened.get(`${connection} ${productId}`, read),
    /** Whether the store was searched for the product within the last 30 s without success. */
    isMissing: (productId: string): boolean => (missing.get(`${connection} ${productId}`) ?? 0) > now(),
    noteMissing: (productId: string) => void missing.set(`${connection} ${productId}`, now() + missingMs),
  });
}
