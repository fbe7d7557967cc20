import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createProductCategories } from "../../src/routing/product-categories.ts";
import type { Product } from "../../src/store-api/schemas.ts";
import { type Store, StoreError } from "../../src/store-api/store-api.ts";
import { aProduct } from "../support/views-support.ts";

/** A store whose products lie on pages; each request is counted. */
function createList(pages: readonly (readonly string[])[]) {
  const asked: (number | undefined)[] = [];
  const store: Pick<Store, "listProducts"> & { fails?: Error; hangs?: true } = {
    async listProducts({ page = 1 } = {}, signal) {
      asked.push(page);
      if (store.hangs)
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      if (store.fails) throw store.fails;
      const items = (pages[page - 1] ?? []).map((id): Product => aProduct({ id, categoryId: `of ${id}` }));
      return { items, lastPage: pages.length, skipped: 0 };
    },
  };
  return { store, asked };
}

let clock = 0;
const memory = () => createProductCategories(() => clock);

beforeEach(() => {
  clock = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the categories of products", () => {
  it("are read as far as they are wanted, and only once", async () => {
    const { store, asked } = createList([["a"], ["b"], ["c"]]);
    const { of } = memory();
    expect(await of(["b", ""], store)).toEqual(new Map([["b", "of b"]]));
    expect(asked).toEqual([1, 2]);
    // What stood on the way is known, too.
    expect(await of(["a", "b"], store)).toEqual(
      new Map([
        ["a", "of a"],
        ["b", "of b"],
      ]),
    );
    expect(asked).toEqual([1, 2]);
    expect(await of(["c"], store)).toEqual(new Map([["c", "of c"]]));
    expect(asked).toEqual([1, 2, 1, 2, 3]);
    expect(await of([""], store)).toEqual(new Map());
    expect(asked).toHaveLength(5);
  });

  it("are looked for on ten pages, and once a minute where something stays unknown", async () => {
    const { store, asked } = createList(Array.from({ length: 12 }, (_, index) => [`p${index}`]));
    const { of } = memory();
    expect(await of(["p9", "p11"], store)).toEqual(new Map([["p9", "of p9"]]));
    expect(asked).toHaveLength(10);
    clock = 59_999;
    expect(await of(["p9", "other"], store)).toEqual(new Map([["p9", "of p9"]]));
    expect(asked).toHaveLength(10);
    clock = 60_000;
    await of(["other"], store);
    expect(asked).toHaveLength(20);
  });

  it("stay unknown for a minute where the store fails, and nothing else is swallowed", async () => {
    const { store, asked } = createList([["a"]]);
    const { of } = memory();
    store.fails = new StoreError("unavailable", "products");
    expect(await of(["a"], store)).toEqual(new Map());
    delete store.fails;
    expect(await of(["a"], store)).toEqual(new Map());
    expect(asked).toHaveLength(1);
    clock = 60_000;
    expect(await of(["a"], store)).toEqual(new Map([["a", "of a"]]));

    store.fails = new TypeError("a fault of our own");
    await expect(of(["b"], store)).rejects.toThrow("a fault of our own");
  });

  it("are waited for no longer than 5 s, or until the caller gives up", async () => {
    vi.useFakeTimers();
    const { store } = createList([]);
    store.hangs = true;
    const late = memory().of(["a"], store);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(await Promise.race([late, "waiting"])).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1);
    expect(await late).toEqual(new Map());

    const caller = new AbortController();
    const given = memory().of(["a"], store, caller.signal);
    caller.abort(new StoreError("timeout", "the caller"));
    await expect(given).rejects.toThrow("the caller");
  });

  it("are kept of 10,000 products, without the oldest", async () => {
    const all = Array.from({ length: 10_001 }, (_, index) => `p${index}`);
    const { store, asked } = createList([all]);
    const { of } = memory();
    expect((await of(all, store)).size).toBe(10_000);
    expect(asked).toHaveLength(1);
    clock = 60_000;
    expect((await of(["p1"], store)).size).toBe(1);
    expect(asked).toHaveLength(1);
    await of(["p0"], store);
    expect(asked).toHaveLength(2);
  });
});
