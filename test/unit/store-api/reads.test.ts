import { createServer } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, describe, expect, it, vi } from "vitest";
import { listen } from "../../sandbox/listen.ts";
import { firewallPage, startStore } from "../../sandbox/store/start-store.ts";
import { busy, failure, product, type StoreClient, startStoreClient } from "../../support/store-client.ts";
import { useFixture } from "../../support/use-fixture.ts";

const mebibyte = 1024 * 1024;

const client = useFixture(startStoreClient, ({ close }) => close());
const pretend = useFixture(() => client.pretend);
const store = useFixture(() => client.store);
const open: StoreClient["open"] = (...given) => client.open(...given);
afterEach(() => void vi.useRealTimers());

describe("a read", () => {
  it.each([
    [{ status: 401, body: "<html>no</html>" }, "unauthorized", 1],
    [{ status: 403 }, "unauthorized", 1],
    [{ status: 403, body: " \n" }, "unauthorized", 1],
    // Before: "not_found", which told people that the store has nothing with that ID.
    [{ status: 404 }, "malformed", 1],
    [{ status: 409 }, "invalid", 1],
    [{ status: 422, body: "<html>no</html>" }, "invalid", 1],
    [busy, "rate_limited", 3],
    [{ status: 503, body: "<html>" }, "unavailable", 3],
    [{ status: 408 }, "unavailable", 3],
    [{ status: 425, body: { message: "Too Early" } }, "unavailable", 3],
    [{ drop: "before" }, "unavailable", 3],
    [{ truncate: true }, "unavailable", 3],
    [{ body: "GOODS-SECRET {" }, "malformed", 1],
    [{ body: "" }, "malformed", 1],
    [{ body: { success: true, data: { orders: "none" } } }, "malformed", 1],
    [{ body: { orders: [] } }, "malformed", 1],
    [{ hugeBytes: 9 * mebibyte }, "too_large", 1],
    [{ body: { success: false, message: "Try another page" } }, "invalid", 1],
    [{ body: { success: false, error: { code: "UNAUTHORIZED", message: "bad" } } }, "unauthorized", 1],
    [{ body: { success: false, statusCode: 404, message: "nothing" } }, "malformed", 1],
  ] as const)("that meets %j fails as %s after %i requests", async (rule, code, requests) => {
    pretend.fail(rule);
    const error = await failure(store.listOrders());

    expect(error.code).toBe(code);
    expect(pretend.requests).toHaveLength(requests);
  });

  it.each([firewallPage, { status: 403, body: `<!doctype html>${"x".repeat(9 * mebibyte)}` }])(
    "that meets a 403 with a page finds the store unavailable (0.1.0: it found the token refused)",
    async (rule) => {
      pretend.fail(rule);
      expect((await failure(store.listOrders())).code).toBe("unavailable");
      expect((await failure(store.createProduct(product))).code).toBe("unavailable");
      expect(pretend.requests).toHaveLength(2);
    },
  );

  it.each([busy, { drop: "after" }] as const)("that meets %j twice succeeds", async (rule) => {
    pretend.placeOrder();
    pretend.fail({ ...rule, times: 2 });

    expect((await store.listOrders()).items).toHaveLength(1);
    expect(pretend.requests).toHaveLength(3);
  });

  it("accepts an answer of up to 4 MiB", async () => {
    const filler = "x".repeat(4 * mebibyte - 200);
    pretend.fail({ body: { success: true, filler, data: { orders: [], lastPage: 1 } } });

    expect((await store.listOrders()).items).toEqual([]);
  });

  it.each([302, 307])("does not follow a %i with its token", async (status) => {
    const elsewhere = await startStore({ token: pretend.token });
    pretend.fail({ status, headers: { location: `${elsewhere.url}/open-api/checkout/order` } });

    expect((await failure(store.listOrders())).code).toBe("malformed");
    expect(elsewhere.requests).toEqual([]);

    await elsewhere.close();
  });

  it("gives up at once if the required wait is too long, and reports the wait", async () => {
    pretend.fail({ status: 429, headers: { "retry-after": "31" }, times: 1 });
    const { code, retryAfterMs = 0 } = await failure(store.listOrders());

    expect(code).toBe("rate_limited");
    expect(retryAfterMs).toBeGreaterThan(15_000);
    expect(retryAfterMs).toBeLessThanOrEqual(31_000);

    // The waits are longer than the test.
    pretend.fail({ status: 503, headers: { "retry-after": "300" } });
    const other = open(pretend.url, { interactive: 290_000, background: 290_000 });
    const unavailable = { code: "unavailable", retryAfterMs: 300_000 };

    expect(await failure(other.forToken(pretend.token, "interactive").listOrders())).toMatchObject(unavailable);
    expect(await failure(other.forToken(pretend.token, "background").listOrders())).toMatchObject(unavailable);
    expect(pretend.requests).toHaveLength(3);

    await other.close();
  });

  it("that is answered ends the doubling of pauses after a 429 without a time", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const hasty = open(pretend.url, { interactive: 800 });
    const asked = hasty.forToken(pretend.token, "interactive");
    for (let round = 0; round < 2; round += 1) {
      pretend.fail({ status: 429, times: 1 });
      expect(await failure(asked.listOrders())).toMatchObject({ code: "rate_limited", retryAfterMs: 1_000 });
      vi.advanceTimersByTime(1_000);
      await asked.listOrders();
    }
    await hasty.close();
  });

  it("ends at the deadline of the whole call, even if data still arrives", async () => {
    pretend.placeOrders(100);
    pretend.fail({ slowBodyMs: 600_000 });
    for (const who of ["interactive", "background"] as const) {
      const hasty = open(pretend.url, { interactive: 600_000, background: 600_000, [who]: 300 });
      expect((await failure(hasty.forToken(pretend.token, who).listOrders({ limit: 100 }))).code).toBe("timeout");
      await hasty.close();
    }
  });

  it("throws the caller's reason when the caller gives up, during an attempt or between two", async () => {
    const patient = open(pretend.url, { interactive: 60_000 });
    const asked = patient.forToken(pretend.token, "interactive");
    const reason = new Error("enough");
    await expect(asked.listOrders({}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(pretend.requests).toEqual([]);

    for (const [rule, status] of [
      [{ hold: new Promise(() => undefined), times: 1 }, 0],
      [{ status: 429, headers: { "retry-after": "2" } }, 429],
    ] as const) {
      const controller = new AbortController();
      pretend.fail(rule);
      const waiting = asked.listOrders({}, controller.signal);
      await pretend.waitFor(() => pretend.requests.at(-1)?.status === status, `a request with ${status}`);
      controller.abort(reason);

      await expect(waiting).rejects.toBe(reason);
    }
    await patient.close();
  });

  it("leaves malformed rows out, counts them, and logs their positions without values", async () => {
    const orders = [{ id: "a" }, { id: {} }, null, { id: "b", pricing: { total: "GOODS-SECRET" } }];
    pretend.fail({ body: { success: true, data: { orders, lastPage: 0 } } });

    const page = await store.listOrders();

    expect(page).toMatchObject({ items: [{ id: "a" }], skipped: 3, lastPage: 1 });
    expect(JSON.stringify(client.logged)).toContain("pricing.total");
    expect(JSON.stringify(client.logged)).not.toContain("GOODS");
  });
});

it("an answer that is not HTTP is malformed", async () => {
  const server = createServer((socket) => socket.on("error", () => undefined).end("SSH-2.0-GOODS\r\n"));
  const own = open(`http://${await listen(server)}`);

  expect((await failure(own.forToken("t", "interactive").listOrders())).code).toBe("malformed");

  await own.close();
  server.close();
});

it("an answer in single bytes is read like any other, unless it has more than 65,000 of them", async () => {
  let filler = 0;
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.on("data", () => {
      const text = `{"success":true,"data":{"orders":[{"id":"a"}],"lastPage":1},"x":"${"x".repeat(filler)}"}`;
      const pieces = [...text].map((byte) => `1\r\n${byte}\r\n`).join("");
      socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${pieces}0\r\n\r\n`);
    });
  });
  const own = open(`http://${await listen(server)}`).forToken("t", "interactive");
  filler = 60_000;

  const page = await own.changedOrders({}, undefined);

  expect(page?.items).toMatchObject([{ id: "a" }]);
  expect(await own.changedOrders({}, page?.fingerprint)).toBeUndefined();

  filler = 70_000;
  expect((await failure(own.listOrders())).code).toBe("too_large");

  server.close();
});

describe("the memory for large answers", () => {
  const kibibyte = 1024;

  it("has only the bytes that are counted, not what the store sends between them (before: 30 MB of 500 bytes)", async () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", () => {
        socket.write("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        socket.write(`1;${"x".repeat(60 * kibibyte)}\r\n \r\n`.repeat(500), () => held());
      });
    });
    const own = open(`http://${await listen(server)}`);
    const before = process.memoryUsage().arrayBuffers;
    const read = failure(own.forToken("t", "interactive").listOrders());
    await isHeld;

    await vi.waitFor(() => {
      collect();
      expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(5e6);
    });

    await own.close();
    await read;
    server.close();
  });

  it("is freed after each answer; beyond it a read is unavailable after three attempts, a creation ambiguous after one", async () => {
    const own = open(pretend.url, {}, 300 * kibibyte).forToken(pretend.token, "interactive");
    const bodyOf = (size: number) => ({
      success: true,
      filler: "x".repeat(size * kibibyte),
      data: { orders: [], lastPage: 1 },
    });
    const body = bodyOf(400);
    for (const rule of [{ body }, { body, truncate: true }, { body: [body] }, { body }] as const) {
      pretend.fail({ ...rule, times: 1 });
      await own.listOrders().catch(() => undefined);
    }
    const before = pretend.requests.length;
    pretend.fail({ body: bodyOf(500), times: 4 });
    expect((await failure(own.listOrders())).code).toBe("unavailable");
    expect((await failure(own.createProduct(product))).code).toBe("ambiguous");
    expect(pretend.requests).toHaveLength(before + 4);
    pretend.fail({ body, times: 1 });
    await own.listOrders();
    expect(pretend.requests).toHaveLength(before + 5);
  });

  it("is not needed for ordinary answers of other stores", async () => {
    const { promise: isHeld, resolve: held } = Promise.withResolvers<void>();
    const server = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.on("data", (request) => {
        const head = "HTTP/1.1 200 OK\r\ncontent-length:";
        const body = `{"success":true,"data":{"orders":[],"lastPage":1},"x":"${"x".repeat(60 * kibibyte)}"}`;
        if (String(request).includes("Bearer ordinary")) socket.end(`${head} ${body.length}\r\n\r\n${body}`);
        else socket.write(`${head} ${300 * kibibyte}\r\n\r\n${"x".repeat(190 * kibibyte)}`, () => held());
      });
    });
    const own = open(`http://${await listen(server)}`, {}, 200 * kibibyte);
    const large = failure(own.forToken("large", "interactive").listOrders());
    await isHeld;

    expect((await own.forToken("ordinary", "interactive").listOrders()).items).toEqual([]);

    await own.close();
    await large;
    server.close();
  });
});
