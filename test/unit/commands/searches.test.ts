import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Capabilities } from "../../../src/store-api/capabilities.ts";
import { type NewProduct, orderSchema, type Product, productSchema } from "../../../src/store-api/schemas.ts";
import { type OrderQuery, type Page, type Store, StoreError } from "../../../src/store-api/store-api.ts";
import { findCreated, findListed, findProduct, productsOn } from "../../../src/store-queries/find-product.ts";
import { listTaken } from "../../../src/store-queries/orders-by-handling.ts";
import { searchOrders } from "../../../src/store-queries/search-orders.ts";
import { codeOf } from "../../support/code-of.ts";
import { startStoreClient } from "../../support/store-client.ts";

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

it("a product that the store does not show any more costs ten requests (0.1.0: 20)", async () => {
  let requests = 0;
  const listProducts = async ({ page = 1 } = {}) => {
    requests += 1;
    return { items: [productSchema.parse({ id: page === 1 ? "there" : page })], lastPage: 500, skipped: 0 };
  };
  const store = { listProducts } as Partial<Store> as Store;
  expect(await codeOf(findProduct(store, "gone", "Title"))).toBe("not_found");
  expect(requests).toBe(10);
  expect((await findProduct(store, "there", undefined)).id).toBe("there");
});

describe("an API that ignores the page size of products", () => {
  /** 25 products on a page. */
  function shopWith(count: number) {
    const ids = Array.from({ length: count }, (_, at) => `p${at}`);
    const read: number[] = [];
    const listProducts = async ({ page = 1 } = {}) => {
      read.push(page);
      const items = ids.slice((page - 1) * 25, page * 25).map((id) => productSchema.parse({ id }));
      return { items, lastPage: Math.ceil(count / 25), skipped: 0 };
    };
    const store = { listProducts } as Partial<Store> as Store;
    return { ids, read, shop: { store } };
  }

  it("has all of them in the list (before: the first ten of each of its pages)", async () => {
    const { ids, shop } = shopWith(55);
    for (const page of [1, 2, 3, 4, 6, 7]) {
      const { items, lastPage } = await productsOn(shop, {}, page, "en");
      expect(items.map(({ id }) => id)).toEqual(ids.slice((page - 1) * 10, page * 10));
      expect(lastPage).toBe(6);
    }
  });

  it("opens a product of a late page from the list (before: not found, because a search reads ten pages)", async () => {
    const { read, shop } = shopWith(300);
    expect((await findListed(shop, {}, 30, "p299", "en")).id).toBe("p299");
    expect(read).toEqual([1, 30, 12]);
  });
});

describe("the product of an attempt without a clear answer", () => {
  const categoryId = "6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a01";
  const began = Date.UTC(2026, 2, 2);
  const asked: NewProduct = {
    type: "DEFAULT",
    categoryId,
    info: { title: "Moon Racer" },
    pricing: { price: 9.9 },
    inventory: { type: "SERIAL" },
  };
  const created = (more: object = {}): Product =>
    productSchema.parse({ ...asked, id: "new", createdAt: began + 1_000, ...more });
  /** `pages`: what the store has. `behindMs`: how far its clock is behind. */
  const foundIn = async (
    pages: readonly Product[],
    { product = asked, behindMs = 0, not = new Set<string>() } = {},
  ) => {
    const now = began + 5_000;
    const listProducts = async ({ page = 1 } = {}) => {
      const items = pages.slice(page - 1, page);
      return { items, lastPage: pages.length, skipped: 0, servedAt: now - behindMs };
    };
    const store = { listProducts } as Partial<Store> as Store;
    return (await findCreated(store, product, began, () => now, not))?.id;
  };

  it.each([
    ["with the same title, price and category", created(), "new"],
    ["with the title between spaces", created({ info: { title: " Moon Racer " } }), "new"],
    ["with the category in capitals", created({ categoryId: categoryId.toUpperCase() }), "new"],
    ["whose age is unknown", created({ createdAt: undefined }), "new"],
    ["that is older than the attempt", created({ createdAt: began - 3_600_000 }), undefined],
    ["with another price", created({ pricing: { price: 10 } }), undefined],
    ["in another category", created({ categoryId: "6f1c2a34-8b1d-4c53-9a57-0d2f6c1e7a09" }), undefined],
    ["with another title", created({ info: { title: "Moon Racer 2" } }), undefined],
  ])("is one %s or none", async (_, product, id) => expect(await foundIn([product])).toBe(id));

  it("is searched on every page, by the store's own clock, and is no other attempt's", async () => {
    const behindMs = 7_200_000;
    const late = created({ createdAt: began - behindMs + 1_000 });
    const others = Array.from({ length: 5 }, (_, at) => created({ id: `older-${at}`, createdAt: 1 }));
    expect(await foundIn([...others, late], { behindMs })).toBe("new");
    expect(await foundIn([...others, late])).toBeUndefined();
    expect(await foundIn([created({ id: "theirs" }), created()], { not: new Set(["theirs"]) })).toBe("new");
    const pasted = { ...asked, categoryId: categoryId.toUpperCase() };
    expect(await foundIn([created()], { product: pasted })).toBe("new");
  });
});

