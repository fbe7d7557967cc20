import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createProductCategories } from "../../../src/routing/product-categories.ts";
import type { Product } from "../../../src/store-api/schemas.ts";
import { type Store, StoreError } from "../../../src/store-api/store-api.ts";
import { aProduct } from "../../support/views-support.ts";

/** The titles of products are their ids. Counts the requests. */
function createList(pages: readonly (readonly string[])[]) {
  const asked: (number | string)[] = [];
  const store: Pick<Store, "listProducts"> & { fails?: Error; hangs?: true } = {
    async listProducts({ page = 1, title } = {}, signal) {
      asked.push(title ?? page);
      if (store.hangs)
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      if (store.fails) throw store.fails;
      const rows = title === undefined ? (pages[page - 1] ?? []) : pages.flat().filter((id) => id === title);
      const items = rows.map((id): Product => aProduct({ id, categoryId: `of ${id}` }));
      return { items, lastPage: title === undefined ? pages.length : 1, skipped: 0 };
    },
  };
  return { store, asked };
}

/** No product has the title of a renamed one. */
const called = (ids: readonly string[]) => ids.map((id) => ({ productId: id, productTitle: id }));
const renamed = (...ids: readonly string[]) => ids.map((id) => ({ productId: id, productTitle: "" }));

let clock = 0;
const memory = () => createProductCategories(() => clock);

beforeEach(() => {
  clock = 0;
});
afterEach(() => {
  vi.useRealTimers();
});

describe("the categories of products", () => {
  it("are searched by the products' titles, then on the pages, and only once; those of these pages are then known", async () => {
    const { store, asked } = createList([["a"], ["b"], ["c"]]);
    const { of } = memory();
    for (const items of [[...called(["c"]), ...renamed("")], called(["c"])]) {
      expect(await of(items, store)).toEqual(new Map([["c", "of c"]]));
    }
    expect([await of(renamed("b"), store), await of(renamed("a"), store)]).toEqual([
      new Map([["b", "of b"]]),
      new Map([["a", "of a"]]),
    ]);
    expect(asked).toEqual(["c", 1, 2]);
  });

  it("are searched from the page where the last look-up stopped, with five titles and ten pages at most", async () => {
    const { store, asked } = createList(Array.from({ length: 14 }, (_, index) => [`p${index}`]));
    const { of } = memory();
    const gone = Array.from({ length: 7 }, (_, index) => `gone ${index}`);
    expect(await of([...called(gone), ...renamed("p12")], store)).toEqual(new Map());
    expect(asked).toEqual([...gone.slice(0, 5), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    clock = 60_000;
    expect(await of(renamed("p12"), store)).toEqual(new Map([["p12", "of p12"]]));
    expect(asked.slice(15)).toEqual([11, 12, 13]);
  });

  it("of an unlisted product are searched once a minute, and do not delay other products", async () => {
    const { store, asked } = createList([["a"]]);
    const { of } = memory();
    expect(await of(called(["gone"]), store)).toEqual(new Map());
    clock = 59_999;
    expect(await of(called(["gone", "new"]), store)).toEqual(new Map());
    expect(await of(called(["gone", "a"]), store)).toEqual(new Map([["a", "of a"]]));
    expect(asked).toEqual(["gone", 1, "new", 1]);
    clock = 60_000;
    await of(called(["gone"]), store);
    expect(asked.slice(4)).toEqual(["gone", 1]);
  });

  it("stay unknown for a minute if the store fails; other errors are thrown", async () => {
    const { store, asked } = createList([["a"]]);
    const { of } = memory();
    store.fails = new StoreError("unavailable", "products");
    expect(await of(called(["a"]), store)).toEqual(new Map());
    delete store.fails;
    expect(await of(called(["a"]), store)).toEqual(new Map());
    expect(asked).toHaveLength(1);
    clock = 60_000;
    expect(await of(called(["a"]), store)).toEqual(new Map([["a", "of a"]]));

    store.fails = new TypeError("a fault of our own");
    await expect(of(called(["b"]), store)).rejects.toThrow("a fault of our own");
  });

  it("take at most 10 s, or until the caller aborts", async () => {
    vi.useFakeTimers();
    const { store } = createList([]);
    store.hangs = true;
    const late = memory().of(called(["a"]), store);
    await vi.advanceTimersByTimeAsync(9_999);
    expect(await Promise.race([late, "waiting"])).toBe("waiting");
    await vi.advanceTimersByTimeAsync(1);
    expect(await late).toEqual(new Map());

    const caller = new AbortController();
    const given = memory().of(called(["a"]), store, caller.signal);
    caller.abort(new StoreError("timeout", "the caller"));
    await expect(given).rejects.toThrow("the caller");
  });
});
