import { largestPageSize } from "../store-api/listing.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import type { ProductCategories } from "./fit.ts";

/** Of one server, 100 bytes each: a megabyte. Of more, the oldest go, and are asked for again. */
const mostKept = 10_000;
/** A store of more products than these pages hold has some whose category stays unknown. */
const mostPages = 10;
/** What the list does not have is mostly a product that is gone: it is looked for once in so long. */
const againMs = 60_000;
/** Orders wait for it. */
const longestMs = 5_000;

/** The categories of one store's products. */
export interface CategoryMemory {
  /**
   * The categories of these products, as far as the store lists them: it is asked only for those that are not known yet,
   * with ten requests at most. Throws nothing but the reason of `signal`.
   */
  of(
    productIds: Iterable<string>,
    store: Pick<Store, "listProducts">,
    signal?: AbortSignal,
  ): Promise<ProductCategories>;
}

/** @param monotonic a clock that only runs forward, in milliseconds */
export function createProductCategories(monotonic: () => number = () => performance.now()): CategoryMemory {
  /** By id, the oldest first. */
  const known = new Map<string, string>();
  let askAgainAt = Number.NEGATIVE_INFINITY;

  function keep(id: string, category: string) {
    known.delete(id);
    known.set(id, category);
    for (const oldest of known.keys()) {
      if (known.size <= mostKept) break;
      known.delete(oldest);
    }
  }

  async function read(wanted: ReadonlySet<string>, store: Pick<Store, "listProducts">, signal?: AbortSignal) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new StoreError("timeout", "products' categories")), longestMs);
    const either = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
    try {
      const left = new Set(wanted);
      for (let page = 1, lastPage = 1; page <= Math.min(lastPage, mostPages) && left.size > 0; page += 1) {
        const answer = await store.listProducts({ page, limit: largestPageSize }, either);
        for (const { id, categoryId } of answer.items) {
          keep(id, categoryId);
          left.delete(id);
        }
        lastPage = answer.lastPage;
      }
    } catch (error) {
      if (signal?.aborted || !(error instanceof StoreError)) throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    async of(productIds, store, signal) {
      const wanted = new Set(productIds);
      wanted.delete("");
      const unknown = () => new Set([...wanted].filter((id) => !known.has(id)));
      if (unknown().size > 0 && monotonic() >= askAgainAt) {
        // Whoever asks meanwhile does without.
        askAgainAt = monotonic() + againMs;
        await read(unknown(), store, signal);
        if (unknown().size === 0) askAgainAt = Number.NEGATIVE_INFINITY;
      }
      return new Map([...wanted].flatMap((id) => (known.has(id) ? [[id, known.get(id) ?? ""] as const] : [])));
    },
  };
}