describe("a filter", () => {
  const email = "ana@example.com";

  /** Ana placed every second order, and every third one is paid. The store filters by status only. */
  const orders = Array.from({ length: 24 }, (_, index) =>
    orderSchema.parse({
      id: `o${index}`,
      status: index % 3 === 0 ? "PAID" : "PENDING",
      customer: { email: index % 2 === 0 ? email : "bob@example.com" },
    }),
  );

  function createStore(all = orders) {
    return {
      async listOrders({ statuses = [], page = 1, limit = 10 }: OrderQuery = {}) {
        const fitting = all.filter(({ status }) => statuses.length === 0 || statuses.includes(status));
        const items = fitting.slice((page - 1) * limit, page * limit);
        return { items, lastPage: Math.ceil(fitting.length / limit), skipped: 0 };
      },
      capabilities: new Capabilities(),
    } as Pick<Store, "listOrders" | "capabilities"> as Store;
  }

  it("is noticed as ignored although another filter of the list is applied, and the first page fits", async () => {
    const twice = [...orders, ...orders.map((order) => ({ ...order, id: `${order.id} again` }))];
    const isHers = (order: (typeof orders)[number]) => Number(order.customer?.email === email);
    const newest = twice.toSorted((one, other) => isHers(other) - isHers(one));
    const list = await searchOrders(createStore(newest), { statuses: ["PENDING"], email }, 1, "en");
    expect([list.items.length, list.lastPage]).toEqual([10, 2]);
    expect(list.notes).toEqual([expect.stringContaining("ignores this filter")]);
  });

  it("for an e-mail address with capitals finds the orders, also if the store distinguishes case", async () => {
    const store = createStore();
    store.listOrders = async ({ email } = {}) => {
      const items = orders.filter(({ customer }) => email === undefined || customer.email === email).slice(0, 10);
      return { items, lastPage: 1, skipped: 0 };
    };
    expect((await searchOrders(store, { email: "Ana@Example.com" }, 1, "en")).items).not.toEqual([]);
  });

  it("is ignored if the list is as long as without it, even if the first page fits", async () => {
    const store = createStore();
    store.listOrders = async ({ page = 1, limit = 10 } = {}) => {
      const sorted = orders.toSorted((one, other) => one.status.localeCompare(other.status)).slice(4);
      return { items: sorted.slice((page - 1) * limit, page * limit), lastPage: Math.ceil(20 / limit), skipped: 0 };
    };
    const list = await searchOrders(store, { statuses: ["PENDING"] }, 2, "en");
    expect(list.items).toHaveLength(6);
    expect(list.notes).toEqual([expect.stringContaining("ignores this filter")]);
  });
});

describe("an API that ignores the page number", () => {
  const note = (count: number) => `Only the first ${count} entries were searched.`;

  /** `size`: rows of a page, whatever page size is requested. */
  function storeWith(size: number) {
    const all = Array.from({ length: 65 }, (_, at) => orderSchema.parse({ id: `o${at}`, status: "PAID" }));
    const page = { items: all.slice(0, size), lastPage: Math.ceil(all.length / size), skipped: 0 };
    return { listOrders: async () => page, capabilities: new Capabilities() } as Partial<Store> as Store;
  }

  it("shows page 1, and a note at each other page (before: page 1 again and again)", async () => {
    const [first, second] = [1, 2].map((page) => searchOrders(storeWith(10), {}, page, "en"));
    expect(await first).toMatchObject({ lastPage: 7, notes: [] });
    expect(await second).toEqual({ items: [], page: 2, lastPage: 1, notes: [note(10)] });
  });

  it("and the page size shows the rows of page 1, and a note", async () => {
    for (const [page, ids] of [
      [1, ["o0", "o9"]],
      [2, ["o10", "o19"]],
      [3, [undefined, undefined]],
    ] as const) {
      const { items, ...list } = await searchOrders(storeWith(20), {}, page, "en");
      expect([items.at(0)?.id, items.at(-1)?.id]).toEqual(ids);
      expect(list).toEqual({ page, lastPage: 2, notes: [note(20)] });
    }
  });

  it("and a filter says how few entries were searched (before: nothing)", async () => {
    const { items, notes } = await searchOrders(storeWith(20), { email: "ana@example.com" }, 1, "en");
    expect(items).toEqual([]);
    expect(notes).toEqual([expect.stringContaining("ignores this filter"), note(20)]);
  });
});

