import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  crowdedPage,
  type FaultRule,
  firewallPage,
  type PretendStore,
  startStore,
  timeFormats,
} from "../sandbox/store/start-store.ts";

const orders = "/open-api/checkout/order";
const products = "/open-api/catalog/product";

let store: PretendStore;
beforeEach(async () => {
  store = await startStore();
});
afterEach(() => store.close());

const ask = (path: string, token = store.token, signal?: AbortSignal) =>
  fetch(`${store.url}${path}`, { headers: { authorization: `Bearer ${token}` }, signal });

interface Row {
  readonly id: string;
  readonly status: string;
  readonly createdAt?: string | number;
}
async function list(query = "", token = store.token, path = orders) {
  const response = await ask(`${path}${query}`, token);
  const { data } = (await response.json()) as { data: { orders?: Row[]; products?: Row[]; lastPage: number } };
  const rows = data.orders ?? data.products ?? [];
  return { rows, ids: rows.map(({ id }) => id), statuses: rows.map(({ status }) => status), lastPage: data.lastPage };
}

/** Requests of this token that are under way. */
const open = (token: string) => store.requests.filter((request) => request.isOpen && request.token === token);

describe("a refusal of the pretend store", () => {
  it("of a firewall is a page for people, on one path, for a while or until it is taken away", async () => {
    store.fail({ ...firewallPage, path: /order$/, times: 1 });
    expect((await ask(products)).status).toBe(200);

    const blocked = await ask(orders);
    expect(blocked.status).toBe(403);
    expect(blocked.headers.get("content-type")).toMatch(/^text\/html/);
    expect(blocked.headers.get("server")).toBe("cloudflare");
    expect(await blocked.text()).toMatch(/^<!DOCTYPE html>/);
    expect((await ask(orders)).status).toBe(200);

    const end = store.fail(firewallPage);
    expect([(await ask(orders)).status, (await ask(products)).status]).toEqual([403, 403]);

    end();
    expect((await ask(orders)).status).toBe(200);
  });

  it.each([401, 403])("with %i and JSON, or with nothing in it, is the store's own", async (status) => {
    store.fail({ status, times: 1 });
    const own = await ask(orders);

    expect([own.status, own.headers.get("content-type")]).toEqual([status, "application/json"]);
    expect(await own.json()).toMatchObject({ success: false });

    store.fail({ status, body: "", times: 1 });
    const empty = await ask(orders);

    expect([empty.status, await empty.text()]).toEqual([status, ""]);
  });

  it.each([
    ["milliseconds", "120000"],
    ["an epoch in seconds", String(Math.floor(Date.now() / 1_000) + 60)],
    ["an epoch in milliseconds", String(Date.now() + 60_000)],
    ["a date", new Date(Date.now() + 60_000).toUTCString()],
    ["a negative number", "-5"],
    ["garbage", "in a while"],
    ["nothing", ""],
  ])("carries a Retry-After of %s as it is told to", async (_, value) => {
    store.fail({ status: 429, headers: { "retry-after": value } });
    const { status, headers } = await ask(orders);

    expect([status, headers.get("retry-after")]).toEqual([429, value]);
  });
});

describe("several statuses in one query to the pretend store", () => {
  const asked = async (query: string) => new Set((await list(query)).statuses);
  beforeEach(() => {
    store.placeOrders(9, (index) => ({ status: ["PENDING", "PAID", "REFUNDED"][index % 3] ?? "" }));
  });

  it.each([
    ["all", ["PENDING", "PAID"]],
    ["first", ["PENDING"]],
    ["none", []],
    ["ignored", ["PENDING", "PAID", "REFUNDED"]],
  ] as const)("are taken as the mode `%s` says", async (way, expected) => {
    store.honours.severalStatuses = way;
    expect(await asked("?status=PENDING,PAID")).toEqual(new Set(expected));
    expect(await asked("?status=PAID")).toEqual(new Set(["PAID"]));
    expect(await asked("")).toEqual(new Set(["PENDING", "PAID", "REFUNDED"]));
  });
});

describe("a page of the pretend store", () => {
  it("can fail for ever, alone, whatever its parameter is called", async () => {
    store.placeOrders(30);
    store.fail({ path: /order$/, page: 2, status: 500 });
    const statuses = async (...pages: readonly string[]) =>
      Promise.all(pages.map(async (page) => (await ask(`${orders}${page}`)).status));

    expect(await statuses("", "?page=1", "?page=2", "?page=3", "?page=2")).toEqual([200, 200, 500, 200, 500]);
    expect(await statuses(`/${store.orders[0]?.id}`)).toEqual([200]);

    store.paramNames.page = "seite";
    expect(await statuses("?page=2", "?seite=2")).toEqual([200, 500]);

    const first = store.fail({ page: 1, status: 503 });
    expect([(await ask(orders)).status, (await ask(products)).status]).toEqual([503, 503]);
    expect(await statuses(`/${store.orders[0]?.id}`)).toEqual([200]);

    first();
  });

  it("can have more rows than were asked for, of orders and of products", async () => {
    store.placeOrders(1_000);
    store.seedProducts(250);
    store.rowsPerPage = 400;

    expect(await list("?limit=100&page=3")).toMatchObject({ ids: { length: 200 }, lastPage: 3 });
    expect(await list("?limit=5", store.token, products)).toMatchObject({ ids: { length: 250 }, lastPage: 1 });

    store.rowsPerPage = undefined;
    expect(await list("?limit=100")).toMatchObject({ ids: { length: 100 }, lastPage: 10 });
  });

  it("can hold 148,000 orders in 8 MiB, for one token, the same bytes each time", async () => {
    const quiet = store.addShop();
    const body = crowdedPage();
    store.fail({ path: /order$/, token: store.token, body });

    const { rows, lastPage } = await list();

    expect([rows.length, lastPage, new Set(rows.map(({ id }) => id)).size]).toEqual([148_000, 1, 148_000]);
    expect(rows.at(-1)).toEqual({ id: expect.stringMatching(/^crowd0+147999$/), status: "PENDING" });
    expect((await list("", quiet.token)).rows).toEqual([]);

    const again = Buffer.from(await (await ask(orders)).arrayBuffer());
    expect(again.length).toBe(8 * 1024 * 1024);
    expect(again.equals(body)).toBe(true);
    expect(crowdedPage("other").equals(body)).toBe(false);
    expect(() => crowdedPage("crowd", "A_STATUS_THAT_IS_TOO_LONG")).toThrow("more than a page has");
  });
});

