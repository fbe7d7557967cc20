import { createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { createStoreApi, type Store, type StoreApi, StoreError } from "../../src/store-api/store-api.ts";
import { categories, type PretendStore, startStore } from "../sandbox/store/start-store.ts";

const orderParams = { page: "page", limit: "limit", email: "email", status: "status" };
const timeouts = { connectMs: 300, headersMs: 200, bodyMs: 200, totalMs: 3_000 };
const product: NewProduct = {
  type: "DEFAULT",
  categoryId: categories[0].id,
  info: { title: "Moon Racer" },
  pricing: { price: 5 },
  inventory: { type: "TEXT", content: "hello" },
};

let pretend: PretendStore;
let api: StoreApi;
let store: Store;
let logged: unknown[];

const open = (baseUrl: string, more: { totalMs?: number; headersMs?: number } = {}) =>
  createStoreApi({
    baseUrl,
    orderParams,
    log: { debug: (...line) => logged.push(line), warn: (...line) => logged.push(line) },
    timeouts: { ...timeouts, ...more },
    retryBaseMs: 2,
  });
const failure = async (call: Promise<unknown>): Promise<StoreError> => {
  const error = await call.then(
    () => "it succeeded",
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof StoreError)) throw new Error("expected a StoreError", { cause: error });
  return error;
};

beforeEach(async () => {
  logged = [];
  pretend = await startStore({ token: "tok_THE-SECRET-ITSELF" });
  api = open(pretend.url);
  store = api.forToken(pretend.token);
});
afterEach(async () => {
  await api.close();
  await pretend.close();
});

