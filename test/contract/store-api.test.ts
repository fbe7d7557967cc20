import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { createStoreApi, type Store, type StoreApi } from "../../src/store-api/store-api.ts";
import { categories, type PretendStore, startStore } from "../sandbox/store/start-store.ts";

const orderParams = { page: "page", limit: "limit", email: "email", status: "status" };
const silent = { debug: () => undefined, warn: () => undefined };
const unknownId = "3fa85f64-5717-4562-b3fc-2c963f66afa6";

let pretend: PretendStore;
let api: StoreApi;
let store: Store;

beforeEach(async () => {
  pretend = await startStore();
  api = createStoreApi({ baseUrl: pretend.url, orderParams, log: silent });
  store = api.forToken(pretend.token, "interactive");
});
afterEach(async () => {
  await api.close();
  await pretend.close();
});

describe("orders", () => {
  it("have every documented field and no other", async () => {
    const placed = pretend.placeOrder();
    const listed = await store.listOrders();
    const order = await store.getOrder(placed.id);
    expect(listed).toMatchObject({ lastPage: 1, skipped: 0, items: [order] });
    expect(listed.servedAt).toBeGreaterThan(Date.now() - 60_000);

    const { id, status, customer, pricing, paymentMethod } = placed;
    const createdAt = Date.parse(placed.createdAt);
    const items = placed.items.map(({ inventory: _, ...item }) => item);
    expect(order).toEqual({ id, status, customer, items, pricing, paymentMethod, createdAt });
    expect(JSON.stringify([listed, order])).not.toContain("GOODS-");
  });

  it("continue after a full page if no last page is named (0.1.0: a full page was the last, and later orders were never announced)", async () => {
    const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `o${index}` }));
    const answer = async (orders: unknown[], lastPage?: unknown) => {
      pretend.fail({ body: { success: true, data: { orders, lastPage } }, times: 1 });
      return store.listOrders({ page: 4, limit: 10 });
    };
    expect(await answer(rows(10))).toMatchObject({ lastPage: 5, mayHaveMore: true });
    expect(await answer([...rows(9), null], null)).toMatchObject({ lastPage: 5, skipped: 1 });
    expect(await answer(rows(9))).toMatchObject({ mayHaveMore: false });
    expect((await answer(rows(9), 4)).mayHaveMore).toBeUndefined();
    for (const page of [await answer(rows(9)), await answer(rows(11)), await answer([]), await answer(rows(10), 4)]) {
      expect(page).toMatchObject({ lastPage: 4 });
    }

    pretend.fail({ body: { success: true, data: { orders: rows(10) } }, times: 1 });
    expect(await store.listOrders()).toMatchObject({ lastPage: 1 });
  });

  it("are filtered by e-mail and by several statuses", async () => {
    const [first, second, third] = pretend.placeOrders(3, (index) => ({
      status: ["PENDING", "PAID", "REFUNDED"][index] ?? "",
      customer: { email: `buyer+${index}@example.com`, name: "Ana" },
    }));
    const byStatus = await store.listOrders({ statuses: ["PENDING", "REFUNDED"] });
    expect(byStatus.items.map((order) => order.id)).toEqual([third?.id, first?.id]);

    const byEmail = await store.listOrders({ email: "buyer+1@example.com" });
    expect(byEmail.items.map((order) => order.id)).toEqual([second?.id]);
    expect(pretend.requests.map((request) => request.query)).toEqual([
      { status: "PENDING,REFUNDED" },
      { email: "buyer+1@example.com" },
    ]);
  });

  it("are requested with the configured parameter names, under a path prefix", async () => {
    const names = { page: "p", limit: "size", email: "mail", status: "state" };
    const named = createStoreApi({ baseUrl: `${pretend.url}/shop/v2/`, orderParams: names, log: silent });
    const query = { page: 2, limit: 5, email: "a@example.com", statuses: ["PAID"] };
    await expect(named.forToken(pretend.token, "interactive").listOrders(query)).resolves.toMatchObject({
      isGone: true,
    });

    await named.close();
    expect(pretend.requests).toMatchObject([
      {
        path: "/shop/v2/open-api/checkout/order",
        query: { p: "2", size: "5", mail: "a@example.com", state: "PAID" },
        authorization: `Bearer ${pretend.token}`,
      },
    ]);
  });

  it("are returned only if the bytes of their page have changed, and a page that is gone is always returned", async () => {
    pretend.placeOrders(12);
    const query = { page: 2, limit: 10 };
    const first = await store.changedOrders(query, undefined);
    expect(first).toMatchObject({ items: [{}, {}], lastPage: 2, skipped: 0 });
    expect(await store.changedOrders(query, first?.fingerprint)).toBeUndefined();

    const { fingerprint: _, ...plain } = { ...first, servedAt: expect.any(Number) };
    expect(await store.listOrders(query)).toMatchObject(plain);

    pretend.setStatus(pretend.orders[0]?.id ?? "", "PAID");
    const second = await store.changedOrders(query, first?.fingerprint);
    expect(second?.items.map(({ status }) => status).toSorted()).toEqual(["PAID", "PENDING"]);
    expect(second?.fingerprint).not.toBe(first?.fingerprint);

    pretend.fail({ page: 2, status: 404 });
    const gone = await store.changedOrders(query, second?.fingerprint);
    expect(gone).toEqual({ items: [], lastPage: 1, skipped: 0, isGone: true, fingerprint: "" });
    expect(await store.changedOrders(query, gone?.fingerprint)).toEqual(gone);
  });

  it("and products report a missing page as gone, unless it is the first", async () => {
    for (const rule of [{ status: 404 }, { body: { success: false, message: "Not found" } }]) {
      const undo = pretend.fail(rule);
      const gone = { items: [], lastPage: 6, skipped: 0, isGone: true };
      expect(await store.listOrders({ page: 7 })).toMatchObject(gone);
      expect(await store.listProducts({ page: 7 })).toEqual(gone);
      await expect(store.listOrders()).rejects.toMatchObject({ code: "malformed" });
      await expect(store.listProducts({ page: 1 })).rejects.toMatchObject({ code: "malformed" });
      undo();
    }
  });

  it("are not found if they do not exist or the id is invalid; an id that changes the path is not requested", async () => {
    await expect(store.getOrder("no uuid")).rejects.toMatchObject({ code: "not_found" });
    expect(pretend.requests).toHaveLength(1);
    await expect(store.getOrder("..")).rejects.toMatchObject({ code: "not_found" });
    await expect(store.getOrder("../catalog/product")).rejects.toMatchObject({ code: "not_found" });
    expect(pretend.requests.at(-1)?.path).toMatch(/\/order\/\.\.%2Fcatalog%2Fproduct$/);
    await expect(store.getOrder(unknownId)).rejects.toMatchObject({ code: "not_found" });
    expect(pretend.requests).toHaveLength(3);
  });
});

