import { BoundedMap } from "../basics/limits/bounded-map.ts";
import { createCache } from "../basics/limits/cache.ts";
import { largestPageSize } from "../store-api/list-pages.ts";
import type { Order, Product } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";

export type StoreCache = ReturnType<ReturnType<typeof createStoreCache>>;

export interface GuildStore {
  readonly guildId: string;
  readonly store: Store;
  readonly cache: StoreCache;
}

/** A person who types a search needs a page for a few seconds. */
const keptMs = 20_000;
/** A page of orders and a page of products for each, some 40 kB. */
const mostServers = 1_000;

/** A person reads the card of an opened product before a press on **Copy**. */
const openedMs = 10 * 60_000;
/** Usually 1 kB each, and at most some 100 kB. */
const mostOpened = 100;

/** A product counts as missing after a search without success. Each search takes up to ten requests. */
const missingMs = 30_000;
/** About 100 bytes each. */
const mostMissing = 1_000;

/**
 * Parallel calls share one request. `connection` names the server and its present token, so an answer for a former token, even
 * a late one, is never returned for a new token.
 */
export function createStoreCache() {
  const now = () => performance.now();
  const orders = createCache<readonly Order[]>({ keptMs, most: mostServers }, now);
  const products = createCache<readonly Product[]>({ keptMs, most: mostServers }, now);
  const opened = createCache<Product>({ keptMs: openedMs, most: mostOpened }, now);
  /** `performance.now()` until which a product counts as missing, by connection and product. */
  const missing = new BoundedMap<string, number>(mostMissing);

  return (connection: string, store: Store) => ({
    /** The first 100 that the store lists, usually the newest, at most 20 s old. Throws `StoreError`. */
    recentOrders: (): Promise<readonly Order[]> =>
      orders.get(connection, async () => (await store.listOrders({ limit: largestPageSize })).items),
    /** The first 100 that the store lists, usually the newest, at most 20 s old. Throws `StoreError`. */
    recentProducts: (): Promise<readonly Product[]> =>
      products.get(connection, async () => (await store.listProducts({ limit: largestPageSize })).items),
    open(productId: string, read: () => Promise<Product>): Promise<Product> {
      opened.forget(`${connection} ${productId}`);
      return opened.get(`${connection} ${productId}`, read);
    },
    /** As read within the last 10 min, or now. A read goes on after its caller has given up. */
    opened: (productId: string, read: () => Promise<Product>): Promise<Product> =>
      opened.get(`${connection} ${productId}`, read),
    isMissing: (productId: string): boolean => (missing.get(`${connection} ${productId}`) ?? 0) > now(),
    noteMissing: (productId: string) => void missing.set(`${connection} ${productId}`, now() + missingMs),
  });
}