describe("a list that the API may have filtered or not", () => {
  const placed = (status: string, index: number) =>
    orderSchema.parse({ id: `o${index}`, status, customer: { email: "ana@example.com" } });

  it("is not called unfiltered although it is as long as without the filter (before: “the store ignores this filter”)", async () => {
    const client = await startStoreClient();
    onTestFinished(client.close);
    client.pretend.placeOrders(24, () => ({ status: "PAID" }));

    const list = await searchOrders(client.store, { statuses: ["PAID"] }, 1, "en");

    expect([list.items.length, list.lastPage]).toEqual([10, 3]);
    expect(list.notes).toEqual([]);
  });

  it("does not pass for filtered because an order arrives between two requests (before: all pages counted as filtered)", async () => {
    const all = Array.from({ length: 20 }, (_, index) => placed(index < 12 ? "PENDING" : "PAID", index));
    const capabilities = new Capabilities();
    const store = {
      async listOrders({ page = 1, limit = 10 }: OrderQuery = {}) {
        const items = all.slice((page - 1) * limit, page * limit);
        const lastPage = Math.ceil(all.length / limit);
        all.unshift(placed("PENDING", all.length));
        return { items, lastPage, skipped: 0 };
      },
      capabilities,
    } as Pick<Store, "listOrders" | "capabilities"> as Store;

    const list = await searchOrders(store, { statuses: ["PENDING"] }, 1, "en");

    expect(capabilities.of("statuses")).not.toBe(true);
    expect([list.items.length, list.lastPage]).toEqual([10, 2]);
    expect(list.notes).toEqual([expect.stringContaining("ignores this filter")]);
  });

  it("of several statuses says that they are ignored, and counts each order once (before: each as often as statuses)", async () => {
    const client = await startStoreClient();
    onTestFinished(client.close);
    client.pretend.honours.status = false;
    client.pretend.placeOrders(600, (index) => ({ status: ["PAID", "PENDING", "CANCELLED"][index % 3] }));

    const list = await searchOrders(client.store, { statuses: ["PAID", "PENDING"] }, 1, "en");

    expect(list.items).toHaveLength(10);
    expect(list.notes).toEqual([
      expect.stringContaining("ignores this filter"),
      "Only the first 500 entries were searched.",
    ]);
  });

  it("shows what was read before the store failed (before: only the error)", async () => {
    const store = {
      async listOrders({ page = 1 }: OrderQuery = {}) {
        if (page > 1) throw new StoreError("unavailable", "orders");
        return { items: [placed("PAID", 1), placed("PENDING", 2)], lastPage: 5, skipped: 0 };
      },
      capabilities: new Capabilities(),
    } as Pick<Store, "listOrders" | "capabilities"> as Store;

    const { items, notes } = await searchOrders(store, { statuses: ["PAID"] }, 1, "en");

    expect(items.map(({ id }) => id)).toEqual(["o1"]);
    expect(notes).toContain("Only the first 2 entries were searched.");
  });

  it("is no list if the store refuses one of several statuses", async () => {
    const store = {
      async listOrders({ statuses = [] }: OrderQuery = {}) {
        if (statuses.includes("REFUNDED")) throw new StoreError("invalid", "orders", { detail: "unknown status" });
        return { items: [placed("PAID", 1)], lastPage: 1, skipped: 0 };
      },
      capabilities: new Capabilities(),
    } as Pick<Store, "listOrders" | "capabilities"> as Store;

    const found = searchOrders(store, { statuses: ["PAID", "REFUNDED"] }, 1, "en");

    await expect(found).rejects.toMatchObject({ code: "invalid", detail: "unknown status" });
  });
});