describe("a request to the pretend store", () => {
  it("is held open until it is let go, and others of its token or of another one go on", async () => {
    const quiet = store.addShop();
    const { promise: hold, resolve: release } = Promise.withResolvers<void>();
    store.fail({ path: /order$/, token: store.token, hold });
    store.placeOrder();
    const held = Array.from({ length: 400 }, () => list());

    await store.waitFor(() => open(store.token).length === 400, "400 requests under way");

    expect((await list("", quiet.token)).rows).toEqual([]);
    expect((await ask(products)).status).toBe(200);
    expect(open(store.token)).toHaveLength(400);
    expect(open(quiet.token)).toEqual([]);

    release();
    expect((await Promise.all(held)).map(({ rows }) => rows.length)).toEqual(held.map(() => 1));

    await store.waitFor(() => open(store.token).length === 0, "end of the held requests");
  });

  it("that is never let go ends when its client gives up, and with the store", async () => {
    store.fail({ hold: new Promise(() => undefined) });
    const client = new AbortController();
    const given = ask(orders, store.token, client.signal).catch((error: Error) => error.name);

    await store.waitFor(() => open(store.token).length === 1, "a request under way");
    client.abort();

    expect(await given).toBe("AbortError");

    await store.waitFor(() => open(store.token).length === 0, "the end of the request");
    const left = ask(orders).catch((error: Error) => error.name);
    await store.waitFor(() => open(store.token).length === 1, "another request under way");
    await store.down();

    expect(await left).toBe("TypeError");
    expect(open(store.token)).toEqual([]);
    expect(store.requests.map(({ status }) => status)).toEqual([0, 0]);
  });

  it("meets only the rules for its token", async () => {
    const quiet = store.addShop();
    const noisy: FaultRule[] = [{ status: 500 }, { status: 429, headers: { "retry-after": "600" } }, firewallPage];
    for (const rule of noisy) {
      const end = store.fail({ ...rule, token: store.token });
      expect([(await ask(orders)).status, (await ask(orders, quiet.token)).status]).toEqual([rule.status, 200]);
      end();
    }
  });
});

describe("several shops in one pretend store", () => {
  it("have orders, products, ways and tokens of their own", async () => {
    const other = store.addShop("tok_other");
    expect(() => store.addShop("tok_other")).toThrow("another shop");

    const here = store.placeOrders(12);
    const there = other.placeOrder();
    other.seedProducts(2);
    other.ordering = "oldest-first";
    other.honours.status = false;

    expect((await list("?limit=100")).ids).toEqual(here.map(({ id }) => id).reverse());
    expect((await list("?status=NONE")).ids).toEqual([]);
    expect((await list("?status=NONE", other.token)).ids).toEqual([there.id]);
    expect((await list("", store.token, products)).ids).toEqual([]);
    expect((await list("", other.token, products)).ids).toEqual(other.products.map(({ id }) => id));
    expect((await ask(`${orders}/${there.id}`)).status).toBe(404);
    expect((await ask(`${orders}/${there.id}`, other.token)).status).toBe(200);

    other.setStatus(there.id, "PAID");
    expect((await list("", other.token)).statuses).toEqual(["PAID"]);

    other.rotateToken("tok_next");
    expect((await ask(orders, "tok_other")).status).toBe(401);
    expect((await list("", "tok_next")).ids).toEqual([there.id]);

    store.allowToken("tok_second");
    expect((await list("?limit=1", "tok_second")).ids).toEqual([here.at(-1)?.id]);
    expect(store.orders).toHaveLength(12);
  });
});

describe("the time of an order or a product of the pretend store", () => {
  const at = Date.UTC(2025, 10, 27, 10, 0, 0);

  it.each([
    ["zonelessBlank", "2025-11-27 10:00:00"],
    ["zonelessT", "2025-11-27T10:00:00"],
    ["epochSeconds", at / 1_000],
    ["epochMilliseconds", at],
    ["dayFirst", "27/11/2025 10:00"],
    ["absent", undefined],
  ] as const)("is served in the format %s as %j", async (name, expected) => {
    const createdAt = new Date(at).toISOString();
    const order = store.placeOrder({ createdAt });
    store.addProduct({ createdAt });
    store.timeFormat = timeFormats[name];
    const { data } = (await (await ask(`${orders}/${order.id}`)).json()) as { data: Row };

    const served = [...(await list()).rows, ...(await list("", store.token, products)).rows, data];

    expect(served.map((row) => row.createdAt)).toEqual([expected, expected, expected]);
    expect(served.every((row) => "createdAt" in row)).toBe(expected !== undefined);
    expect(order.createdAt).toBe(createdAt);

    store.timeFormat = undefined;
    expect((await list()).rows[0]?.createdAt).toBe(createdAt);
  });

  it("that is none stays as it is kept", async () => {
    store.placeOrder({ createdAt: "yesterday" });
    store.timeFormat = timeFormats.epochSeconds;

    expect((await list()).rows[0]?.createdAt).toBe("yesterday");
  });
});
