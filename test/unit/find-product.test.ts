import { expect, it } from "vitest";
import { productSchema } from "../../src/store-api/schemas.ts";
import { type Store, StoreError } from "../../src/store-api/store-api.ts";
import { findProduct } from "../../src/store-queries/find-product.ts";
import { createStoreCache } from "../../src/store-queries/store-cache.ts";
import { codeOf } from "../support/code-of.ts";

/** A store with many pages of products, one product each; `there` is on the first page. */
function shopOf() {
  const state = { now: 0, requests: 0, failures: 0 };
  const store = {
    async listProducts({ page = 1 } = {}) {
      state.requests += 1;
      if (state.failures-- > 0) throw new StoreError("unavailable", "down");
      return { items: [productSchema.parse({ id: page === 1 ? "there" : page })], lastPage: 500, skipped: 0 };
    },
  } as Pick<Store, "listProducts"> as Store;
  const cache = createStoreCache(() => state.now);
  return { state, cache, shop: { guildId: "1", store, cache } };
}

it("a product that the store does not show any more costs ten requests, and none for half a minute after that (0.1.0: 20 for every press)", async () => {
  const { shop, state, cache } = shopOf();
  for (const now of [0, 1, 29_999]) {
    state.now = now;
    expect(await codeOf(findProduct(shop, "gone", "Title"))).toBe("not_found");
  }
  expect(state.requests).toBe(10);

  state.now = 30_000;
  await codeOf(findProduct(shop, "gone", undefined));
  expect(state.requests).toBe(20);
  expect((await findProduct(shop, "there", undefined)).id).toBe("there");

  // Another server has another store, and so has a server after its token changed.
  await codeOf(findProduct({ ...shop, guildId: "12" }, "gone", undefined));
  cache.forget("1");
  await codeOf(findProduct(shop, "gone", undefined));
  await codeOf(findProduct({ ...shop, guildId: "12" }, "gone", undefined));
  expect(state.requests).toBe(41);
});

it("a product does not count as missing if the store could not be asked, and an empty id is not searched for", async () => {
  const { shop, state } = shopOf();
  state.failures = 1;
  expect(await codeOf(findProduct(shop, "there", undefined))).toBe("unavailable");
  expect((await findProduct(shop, "there", undefined)).id).toBe("there");
  expect(await codeOf(findProduct(shop, "", "Title"))).toBe("not_found");
  expect(state.requests).toBe(2);
});
