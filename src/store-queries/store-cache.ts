import { createCache } from "../basics/limits/cache.ts";
import { largestPageSize, type Page } from "../store-api/list-pages.ts";
import type { Order, Product } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";

export type StoreCache = ReturnType<ReturnType<typeof createStoreCache>>;

export interface GuildStore {
  readonly guildId: string;
  readonly store: Store;
  readonly cache: StoreCache;
}

/** How long orders and products stay in the cache: longer than a person types a search. */
const keptMs = 20_000;
/** For each server, the cache has one or two pages of orders, and of products: about 40 kB a page. */
const mostServers = 1_000;
/** At most this many rows are cached: an API without pages sends all rows in one answer. */
const mostRows = 1_000;

/** How long an opened product stays in the cache. A person reads the product's card before a press on **Copy**. */
const openedMs = 10 * 60_000;
/** Usually 1 kB each, and at most about 100 kB. */
const mostOpened = 100;

/** The API does not say how it sorts. Each row counts once, because some APIs return the same page again and again. */
async function newestOf<Row extends { readonly id: string; readonly createdAt: number | undefined }>(
  read: (page?: number) => Promise<Page<Row>>,
): Promise<readonly Row[]> {
  const first = await read();
  const { items, lastPage } = first;
  const times = items.map(({ createdAt = Number.NaN }) => createdAt);
  const isRising = times[0] !== times.at(-1) && times.every((time, at) => time >= (times[at - 1] ?? 0));
  if (!isRising) return items.slice(0, mostRows);
  const ends = lastPage === 1 ? [first] : [lastPage === 2 ? first : read(lastPage - 1), read(lastPage)];
  const byId = new Map((await Promise.all(ends)).flatMap((page) => page.items.map((row) => [row.id, row])));
  return [...byId.values()].toReversed().slice(0, mostRows);
}

/**
 * Parallel calls share their requests. `connection` names the server and its present token, so an answer for a former token is
 * never returned for a new token.
 */
export function createStoreCache() {
  const now = () => performance.now();
  const orders = createCache<readonly Order[]>({ keptMs, most: mostServers }, now);
  const products = createCache<readonly Product[]>({ keptMs, most: mostServers }, now);
  const opened = createCache<Product>({ keptMs: openedMs, most: mostOpened }, now);

  return (connection: string, store: Store) => ({
    /**
     * Usually 100 orders or more, if the store has this many. They are the newest if the store sorts by time. They were read at
     * most 20 s ago. Throws `StoreError`.
     */
    recentOrders: (): Promise<readonly Order[]> =>
      orders.get(connection, () => newestOf((page) => store.listOrders({ page, limit: largestPageSize }))),
    /** As `recentOrders`. */
    recentProducts: (): Promise<readonly Product[]> =>
      products.get(connection, () => newestOf((page) => store.listProducts({ page, limit: largestPageSize }))),
    open(productId: string, read: () => Promise<Product>): Promise<Product> {
      opened.forget(`${connection} ${productId}`);
      return opened.get(`${connection} ${productId}`, read);
    },
    /** The product may have been read up to 10 min ago. A read goes on after its caller has given up. */
    opened: (productId: string, read: () => Promise<Product>): Promise<Product> =>
      opened.get(`${connection} ${productId}`, read),
  });
}
