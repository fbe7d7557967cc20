import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Capabilities } from "../../src/store-api/capabilities.ts";
import { orderSchema } from "../../src/store-api/schemas.ts";
import { createStoreApi, type Store, type StoreApi } from "../../src/store-api/store-api.ts";
import { type PretendStore, startStore } from "../sandbox/store/start-store.ts";

const day = 24 * 60 * 60_000;
const order = (status: string, email = "a@example.com") => orderSchema.parse({ id: "o", status, customer: { email } });
const page = (statuses: readonly string[], lastPage = 1) => ({
  items: statuses.map((status) => order(status)),
  lastPage,
  skipped: 0,
});

describe("the observed features of an API", () => {
  let now: number;
  const create = () => new Capabilities(() => now);
  beforeEach(() => {
    now = 1_000;
  });

  it("are unknown at first, and again after a day", () => {
    const capabilities = create();
    expect(capabilities.of("status")).toBeUndefined();

    capabilities.note("status", true);
    capabilities.note("email", false);
    now += day - 1;

    expect([capabilities.of("status"), capabilities.of("email")]).toEqual([true, false]);

    now += 1;
    expect([capabilities.of("status"), capabilities.of("email")]).toEqual([undefined, undefined]);
  });

  it("are withdrawn as soon as an answer contradicts them, and return only on proof or after a day", () => {
    const capabilities = create();
    const full = { limit: 2 };

    capabilities.observe(full, page(["PAID", "PAID"], 5));

    expect(capabilities.of("limit")).toBe(true);

    capabilities.observe(full, page(["PAID", "PAID", "PAID"], 5));
    expect(capabilities.of("limit")).toBe(false);

    capabilities.observe(full, page(["PAID", "PAID"], 5));
    expect(capabilities.of("limit")).toBe(false);

    capabilities.note("limit", true);
    expect(capabilities.of("limit")).toBe(true);

    capabilities.observe({ limit: 3 }, page(["PAID"], 5));
    now += day;
    capabilities.observe(full, page(["PAID", "PAID"], 5));

    expect(capabilities.of("limit")).toBe(true);
  });

  it.each(["%", "ana", "*@example.com", "b@%", "b @example.com"])(
    "are not learned from a filter that is no address: %j",
    (email) => {
      const capabilities = create();
      capabilities.observe({ email }, page(["PAID"]));

      expect(capabilities.of("email")).toBeUndefined();
    },
  );
});

describe("against a store", () => {
  let pretend: PretendStore;
  let api: StoreApi;
  let store: Store;
  beforeEach(async () => {
    pretend = await startStore();
    api = createStoreApi({
      baseUrl: pretend.url,
      orderParams: pretend.paramNames,
      log: { debug: () => undefined, warn: () => undefined },
    });
    store = api.forToken(pretend.token, "background");
  });
  afterEach(async () => {
    await api.close();
    await pretend.close();
  });

  it("the input of one server changes nothing for another (0.1.0: `email:%` made the bot filter for every server)", async () => {
    const other = pretend.addShop();
    other.placeOrders(5);
    pretend.placeOrders(5);
    pretend.honours.email = false;
    const query = { email: "nobody@example.com" };
    await api.forToken(pretend.token, "interactive").listOrders(query);
    const elsewhere = api.forToken(other.token, "interactive");

    await elsewhere.listOrders(query);

    expect(store.capabilities.of("email")).toBe(false);
    expect(elsewhere.capabilities.of("email")).toBeUndefined();
    expect(api.forToken(pretend.token, "interactive").capabilities.of("email")).toBe(false);
  });

  it("every way to read the list is observed, but an unchanged page is not parsed for that", async () => {
    pretend.placeOrders(12, (index) => ({ status: index % 2 === 0 ? "PENDING" : "PAID" }));
    const query = { limit: 5, statuses: ["PENDING"] };
    const first = await store.changedOrders(query, undefined);

    expect(store.capabilities.of("limit")).toBe(true);

    pretend.honours.status = false;
    const second = await store.changedOrders(query, first?.fingerprint);

    expect(second?.items).toHaveLength(5);
    expect(store.capabilities.of("status")).toBe(false);

    store.capabilities.note("status", true);
    expect(await store.changedOrders(query, second?.fingerprint)).toBeUndefined();
    expect(store.capabilities.of("status")).toBe(true);
  });
});
