import { BoundedMap } from "../basics/limits/bounded-map.ts";
import { largestPageSize } from "../store-api/list-pages.ts";
import type { Order } from "../store-api/schemas.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import type { ProductCategories } from "./match-rules.ts";

/**
 * For each store, the bot remembers at most this many products, and as many that were not found. If ids are UUIDs, this takes
 * at most 2 MB.
 */
const mostKept = 10_000;
/** A look-up searches for at most this many titles. This finds new products. */
const mostTitles = 5;
/** A look-up reads at most this many pages of the product list. This finds products whose title was changed. */
const mostPages = 10;
/** Least time between two searches for a product that was not found. Most such products were deleted. */
const againMs = 60_000;
/** Time limit of one look-up. Orders wait for it. */
const longestMs = 10_000;

type Item = Pick<Order["items"][number], "productId" | "productTitle">;
type Products = Pick<Store, "listProducts">;

export function createProductCategories(monotonic: () => number = () => performance.now()) {
  const known = new BoundedMap<string, string>(mostKept);
  /** When each product that was not found may be searched for again. */
  const missed = new BoundedMap<string, number>(mostKept);
  /** The page of the product list where the next look-up begins. */
  let nextPage = 1;

  async function look(wanted: ReadonlyMap<string, string>, store: Products, signal: AbortSignal): Promise<void> {
    const left = () => [...wanted].filter(([id]) => !known.has(id));
    async function read(query: { readonly page: number; readonly title?: string }) {
      const { items, lastPage } = await store.listProducts({ ...query, limit: largestPageSize }, signal);
      for (const { id, categoryId } of items) known.set(id, categoryId);
      return lastPage;
    }
    const titled = left().filter(([, title]) => title.trim() !== "");
    for (const [id, title] of titled.slice(0, mostTitles)) {
      if (!known.has(id)) await read({ page: 1, title });
    }
    for (let pages = 0, lastPage = mostPages; pages < Math.min(lastPage, mostPages) && left().length > 0; pages++) {
      lastPage = await read({ page: nextPage });
      nextPage = nextPage < lastPage ? nextPage + 1 : 1;
    }
  }

  return {
    /** Asks the store only for unknown products: at most 15 requests in 10 s. Throws only the reason of `signal`. */
    async of(items: Iterable<Item>, store: Products, signal?: AbortSignal): Promise<ProductCategories> {
      const wanted = new Map([...items].map(({ productId, productTitle }) => [productId, productTitle]));
      wanted.delete("");
      const isDue = (id: string) => !known.has(id) && monotonic() >= (missed.get(id) ?? Number.NEGATIVE_INFINITY);
      const unknown = new Map([...wanted].filter(([id]) => isDue(id)));
      // Set before the search. So a call during the search does not wait, and gets no categories of these products.
      for (const id of unknown.keys()) missed.set(id, monotonic() + againMs);
      if (unknown.size > 0) {
        const late = new AbortController();
        const timer = setTimeout(() => late.abort(new StoreError("timeout", "products' categories")), longestMs);
        const either = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
        try {
          await look(unknown, store, either);
        } catch (error) {
          if (signal?.aborted || !(error instanceof StoreError)) throw error;
        } finally {
          clearTimeout(timer);
        }
      }
      return new Map([...wanted.keys()].flatMap((id) => (known.has(id) ? [[id, known.get(id) ?? ""] as const] : [])));
    },
  };
}

export type CategoryMemory = ReturnType<typeof createProductCategories>;
