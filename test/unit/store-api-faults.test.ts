import { createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { createStoreApi, type Store, type StoreApi, StoreError } from "../../src/store-api/store-api.ts";
import { categories, firewallPage, type PretendStore, startStore } from "../sandbox/store/start-store.ts";

const orderParams = { page: "page", limit: "limit", email: "email", status: "status" };
const timeouts = { connectMs: 300, headersMs: 200, bodyMs: 200, personMs: 3_000, nobodyMs: 6_000 };
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

const open = (baseUrl: string, more: Partial<typeof timeouts> = {}, roomBytes?: number) =>
  createStoreApi({
    baseUrl,
    orderParams,
    log: { debug: (...line) => logged.push(line), warn: (...line) => logged.push(line) },
    timeouts: { ...timeouts, ...more },
    retryBaseMs: 2,
    roomBytes,
  });
/** Refused for as short a time as a gate is held. */
const busy = { status: 429, headers: { "retry-after": "0" } } as const;
const requestsLogged = () => logged.filter((line) => JSON.stringify(line).includes("store request")).length;
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
  store = api.forToken(pretend.token, "person");
});
afterEach(async () => {
  await api.close();
  await pretend.close();
});

describe("a read", () => {
  it.each([
    [{ status: 401 }, "unauthorized", 1],
    [{ status: 403 }, "unauthorized", 1],
    [{ status: 403, garbage: "" }, "unauthorized", 1],
    [{ status: 403, garbage: " \n" }, "unauthorized", 1],
    [{ status: 401, garbage: "<html>no</html>" }, "unauthorized", 1],
    [{ status: 404 }, "not_found", 1],
    [{ status: 400 }, "invalid", 1],
    [{ status: 409 }, "invalid", 1],
    [{ status: 422, garbage: "<html>no</html>" }, "invalid", 1],
    [busy, "rate_limited", 3],
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
  });

  it.each([
    firewallPage,
    { status: 403, garbage: "error code: 1020" },
    { status: 403, garbage: `["${"x".repeat(200_000)}"]` },
    { status: 403, garbage: `<!doctype html>${"x".repeat(9 * 1024 * 1024)}` },
  ])("that meets a 403 with a page finds the store unavailable (0.1.0: it found the token refused)", async (rule) => {
    pretend.fail(rule);
    expect((await failure(store.listOrders())).code).toBe("unavailable");
    expect((await failure(store.createProduct(product))).code).toBe("unavailable");
    expect(pretend.requests).toHaveLength(2);
  });

  it.each([busy, { status: 502 }, { drop: "after" }, { truncate: true }] as const)(
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

  it("gives up at once when it should wait for longer than it may take, and says how long", async () => {
    pretend.fail({ status: 429, headers: { "retry-after": "31" }, times: 1 });
    const { code, retryAfterMs = 0 } = await failure(store.listOrders());
    expect(code).toBe("rate_limited");
    expect(retryAfterMs).toBeGreaterThan(30_500);
    expect(retryAfterMs).toBeLessThanOrEqual(31_000);
    const startedAt = performance.now();
    pretend.fail({ status: 503, headers: { "retry-after": "20" } });
    const other = open(pretend.url);
    const unavailable = { code: "unavailable", retryAfterMs: 20_000 };
    expect(await failure(other.forToken(pretend.token, "person").listOrders())).toMatchObject(unavailable);
    expect(await failure(other.forToken(pretend.token, "nobody").listOrders())).toMatchObject(unavailable);
    expect(performance.now() - startedAt).toBeLessThan(500);
    expect(pretend.requests).toHaveLength(3);
    await other.close();
  });

  it("ends at the deadline of the whole call, however alive the answer looks", async () => {
    const hasty = open(pretend.url, { personMs: 400, nobodyMs: 800 });
    pretend.placeOrders(100);
    pretend.fail({ slowBodyMs: 3_000 });
    const took = async (who: "person" | "nobody") => {
      const startedAt = performance.now();
      expect((await failure(hasty.forToken(pretend.token, who).listOrders({ limit: 100 }))).code).toBe("timeout");
      return performance.now() - startedAt;
    };
    const [person, nobody] = await Promise.all([took("person"), took("nobody")]);
    expect(person).toBeLessThan(750);
    expect(nobody).toBeGreaterThan(795);
    expect(nobody).toBeLessThan(1_500);
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
    const orders = [{ id: "a" }, { id: {} }, null, { id: "b", pricing: { total: "GOODS-SECRET" } }];
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
    pretend.fail({ ...busy, times: 2 });
    await store.createProduct(product);
    expect(pretend.products).toHaveLength(1);
    expect(pretend.requests).toHaveLength(3);
  });

  it("is tried again while the store refuses connections", async () => {
    await pretend.down();
    expect((await failure(store.createProduct(product))).code).toBe("unavailable");
    expect(requestsLogged()).toBe(3);
    await pretend.up();
    await store.createProduct(product);
    expect(pretend.products).toHaveLength(1);
  });

  it("is tried again when the host name does not resolve", async () => {
    const nowhere = open("http://store.invalid");
    expect((await failure(nowhere.forToken("t", "person").createProduct(product))).code).toBe("unavailable");
    expect(requestsLogged()).toBe(3);
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
      await own.forToken("t", "person").listOrders();
      await own.forToken("t", "person").createProduct(product);
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
  expect((await failure(own.forToken("t", "person").listOrders())).code).toBe("malformed");
  await own.close();
  server.close();
});

describe("the token and the API's raw words", () => {
  const revealed = (error: Error) => `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;

  it("are in no error and no log line, and neither are ids and e-mail addresses", async () => {
    const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
    const wrong = api.forToken("tok_WRONG-SECRET", "person");
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
    expect((await failure(api.forToken(token, "person").listOrders())).code).toBe("unauthorized");
    expect(pretend.requests).toHaveLength(0);
  });
});

it("one 429 is heeded by every call of its token, and by no other's (0.1.0: 9 requests in 9 s at Retry-After 2)", async () => {
  const other = pretend.addShop();
  pretend.fail({ token: pretend.token, status: 429, headers: { "retry-after": "0.5" }, times: 1 });
  const first = store.listOrders();
  await pretend.waitFor(() => pretend.requests.some(({ status }) => status === 429), "a 429");
  // Answered here means refused there by now: the next to be answered came later.
  await api.forToken(other.token, "nobody").listOrders();
  const polls = [1, 2].map(() => api.forToken(pretend.token, "nobody").listOrders());
  await Promise.all([first, ...polls]);
  const [refused = 0, ...held] = pretend.requests.filter(({ token }) => token === pretend.token).map(({ at }) => at);
  expect(held).toHaveLength(3);
  for (const at of held) expect(at - refused).toBeGreaterThanOrEqual(490);

  pretend.fail({ token: pretend.token, status: 429, headers: { "retry-after": "2.5" }, times: 1 });
  const person = store.listOrders();
  await pretend.waitFor(() => pretend.requests.filter(({ status }) => status === 429).length === 2, "another 429");
  await api.forToken(other.token, "nobody").listOrders();
  const refusal = await failure(api.forToken(pretend.token, "nobody").listOrders());
  expect(refusal.code).toBe("rate_limited");
  expect(refusal.retryAfterMs).toBeGreaterThan(2_000);
  await person;
}, 20_000);

it("a creation that ends before there is a connection was never sent, and is no ambiguous one", async () => {
  const silent = createServer((socket) => socket.on("error", () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const address = silent.address();
  const port = typeof address === "object" ? address?.port : "";
  const own = open(`https://127.0.0.1:${port}`, { connectMs: 5_000, personMs: 300 });
  expect((await failure(own.forToken("t", "person").createProduct(product))).code).toBe("timeout");
  await own.close();
  silent.close();
});

it("a call that ends while it waits for its turn was never sent: a creation is no ambiguous one", async () => {
  pretend.fail({ hold: new Promise(() => undefined) });
  const patient = open(pretend.url, { headersMs: 20_000, personMs: 20_000 });
  const ours = patient.forToken(pretend.token, "person");
  const others = Array.from({ length: 3 }, () => failure(ours.listOrders()));
  await pretend.waitFor(() => pretend.requests.length === 3, "three requests");
  const givenUp = new AbortController();
  const first = ours.createProduct(product, givenUp.signal);
  const second = failure(ours.createProduct(product));
  const reason = new Error("enough");
  givenUp.abort(reason);
  await expect(first).rejects.toBe(reason);
  await patient.close();
  expect((await second).code).toBe("unavailable");
  await Promise.all(others);
  expect(pretend.requests).toHaveLength(3);
});

it("400 calls that hang for one store hold up no other: at most four are under way (0.1.0: 400, and the store's own poll behind them)", async () => {
  const patient = open(pretend.url, { headersMs: 2_500 });
  const hanging = pretend.addShop();
  pretend.fail({ token: hanging.token, hold: new Promise(() => undefined), times: 3 });
  const hung = Array.from({ length: 400 }, () => failure(patient.forToken(hanging.token, "person").listOrders()));
  const heldOpen = () => pretend.requests.filter(({ isOpen }) => isOpen).length;
  await pretend.waitFor(() => heldOpen() === 3, "three hung requests");
  const startedAt = performance.now();
  await patient.forToken(pretend.token, "person").listOrders();
  await patient.forToken(hanging.token, "nobody").listOrders();
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  expect(heldOpen()).toBe(3);
  await patient.close();
  expect(new Set((await Promise.all(hung)).map(({ code }) => code))).toEqual(new Set(["rate_limited", "unavailable"]));
});

it("an answer in single bytes reads like any other, and one in 100,000 pieces or more is too large", async () => {
  let filler = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => {
      const text = `{"success":true,"data":{"orders":[{"id":"a"}]},"x":"${"x".repeat(filler)}"}`;
      const pieces = [...text].map((byte) => `1\r\n${byte}\r\n`).join("");
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const own = open(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`).forToken("t", "person");
  filler = 60_000;
  const page = await own.changedOrders({}, undefined);
  expect(page?.items).toMatchObject([{ id: "a" }]);
  expect(await own.changedOrders({}, page?.fingerprint)).toBeUndefined();
  filler = 120_000;
  expect((await failure(own.listOrders())).code).toBe("too_large");
  server.close();
});

describe("where large answers have no room left", () => {
  it("a read is unavailable after three attempts, a creation ambiguous after one, and a small answer comes", async () => {
    const own = open(pretend.url, {}, 200 * 1024).forToken(pretend.token, "person");
    const filler = "x".repeat(300 * 1024);
    pretend.fail({ body: { success: true, filler, data: { id: "p", orders: [] } }, times: 4 });
    expect((await failure(own.listOrders())).code).toBe("unavailable");
    expect((await failure(own.createProduct(product))).code).toBe("ambiguous");
    expect(pretend.requests).toHaveLength(4);
    expect((await own.listOrders()).items).toEqual([]);
  });

  it("nothing takes room for longer than it is read, however it ends", async () => {
    const own = open(pretend.url, {}, 1024 * 1024).forToken(pretend.token, "person");
    const large = { success: true, filler: "x".repeat(400 * 1024), data: { orders: [] } };
    for (const rule of [
      { body: large },
      { body: large, truncate: true },
      { body: [large] },
      { body: large },
    ] as const) {
      pretend.fail({ ...rule, times: 1 });
      const [{ status } = { status: undefined }] = await Promise.allSettled([own.listOrders()]);
      expect(status).toBe(rule.body === large ? "fulfilled" : "rejected");
    }
  });
});

describe("closing", () => {
  const patient = { headersMs: 20_000, personMs: 60_000 };
  const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";

  it("ends the calls under way promptly and without a further attempt", async () => {
    const own = open(pretend.url, patient);
    pretend.fail({ delayMs: 10_000 });
    const reading = failure(own.forToken(pretend.token, "person").listOrders());
    const creating = failure(own.forToken(pretend.token, "person").createProduct(product));
    await pretend.waitFor(() => pretend.requests.length === 2, "a read and a creation");
    const startedAt = performance.now();
    await own.close();
    expect([(await reading).code, (await creating).code]).toEqual(["unavailable", "ambiguous"]);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(pretend.requests).toHaveLength(2);
  });

  it("ends the wait between two attempts", async () => {
    const own = open(pretend.url, patient);
    pretend.fail({ status: 429, headers: { "retry-after": "20" } });
    const waiting = failure(own.forToken(pretend.token, "person").getOrder(id));
    await pretend.waitFor(() => pretend.requests.some((request) => request.status === 429), "a 429");
    const startedAt = performance.now();
    await own.close();
    expect(["rate_limited", "unavailable"]).toContain((await waiting).code);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it("leaves nothing to be sent: a later creation is unavailable, not ambiguous", async () => {
    const own = open(pretend.url);
    await own.close();
    expect((await failure(own.forToken(pretend.token, "person").createProduct(product))).code).toBe("unavailable");
    expect(pretend.requests).toHaveLength(0);
  });
});