describe("a person waits 12 s at most, however many requests this takes:", () => {
  function slowly<T>(item: T, signal: AbortSignal | undefined): Promise<Page<T>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, 5_000, { items: [item], lastPage: 50, skipped: 0 });
      signal?.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason);
      });
    });
  }

  const taken = Array.from({ length: 10 }, (_, at) => `taken-${at}`);

  /** Slow, with many pages. Ignores filters and page sizes. */
  const store = {
    getOrder: async (id, signal) => {
      await slowly(id, signal);
      return orderSchema.parse({ id, status: "PAID" });
    },
    listOrders: ({ page } = {}, signal) => slowly(orderSchema.parse({ id: `o${page}`, status: "PAID" }), signal),
    listProducts: ({ page } = {}, signal) => slowly(productSchema.parse({ id: `p${page}` }), signal),
    capabilities: new Capabilities(),
  } as Pick<Store, "getOrder" | "listOrders" | "listProducts" | "capabilities"> as Store;

  const empty = {
    listOrders: async (_, signal) => ({ ...(await slowly(undefined, signal)), items: [], lastPage: 1 }),
    capabilities: new Capabilities(),
  } as Pick<Store, "listOrders" | "capabilities"> as Store;

  const products = Array.from({ length: 50 }, (_, at) => productSchema.parse({ id: `p${at}` }));
  const ofLargePages = {
    listProducts: async ({ page = 1 } = {}, signal) => ({
      ...(await slowly(undefined, signal)),
      items: products.slice((page - 1) * 25, page * 25),
      lastPage: 2,
    }),
  } as Pick<Store, "listProducts"> as Store;

  it("the last page of products is shown if a request takes 7 s (before: an error each time)", async () => {
    vi.useFakeTimers();
    const listProducts: Store["listProducts"] = async ({ page = 1 } = {}, signal) => {
      await new Promise((resolve, reject) => {
        setTimeout(resolve, 7_000, undefined);
        signal?.addEventListener("abort", () => reject(signal.reason));
      });
      return { items: products.slice((page - 1) * 10, page * 10), lastPage: 2, skipped: 0 };
    };
    const listed = productsOn({ store: { listProducts } as Partial<Store> as Store }, {}, 2, "en");
    const ended = listed.then(({ items }) => items.length, String);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(await ended).toBe(10);
  });

  it("a page is shown if the pages are longer and a request takes 5 s (before: an error each time)", async () => {
    vi.useFakeTimers();
    const page = productsOn({ store: ofLargePages }, {}, 5, "en");
    const listed = page.then(({ items }) => [items.at(0)?.id, items.at(-1)?.id], String);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(await listed).toEqual(["p40", "p49"]);
  });

  it.each([
    ["a product", () => findProduct(store, "another", "Title")],
    [
      "an e-mail address with capitals that no order has",
      () => searchOrders(empty, { email: "Ana@example.com" }, 1, "en"),
    ],
  ])("%s", async (_, work) => {
    vi.useFakeTimers();
    const startedAt = performance.now();
    const ended = codeOf(work()).then((code) => `${code} after ${Math.round(performance.now() - startedAt)} ms`);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await ended).toBe("timeout after 12000 ms");
  });

  it("an e-mail address with capitals that no order has shows that little was searched, if the store ignores it", async () => {
    vi.useFakeTimers();
    store.capabilities.note("email", false);
    const listed = searchOrders(store, { email: "Ana@example.com" }, 1, "en");
    await vi.advanceTimersByTimeAsync(12_000);
    expect(await listed).toMatchObject({
      items: [],
      notes: [expect.any(String), "Only the first 2 entries were searched."],
    });
  });

  it.each([
    ["a list that is filtered here", () => searchOrders(store, { statuses: ["PAID"] }, 1, "en"), 2],
    ["a list of several statuses", () => searchOrders(store, { statuses: ["PENDING", "PAID"] }, 1, "en"), 2],
    ["taken orders", () => listTaken(store, taken, {}, 1, "en"), 6],
    ["taken orders of page 2", () => listTaken(store, [...taken, ...taken], {}, 2, "en"), 16],
    ["taken orders of a status", () => listTaken(store, taken, { statuses: ["PAID"] }, 1, "en"), 6],
  ])("%s shows what was read by then (before: nothing, each time)", async (_, work, read) => {
    vi.useFakeTimers();
    store.capabilities.note("statuses", false);
    const listed = work();
    await vi.advanceTimersByTimeAsync(12_000);
    const { items, notes } = await listed;
    expect(items).not.toEqual([]);
    expect(notes).toContain(`Only the first ${read} entries were searched.`);
  });
});
