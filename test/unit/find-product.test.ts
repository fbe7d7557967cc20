import { describe, expect, it } from "vitest";
import { Capabilities } from "../../src/store-api/capabilities.ts";
import { type Product, productSchema } from "../../src/store-api/schemas.ts";
import { type Store, StoreError } from "../../src/store-api/store-api.ts";
import { findProduct } from "../../src/store-queries/find-product.ts";
import { createStoreCache } from "../../src/store-queries/store-cache.ts";
import { codeOf } from "../support/code-of.ts";

const productOf = (id: string): Product => productSchema.parse({ id });

/** A store with many pages of products. `pages` are the products on the first ones, one each. */
function countingStore(pages: readonly string[]) {
  const asked: (string | undefined)[] = [];
  const failing = { times: 0 };
  const store = {
    async listProducts({ title, page = 1 } = {}) {
      asked.push(title);
      if (failing.times-- > 0) throw new StoreError("unavailable", "down");
      return { items: [productOf(pages[page - 1] ?? `other-${page}`)], lastPage: 500, skipped: 0 };
    },
    capabilities: new Capabilities(),
  } as Pick<Store, "listProducts" | "capabilities"> as Store;
  return { store, asked, failing };
}

function shopOf(pages: readonly string[] = []) {
  const clock = { now: 0 };
  const counting = countingStore(pages);
  const cache = createStoreCache(() => clock.now);
  return { ...counting, clock, cache, shop: { guildId: "1", store: counting.store, cache } };
}

describe("a product that the store does not show any more", () => {
  it("costs ten requests, and none for half a minute after that (0.1.0: 20 for every press)", async () => {
    const { shop, asked, clock } = shopOf();
    for (let press = 0; press < 50; press += 1)
      expect(await codeOf(findProduct(shop, "gone", "Title"))).toBe("not_found");
    expect(asked).toHaveLength(10);

    clock.now = 29_999;
    expect(await codeOf(findProduct(shop, "gone", "Title"))).toBe("not_found");
    expect(asked).toHaveLength(10);

    clock.now = 30_000;
    await codeOf(findProduct(shop, "gone", undefined));
    expect(asked).toHaveLength(20);
  });

  it("is searched again for another server, and after the token changed", async () => {
    const { shop, asked, cache } = shopOf(["there"]);
    await codeOf(findProduct(shop, "gone", undefined));
    expect((await findProduct(shop, "there", undefined)).id).toBe("there");
    await codeOf(findProduct({ ...shop, guildId: "12" }, "gone", undefined));
    expect(asked).toHaveLength(21);

    cache.forget("1");
    expect(cache.isMissing("12", "gone")).toBe(true);
    await codeOf(findProduct(shop, "gone", undefined));
    expect(asked).toHaveLength(31);
  });

  it("does not count as missing if the store could not be asked", async () => {
    const { shop, failing } = shopOf(["there"]);
    failing.times = 1;
    expect(await codeOf(findProduct(shop, "there", undefined))).toBe("unavailable");
    expect((await findProduct(shop, "there", undefined)).id).toBe("there");
  });
});

it("an empty id is no product, and no request", async () => {
  const { shop, asked } = shopOf();
  expect(await codeOf(findProduct(shop, "", "Title"))).toBe("not_found");
  expect(asked).toHaveLength(0);
});