describe("a read", () => {
  it.each([
    [{ status: 401 }, "unauthorized", 1],
    [{ status: 403 }, "unauthorized", 1],
    [{ status: 404 }, "not_found", 1],
    [{ status: 400 }, "invalid", 1],
    [{ status: 409 }, "invalid", 1],
    [{ status: 422, garbage: "<html>no</html>" }, "invalid", 1],
    [{ status: 429 }, "rate_limited", 3],
    [{ status: 500 }, "unavailable", 3],
    [{ status: 503, garbage: "<html>" }, "unavailable", 3],
    [{ drop: "before" }, "unavailable", 3],
    [{ drop: "after" }, "unavailable", 3],
    [{ truncate: true }, "unavailable", 3],
    [{ delayMs: 1_000 }, "timeout", 1],
    [{ slowBodyMs: 20_000 }, "timeout", 1],
    [{ garbage: "GOODS-SECRET {" }, "malformed", 1],
    [{ garbage: "" }, "malformed", 1],
    [{ body: { success: true, data: { orders: "none" } } }, "malformed", 1],
    [{ body: { orders: [] } }, "malformed", 1],
    [{ body: [] }, "malformed", 1],
    [{ hugeBytes: 9 * 1024 * 1024 }, "too_large", 1],
    [{ body: { success: false, message: "Try another page" } }, "invalid", 1],
    [{ body: { success: false, error: { code: "UNAUTHORIZED", message: "bad" } } }, "unauthorized", 1],
    [{ body: { success: false, message: "Unauthorized" } }, "unauthorized", 1],
    [{ body: { success: false, statusCode: 404, message: "nothing" } }, "not_found", 1],
  ] as const)("that meets %j fails as %s after %i requests", async (rule, code, requests) => {
    pretend.fail(rule);
    const error = await failure(store.listOrders());
    expect(error.code).toBe(code);
    expect(pretend.requests).toHaveLength(requests);
    expect(api.requests()).toBe(requests);
  });

  it.each([{ status: 429 }, { status: 502 }, { drop: "after" }, { truncate: true }] as const)(
    "that meets %j twice succeeds at the third attempt",
    async (rule) => {
      pretend.placeOrder();
      pretend.fail({ ...rule, times: 2 });
      expect((await store.listOrders()).items).toHaveLength(1);
      expect(pretend.requests).toHaveLength(3);
    },
  );

  it("takes 8 MiB", async () => {
    const filler = "x".repeat(8 * 1024 * 1024 - 200);
    pretend.fail({ body: { success: true, filler, data: { orders: [], lastPage: 1 } } });
    expect((await store.listOrders()).items).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])("does not follow a %i with its token", async (status) => {
    const elsewhere = await startStore({ token: pretend.token });
    pretend.fail({ redirectTo: `${elsewhere.url}/open-api/checkout/order`, status });
    expect((await failure(store.listOrders())).code).toBe("malformed");
    expect(elsewhere.requests).toEqual([]);
    await elsewhere.close();
  });

  it("waits as long as Retry-After says, in seconds or as a date", async () => {
    const date = (ms: number) => ({ "retry-after": new Date(Date.now() + ms).toUTCString() });
    pretend.fail({ status: 429, headers: { "retry-after": "0.3" }, times: 1 });
    pretend.fail({ status: 429, headers: date(-5_000), times: 1 });
    await store.listOrders();
    const [first, second, third] = pretend.requests.map((request) => request.at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(295);
    expect((third ?? 0) - (second ?? 0)).toBeLessThan(290);
  });

  it("gives up at once when it should wait longer than 30 s, and says how long", async () => {
    const at = Date.now() + 3_600_000;
    pretend.fail({ status: 429, headers: { "retry-after": "31" }, times: 1 });
    expect(await failure(store.listOrders())).toMatchObject({ code: "rate_limited", retryAfterMs: 31_000 });
    pretend.fail({ status: 429, headers: { "retry-after": new Date(at).toUTCString() }, times: 1 });
    const { retryAfterMs = 0 } = await failure(store.listOrders());
    expect(Math.abs(retryAfterMs - 3_600_000)).toBeLessThan(5_000);
    expect(pretend.requests).toHaveLength(2);
  });

  it("ends at the deadline of the whole call, however alive the answer looks", async () => {
    const hasty = open(pretend.url, { totalMs: 400 });
    pretend.placeOrders(100);
    pretend.fail({ slowBodyMs: 3_000 });
    const startedAt = performance.now();
    expect((await failure(hasty.forToken(pretend.token).listOrders({ limit: 100 }))).code).toBe("timeout");
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    await hasty.close();
  });

  it("that the caller gives up throws the caller's reason, under way and between two attempts", async () => {
    pretend.fail({ delayMs: 150, times: 1 });
    const reason = new Error("enough");
    const underWay = store.listOrders({}, AbortSignal.timeout(50));
    await expect(underWay).rejects.toMatchObject({ name: "TimeoutError" });
    const before = pretend.requests.length;
    await expect(store.listOrders({}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(pretend.requests).toHaveLength(before);
    const controller = new AbortController();
    pretend.fail({ status: 429, headers: { "retry-after": "2" } });
    const waiting = store.getOrder("3fa85f64-5717-4562-b3fc-2c963f66afa6", controller.signal);
    await pretend.waitFor(() => pretend.requests.some((request) => request.status === 429), "a 429");
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it("leaves malformed rows out, counts them, and logs places without values", async () => {
    const orders = [{ id: "a" }, { id: 5 }, null, { id: "b", pricing: { total: "GOODS-SECRET" } }];
    pretend.fail({ body: { success: true, data: { orders, lastPage: 0 } } });
    const page = await store.listOrders();
    expect(page).toMatchObject({ items: [{ id: "a" }], skipped: 3, lastPage: 1 });
    expect(JSON.stringify(logged)).toContain("pricing.total");
    expect(JSON.stringify(logged)).not.toContain("GOODS");
  });
});

describe("a creation", () => {
  it.each([
    { drop: "before" },
    { drop: "after" },
    { truncate: true },
    { delayMs: 1_000 },
    { slowBodyMs: 20_000 },
    { status: 500 },
    { status: 503 },
    { status: 302, redirectTo: "/elsewhere" },
    { garbage: "{" },
    { body: { success: true, data: {} } },
    { hugeBytes: 9 * 1024 * 1024 },
  ] as const)("that meets %j is ambiguous and is not sent again", async (rule) => {
    pretend.fail(rule);
    expect((await failure(store.createProduct(product))).code).toBe("ambiguous");
    expect(pretend.requests).toHaveLength(1);
  });

  it.each([
    [{ status: 401 }, "unauthorized"],
    [{ status: 409 }, "invalid"],
    [{ status: 404, body: {} }, "not_found"],
    [{ status: 404, body: { message: "Not found" } }, "not_found"],
    [{ status: 404, garbage: "<html>nothing here</html>" }, "not_found"],
    [{ body: { success: false, message: "No" } }, "invalid"],
  ] as const)("that meets %j is refused as %s", async (rule, code) => {
    pretend.fail(rule);
    expect((await failure(store.createProduct(product))).code).toBe(code);
    expect(pretend.requests).toHaveLength(1);
  });

  it.each([
    { status: 404, body: { message: "Category <b>does not</b>\nexist" } },
    { status: 404, body: { message: "Category does not exist", error: "Not Found", statusCode: 404 } },
    { status: 200, body: { success: false, message: "Category does not exist", statusCode: 404 } },
  ])("that meets %j is invalid, in the API's own words", async (rule) => {
    pretend.fail(rule);
    const detail = "Category does not exist";
    expect(await failure(store.createProduct(product))).toMatchObject({ code: "invalid", detail });
    expect(pretend.requests).toHaveLength(1);
  });

  it("is sent again after 429, and exists once", async () => {
    pretend.fail({ status: 429, times: 2 });
    await store.createProduct(product);
    expect(pretend.products).toHaveLength(1);
    expect(pretend.requests).toHaveLength(3);
  });

  it("is tried again while the store refuses connections", async () => {
    await pretend.down();
    expect((await failure(store.createProduct(product))).code).toBe("unavailable");
    expect(api.requests()).toBe(3);
    await pretend.up();
    await store.createProduct(product);
    expect(pretend.products).toHaveLength(1);
  });

  it("is tried again when the host name does not resolve", async () => {
    const nowhere = open("http://store.invalid");
    expect((await failure(nowhere.forToken("t").createProduct(product))).code).toBe("unavailable");
    expect(nowhere.requests()).toBe(3);
    await nowhere.close();
  });

  it("that the caller gives up under way is ambiguous", async () => {
    pretend.fail({ delayMs: 150 });
    const controller = new AbortController();
    const creating = store.createProduct(product, controller.signal);
    await pretend.waitFor(() => pretend.requests.length === 1, "a creation");
    controller.abort();
    expect((await failure(creating)).code).toBe("ambiguous");
  });

  it("has a connection of its own, never one that the server may just have closed", async () => {
    const used = new Set<Socket>();
    const creations: { onFreshConnection: boolean }[] = [];
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (bytes) => {
        if (bytes.toString("latin1").startsWith("POST")) creations.push({ onFreshConnection: !used.has(socket) });
        used.add(socket);
        const body = '{"success":true,"data":{"id":"x","orders":[]}}';
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const own = open(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
    for (let round = 0; round < 3; round += 1) {
      await own.forToken("t").listOrders();
      await own.forToken("t").createProduct(product);
    }
    expect(creations).toEqual(Array(3).fill({ onFreshConnection: true }));
    await own.close();
    server.close();
  });
});

it("what is no HTTP at all is malformed", async () => {
  const server = createServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-GOODS\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const own = open(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`);
  expect((await failure(own.forToken("t").listOrders())).code).toBe("malformed");
  await own.close();
  server.close();
});

describe("the token and the API's raw words", () => {
  const revealed = (error: Error) => `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;

  it("are in no error and no log line, and neither are ids and e-mail addresses", async () => {
    const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
    const wrong = api.forToken("tok_WRONG-SECRET");
    const errors = [await failure(wrong.listOrders({ email: "ana@example.com" })), await failure(store.getOrder(id))];
    for (const rule of [
      { garbage: "Refused-Body-Noise" },
      { drop: "after" },
      { status: 500 },
      { status: 400, garbage: "Refused-Body-Noise" },
    ] as const) {
      pretend.fail({ ...rule, times: 3 });
      errors.push(await failure(store.listOrders()));
    }
    const everything = errors.map(revealed).join() + JSON.stringify(logged);
    for (const secret of ["SECRET", "Noise", "Bearer", id, "ana@"]) expect(everything).not.toContain(secret);
    expect(logged.length).toBeGreaterThan(5);
  });

  it("a token that the API repeats in its refusal is struck out, and its markup too", async () => {
    const message = `<b>No</b> token\u0000 ${pretend.token}\nmay [do](http://evil) **this** <@123>`;
    pretend.fail({ status: 400, body: { message } });
    expect(await failure(store.listOrders())).toMatchObject({ detail: "No token … may [do] (http://evil) this" });
  });

  it.each(["", "two words", "line\nbreak", "ключ"])("%j is refused before anything is sent", async (token) => {
    expect((await failure(api.forToken(token).listOrders())).code).toBe("unauthorized");
    expect(api.requests()).toBe(0);
  });
});

it("many hung answers of one store do not hold up another", async () => {
  const patient = open(pretend.url, { headersMs: 2_500 });
  pretend.allowToken("tok_hung");
  pretend.fail({ when: (request) => request.authorization === "Bearer tok_hung", delayMs: 10_000 });
  const hung = Array.from({ length: 100 }, () => failure(patient.forToken("tok_hung").listOrders()));
  await pretend.waitFor(() => pretend.requests.length === 100, "100 hung requests");
  const startedAt = performance.now();
  await patient.forToken(pretend.token).listOrders();
  expect(performance.now() - startedAt).toBeLessThan(1_500);
  await patient.close();
  await Promise.all(hung);
});

describe("closing", () => {
  const patient = { headersMs: 20_000, totalMs: 60_000 };
  const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";

  it("ends the calls under way promptly and without a further attempt", async () => {
    const own = open(pretend.url, patient);
    pretend.fail({ delayMs: 10_000 });
    const reading = failure(own.forToken(pretend.token).listOrders());
    const creating = failure(own.forToken(pretend.token).createProduct(product));
    await pretend.waitFor(() => pretend.requests.length === 2, "a read and a creation");
    const startedAt = performance.now();
    await own.close();
    expect([(await reading).code, (await creating).code]).toEqual(["unavailable", "ambiguous"]);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(own.requests()).toBe(2);
  });

  it("ends the wait between two attempts", async () => {
    const own = open(pretend.url, patient);
    pretend.fail({ status: 429, headers: { "retry-after": "20" } });
    const waiting = failure(own.forToken(pretend.token).getOrder(id));
    await pretend.waitFor(() => pretend.requests.some((request) => request.status === 429), "a 429");
    const startedAt = performance.now();
    await own.close();
    expect(["rate_limited", "unavailable"]).toContain((await waiting).code);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it("leaves nothing to be sent: a later creation is unavailable, not ambiguous", async () => {
    const own = open(pretend.url);
    await own.close();
    expect((await failure(own.forToken(pretend.token).createProduct(product))).code).toBe("unavailable");
    expect(own.requests()).toBe(0);
  });
});
