import { createServer, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Store } from "../../src/store-api/store-api.ts";
import { listen } from "../sandbox/listen.ts";
import type { PretendStore } from "../sandbox/store/start-store.ts";
import { busy, failure, product, type StoreClient, startStoreClient } from "../support/store-client.ts";

const mebibyte = 1024 * 1024;

let client: StoreClient;
let pretend: PretendStore;
let store: Store;
let open: StoreClient["open"];
let requestsLogged: () => number;

beforeEach(async () => {
  client = await startStoreClient();
  ({ pretend, store, open, requestsLogged } = client);
});
afterEach(() => client.close());

describe("a creation", () => {
  it.each([
    { drop: "before" },
    { drop: "after" },
    { status: 503 },
    { status: 302, redirectTo: "/elsewhere" },
    { garbage: "{" },
    { body: { success: true, data: {} } },
    { hugeBytes: 9 * mebibyte },
  ] as const)("that meets %j is ambiguous and is not sent again", async (rule) => {
    pretend.fail(rule);
    expect((await failure(store.createProduct(product))).code).toBe("ambiguous");
    expect(pretend.requests).toHaveLength(1);
  });

  it.each([
    [{ status: 401 }, "unauthorized"],
    [{ status: 404, body: { message: "Not found" } }, "not_found"],
    [{ status: 404, garbage: "<html>nothing here</html>" }, "not_found"],
    [{ body: { success: false, message: "No" } }, "invalid"],
  ] as const)("that meets %j is refused as %s", async (rule, code) => {
    pretend.fail(rule);
    expect((await failure(store.createProduct(product))).code).toBe(code);
    expect(pretend.requests).toHaveLength(1);
  });

  it.each([
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

  it("is repeated while the store refuses connections", async () => {
    await pretend.down();
    expect((await failure(store.createProduct(product))).code).toBe("unavailable");
    expect(requestsLogged()).toBe(3);

    await pretend.up();
    await store.createProduct(product);

    expect(pretend.products).toHaveLength(1);
  });

  it("is ambiguous if the caller gives up during it", async () => {
    pretend.fail({ delayMs: 150 });
    const controller = new AbortController();
    const creating = store.createProduct(product, controller.signal);

    await pretend.waitFor(() => pretend.requests.length === 1, "a creation");
    controller.abort();

    expect((await failure(creating)).code).toBe("ambiguous");
  });

  it("has a connection of its own, never one that the server may have closed", async () => {
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
    const own = open(`http://${await listen(server)}`);

    for (let round = 0; round < 3; round += 1) {
      await own.forToken("t", "interactive").listOrders();
      await own.forToken("t", "interactive").createProduct(product);
    }

    expect(creations).toEqual(Array(3).fill({ onFreshConnection: true }));

    await own.close();
    server.close();
  });
});

it("a creation that ends before there is a connection was never sent, and is not ambiguous", async () => {
  const silent = createServer((socket) => socket.on("error", () => undefined));
  const own = open(`https://${await listen(silent)}`, { interactive: 300 });

  expect((await failure(own.forToken("t", "interactive").createProduct(product))).code).toBe("timeout");

  await own.close();
  silent.close();
});

it("a creation that ends while it waits for its turn was never sent, and is not ambiguous", async () => {
  pretend.fail({ hold: new Promise(() => undefined) });
  const patient = open(pretend.url, { interactive: 20_000 });
  const ours = patient.forToken(pretend.token, "interactive");
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