describe("products", () => {
  const product: NewProduct = {
    type: "DEFAULT",
    categoryId: categories[0].id,
    info: {
      title: "Moon Racer",
      description: "A key for **Moon Racer**",
      images: ["https://images.example/moon.png"],
      youtubeLink: "https://youtu.be/abc",
      instructions: "Redeem it",
    },
    pricing: { price: 12.34, comparation: 20 },
    inventory: { type: "SERIAL", content: "AAAA-BBBB\nCCCC-DDDD", fileName: "keys.txt" },
    utils: { hideSales: true, hideProduct: false, minQuantity: 2 },
    chat: { enabled: true, autoMessages: ["Thank you!"] },
  };

  it("are created with every field of the document, or only the required ones, and listed", async () => {
    const { id } = await store.createProduct(product);
    expect(pretend.products).toMatchObject([{ id, submitted: product }]);

    const { type, categoryId, pricing, inventory } = product;
    await store.createProduct({ type, categoryId, info: { title: "Plain" }, pricing, inventory });
    expect(pretend.products[1]?.submitted).toEqual({ type, categoryId, info: { title: "Plain" }, pricing, inventory });

    const items = (await store.listProducts()).items.filter((listed) => listed.id === id);
    expect(items).toMatchObject([{ id, type, categoryId, pricing }]);

    const { title, description, images } = product.info;
    expect(items[0]?.info).toEqual({ title, description, images, slug: pretend.products[0]?.info.slug });
    expect(JSON.stringify(items)).not.toContain("AAAA-BBBB");
  });

  it("are requested with any typed text, which arrives unchanged", async () => {
    const titles = ["a b+c&d=e?f#g/h%20", "é😀", "\ud83d half", "'\"<>\\"];
    for (const title of titles) await store.listProducts({ title });
    expect(pretend.requests.map(({ query }) => query.title)).toEqual(titles.map((title) => title.toWellFormed()));
  });

  it("are refused if invalid, with the API's own words", async () => {
    const refused = store.createProduct({ ...product, pricing: { price: -1 } });
    await expect(refused).rejects.toMatchObject({
      code: "invalid",
      detail: expect.stringMatching(/^pricing\.price: /),
    });
    expect(pretend.products).toEqual([]);
  });
});

describe("the pretend store", () => {
  const get = (path: string) =>
    fetch(`${pretend.url}${path}`, { headers: { authorization: `Bearer ${pretend.token}` } });

  it.each([
    ["/open-api/checkout/order?limit=101", 400],
    ["/open-api/checkout/order?page=0", 400],
    ["/open-api/checkout/order?limit=100&colour=red", 200],
    ["/open-api/checkout/order/12", 400],
    [`/open-api/checkout/order/${unknownId}`, 404],
    ["/open-api/catalog/product?categoryId=games", 400],
    ["/open-api/elsewhere", 404],
  ])("answers %s with %i", async (path, status) => {
    expect((await get(path)).status).toBe(status);
  });
});
