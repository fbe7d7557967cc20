import { afterEach, expect, it, test, vi } from "vitest";
import { Capabilities, ignoredFilters } from "../../../src/store-api/capabilities.ts";
import { orderSchema } from "../../../src/store-api/schemas.ts";
import { startAnsweringServer } from "../../support/answering-server.ts";
import { startStoreClient } from "../../support/store-client.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const day = 24 * 60 * 60_000;
const page = (statuses: readonly string[], lastPage = 1, skipped = 0) => ({
  items: statuses.map((status) => orderSchema.parse({ id: "o", status, customer: { email: "a@example.com" } })),
  lastPage,
  skipped,
});
const two = ["PAID", "PAID"];

it.each([
  [{ statuses: ["PENDING"] }, page(["pending"]), []],
  [{ statuses: ["PENDING"] }, page(two), ["statuses"]],
  [{ statuses: [] }, page(two), []],
  [{ email: "A@Example.com" }, page(two), []],
  [{ email: "b@example.com" }, page(two), ["email"]],
  [{ limit: 1 }, page(two), ["limit"]],
  [{ limit: 2 }, page(two, 5), []],
  [{ limit: 3 }, page(two, 5), ["limit"]],
  [{ limit: 3 }, page(two, 5, 1), []],
  [{ limit: 3, page: 5 }, page(two, 5), []],
  [{ limit: 3 }, page([], 5), []],
])("%j, answered with %j, shows as ignored: %j", (query, answer, ignored) => {
  expect(ignoredFilters(query, answer)).toEqual(ignored);
});

test("what was observed counts for a day; a contradiction counts at once, and only proof or the day ends it", () => {
  let now = 1_000;
  vi.spyOn(performance, "now").mockImplementation(() => now);
  const capabilities = new Capabilities();
  const limit = () => capabilities.of("limit");
  const see = (count: number) => capabilities.observe({ limit: 2 }, page(Array(count).fill("PAID"), 5));
  expect(limit()).toBeUndefined();
  see(2);
  expect(limit()).toBe(true);
  see(3);
  expect(limit()).toBe(false);
  see(2);
  expect(limit()).toBe(false);

  now += day - 1;
  see(2);
  expect(limit()).toBe(false);
  now += 1;
  expect(limit()).toBeUndefined();
  see(2);
  expect(limit()).toBe(true);
});

test("a later page with the rows of page 1 shows that the page number is ignored", () => {
  const capabilities = new Capabilities();
  const see = (number: number, ids: readonly string[], { lastPage = 3, limit = 2 } = {}) => {
    const items = ids.map((id) => orderSchema.parse({ id, status: "PAID" }));
    capabilities.observe({ page: number, limit, statuses: ["PAID"] }, { items, lastPage, skipped: 0 });
    return capabilities.of("page");
  };
  expect(see(1, ["a", "b"])).toBeUndefined();
  expect(see(2, ["a", "b"], { limit: 100 })).toBeUndefined();
  expect(see(2, [])).toBeUndefined();
  // Some APIs return the last page for a number that is too high.
  expect(see(2, ["a", "b"], { lastPage: 1 })).toBeUndefined();
  expect(see(2, ["a", "b"])).toBe(false);
  expect(see(1, ["c", "a"])).toBe(false);
  expect(see(3, ["b"])).toBe(true);
});

it.each([
  ["ignores the page number, if its order is on page 2 now", "a"],
  ["obeys the page number, if page 2 has the new page 1", "b"],
])("a page 1 that was read before a new order came does not show that the API %s", async (_, onPage2) => {
  const server = await startAnsweringServer("1");
  const client = await startStoreClient();
  const api = client.open(server.address);
  const store = api.forToken("t", "interactive");
  const page2 = Promise.withResolvers<void>();
  server.answer = async ({ what }) => {
    const isPage1 = /[?&]page=1&/.test(what);
    const isOld = server.arrived.length === 1;
    if (isPage1 && !isOld) await page2.promise;
    const id = isOld ? "a" : isPage1 ? "b" : onPage2;
    return { body: { success: true, data: { orders: [{ id, status: "PAID" }], lastPage: 3 } } };
  };
  await store.listOrders({ page: 1, limit: 1 });

  const again = store.listOrders({ page: 1, limit: 1 });
  await store.listOrders({ page: 2, limit: 1 });

  expect(store.capabilities.of("page")).toBeUndefined();
  page2.resolve();
  await again;
  await api.close();
  await client.close();
  server.close();
});

it.each(["%", "ana", "*@example.com", "b@%", "b @example.com"])(
  "nothing is learned from a filter that is no address: %j",
  (email) => {
    const capabilities = new Capabilities();
    capabilities.observe({ email }, page(["PAID"]));
    expect(capabilities.of("email")).toBeUndefined();
  },
);

test("each token has its own observations, from every way to read the list; an unchanged page is not parsed for that", async () => {
  const client = await startStoreClient();
  const { pretend, api, store } = client;
  const other = api.forToken(pretend.addShop().token, "interactive");
  pretend.placeOrders(12, (index) => ({ status: index % 2 === 0 ? "PENDING" : "PAID" }));
  const query = { limit: 5, statuses: ["PENDING"] };
  const first = await store.changedOrders(query, undefined);
  expect(store.capabilities.of("limit")).toBe(true);

  pretend.honours.status = false;
  const second = await store.changedOrders(query, first?.fingerprint);
  expect(second?.items).toHaveLength(5);
  expect(api.forToken(pretend.token, "background").capabilities.of("statuses")).toBe(false);

  store.capabilities.note("statuses", true);
  expect(await store.changedOrders(query, second?.fingerprint)).toBeUndefined();
  expect(store.capabilities.of("statuses")).toBe(true);

  // 0.1.0: such an address made the bot filter for every server.
  pretend.honours.email = false;
  await store.listOrders({ email: "nobody@example.com" });
  await other.listOrders({ email: "nobody@example.com" });
  expect(store.capabilities.of("email")).toBe(false);
  expect(other.capabilities.of("email")).toBeUndefined();
  await client.close();
});
