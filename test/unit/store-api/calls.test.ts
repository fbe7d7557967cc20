import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { createServer, type LookupFunction, type Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { shopbellVersion } from "../../../src/basics/shopbell-version.ts";
import { listen } from "../../sandbox/listen.ts";
import { startAnsweringServer } from "../../support/answering-server.ts";
import { busy, failure, product, type StoreClient, startStoreClient } from "../../support/store-client.ts";
import { useFixture } from "../../support/use-fixture.ts";

const mebibyte = 1024 * 1024;

const client = useFixture(startStoreClient, ({ close }) => close());
const pretend = useFixture(() => client.pretend);
const store = useFixture(() => client.store);
const open: StoreClient["open"] = (...given) => client.open(...given);
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

describe("a creation", () => {
  it.each([
    { drop: "before" },
    { drop: "after" },
    { status: 503 },
    { status: 408 },
    { status: 302, headers: { location: "/elsewhere" } },
    { body: "{" },
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
    [{ status: 404, body: "<html>nothing here</html>" }, "not_found"],
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
    expect(client.requestsLogged()).toBe(3);

    await pretend.up();
    await store.createProduct(product);

    expect(pretend.products).toHaveLength(1);
  });

  it("has a connection of its own, never one that the server may have closed", async () => {
    const used = new Set<Socket>();
    const creations: { onFreshConnection: boolean }[] = [];
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (bytes) => {
        if (bytes.toString("latin1").startsWith("POST")) creations.push({ onFreshConnection: !used.has(socket) });
        used.add(socket);
        const body = '{"success":true,"data":{"id":"x","orders":[],"lastPage":1}}';
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

it("a store that compresses its answers unless a request forbids it is understood", async () => {
  const server = await startAnsweringServer("1");
  const answer = { success: true, data: { orders: [], lastPage: 1 } };
  server.answer = ({ headers }) =>
    headers["accept-encoding"] === "identity" ? { body: answer } : { headers: { "content-encoding": "br" }, body: "?" };
  const own = open(server.address);

  expect((await own.forToken("t", "interactive").listOrders()).items).toEqual([]);

  await own.close();
  server.close();
});

it("each request says which program sent it (before: some firewalls refused all)", async () => {
  const server = await startAnsweringServer("1");
  const own = open(server.address).forToken("t", "interactive");

  await failure(own.listOrders());
  await failure(own.createProduct(product));

  expect(server.arrived.map(({ headers }) => headers["user-agent"])).toEqual(
    Array(2).fill(`Shopbell/${shopbellVersion}`),
  );

  server.close();
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
  const creating = failure(ours.createProduct(product));

  await patient.close();
  expect((await creating).code).toBe("unavailable");

  await Promise.all(others);
  expect(pretend.requests).toHaveLength(3);
});

describe("secrets and the API's raw words", () => {
  const revealed = (error: Error) => `${error.message} ${error.stack} ${JSON.stringify(error)} ${String(error.cause)}`;

  it("are in no error and no log line, and neither are ids and e-mail addresses", async () => {
    const id = "3fa85f64-5717-4562-b3fc-2c963f66afa6";
    const wrong = client.api.forToken("tok_WRONG-SECRET", "interactive");
    const callsThatFail = 6;
    const errors = [await failure(wrong.listOrders({ email: "ana@example.com" })), await failure(store.getOrder(id))];
    for (const rule of [
      { body: "Refused-Body-Noise" },
      { drop: "after" },
      { status: 500 },
      { status: 400, body: "Refused-Body-Noise" },
    ] as const) {
      pretend.fail({ ...rule, times: 3 });
      errors.push(await failure(store.listOrders()));
    }

    const everything = errors.map(revealed).join() + JSON.stringify(client.logged);

    for (const secret of ["SECRET", "Noise", "Bearer", id, "ana@"]) expect(everything).not.toContain(secret);
    expect(client.logged.length, "and the log does tell of the calls").toBeGreaterThanOrEqual(callsThatFail);
  });

  it("are removed if the API repeats the token in its refusal, and so is markup", async () => {
    const message = `<b>No</b> token\u0000 ${pretend.token}\nmay [do](http://evil) **this** <@123>`;
    pretend.fail({ status: 400, body: { message } });

    expect(await failure(store.listOrders())).toMatchObject({ detail: "No token … may [do] (http://evil) this" });
  });

  it.each(["", "line\nbreak", "ключ"])("are never sent if the token cannot be one: %j", async (token) => {
    expect((await failure(client.api.forToken(token, "interactive").listOrders())).code).toBe("unauthorized");
    expect(pretend.requests).toHaveLength(0);
  });
});

it("400 hanging calls to one store delay no other: at most four are under way (0.1.0: 400, and the store's own poll behind them)", async () => {
  const patient = open(pretend.url, { interactive: 20_000 });
  const hanging = pretend.addShop();
  pretend.fail({ token: hanging.token, hold: new Promise(() => undefined), times: 3 });
  const hung = Array.from({ length: 400 }, () => failure(patient.forToken(hanging.token, "interactive").listOrders()));
  const heldOpen = () => pretend.requests.filter(({ isOpen }) => isOpen).length;
  await pretend.waitFor(() => heldOpen() === 3, "three hung requests");

  await patient.forToken(pretend.token, "interactive").listOrders();
  await patient.forToken(hanging.token, "background").listOrders();

  expect(heldOpen()).toBe(3);

  await patient.close();
  expect(new Set((await Promise.all(hung)).map(({ code }) => code))).toEqual(new Set(["rate_limited", "unavailable"]));
});

it("connections share one look-up of the store's host (before: a silent name server delayed look-ups of Discord's host by minutes)", async () => {
  const waiting: (() => void)[] = [];
  const lookUp: LookupFunction = (_host, _options, found) =>
    void waiting.push(() => found(null, [{ address: "127.0.0.1", family: 4 }]));
  vi.spyOn(dns, "lookup").mockImplementation(lookUp as never);
  syncBuiltinESMExports();
  const own = open(pretend.url.replace("127.0.0.1", "localhost"));
  const shops = [pretend.addShop(), pretend.addShop(), pretend.addShop()];
  const reads = shops.map(({ token }) => own.forToken(token, "background").listOrders());
  const creation = own.forToken(pretend.token, "interactive").createProduct(product);

  await vi.waitFor(() => expect(waiting).not.toEqual([]));
  expect(waiting).toHaveLength(1);

  for (const answer of waiting) answer();
  await Promise.all([...reads, creation]);
  expect(pretend.requests).toHaveLength(4);
  await own.close();
});

it("closing ends the calls under way promptly and without a further attempt, and later calls at once", async () => {
  const own = open(pretend.url, { interactive: 60_000 });
  const ours = own.forToken(pretend.token, "interactive");
  const paused = pretend.addShop();
  pretend.fail({ token: paused.token, status: 429, headers: { "retry-after": "20" } });
  pretend.fail({ token: pretend.token, hold: new Promise(() => undefined) });
  const calls = [
    failure(own.forToken(paused.token, "interactive").listOrders()),
    failure(ours.listOrders()),
    failure(ours.createProduct(product)),
  ];
  await pretend.waitFor(() => pretend.requests.length === 3, "two reads and a creation");

  await own.close();

  expect((await Promise.all(calls)).map(({ code }) => code)).toEqual(["unavailable", "unavailable", "ambiguous"]);
  expect((await failure(ours.createProduct(product))).code).toBe("unavailable");
  expect(pretend.requests).toHaveLength(3);
});
