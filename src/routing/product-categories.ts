import { BoundedMap } from "../basics/bounded-map.ts";
import { largestPageSize } from "../store-api/listing.ts";
import type { Order } from "../store-api/schemas.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import type { ProductCategories } from "./match-rules.ts";

/** Of one server, 100 bytes each, known ones and missed ones: two megabytes. Of more, the oldest go, and are asked for again. */
const mostKept = 10_000;
/** Requests of one look. A new product is found by its title; what the list calls otherwise, on one of its pages. */
const mostTitles = 5;
const mostPages = 10;
/** What was not found is mostly a product that is gone: it is looked for once in so long. */
const againMs = 60_000;
/** Orders wait for it. */
const longestMs = 10_000;

/** One line of an order, as far as it names a product. */
type Item = Pick<Order["items"][number], "productId" | "productTitle">;
type Products = Pick<Store, "listProducts">;

/** The categories of one store's products. */
export interface CategoryMemory {
  /**
   * The categories of these products, as far as the store lists them: it is asked only for those that are not known yet,
   * with 15 requests at most, for 10 s at most. Throws nothing but the reason of `signal`.
   */
  of(items: Iterable<Item>, store: Products, signal?: AbortSignal): Promise<ProductCategories>;
}

/** @param monotonic a clock that only runs forward, in milliseconds */
export function createProductCategories(monotonic: () => number = () => performance.now()): CategoryMemory {
  /** By id, the oldest first. */
  const known = new BoundedMap<string, string>(mostKept);
  /** Until when products that were not found are not looked for, by id. */
  const missed = new BoundedMap<string, number>(mostKept);
  /** Where the next look through the pages begins: the last one stopped before it. */
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
    async of(items, store, signal) {
      const wanted = new Map([...items].map(({ productId, productTitle }) => [productId, productTitle]));
      wanted.delete("");
      const isDue = (id: string) => !known.has(id) && monotonic() >= (missed.get(id) ?? Number.NEGATIVE_INFINITY);
      const unknown = new Map([...wanted].filter(([id]) => isDue(id)));
      // A caller that asks meanwhile does without.
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
