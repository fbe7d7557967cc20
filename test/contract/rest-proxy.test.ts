import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { API } from "@discordjs/core";
import type { REST } from "@discordjs/rest";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { budgets } from "../../src/basics/limits/budgets.ts";
import { createInvalidRequestLimit } from "../../src/discord/rest/invalid-request-limit.ts";
import { createRest } from "../../src/discord/rest/rest.ts";
import { createRestMessenger } from "../../src/discord/rest/rest-messenger.ts";
import { startRestProxy } from "../../src/discord/rest/rest-proxy.ts";
import { button, buttonRow } from "../../src/views/parts/components.ts";
import { post } from "../../src/views/parts/notice.ts";
import { type Answer, startAnsweringServer } from "../support/answering-server.ts";
import { failure } from "../support/code-of.ts";
import { freePort } from "../support/process/free-port.ts";
import { recordedLog } from "../support/recorded-log.ts";
import { useFixture } from "../support/use-fixture.ts";

const token = "x.y.z";
const channel = "100000000000000001";
const message = "200000000000000002";
const messages = `/channels/${channel}/messages`;

let port: number;
let client: REST;
const logged = useFixture(recordedLog);
const discord = useFixture(() => startAnsweringServer(message));
const proxy = useFixture(
  async () => {
    port = await freePort();
    const options = { token, apiUrl: `${discord.address}/api`, perSecond: 50, host: "127.0.0.1", port };
    return startRestProxy({ ...options, log: logged.log });
  },
  (started) => {
    discord.close();
    return started.close();
  },
);
const leftOpen = useFixture(
  () => ({ stack: new DisposableStack() }),
  ({ stack }) => stack.dispose(),
);
beforeEach(() => {
  client = createRest({ token, apiUrl: `http://127.0.0.1:${port}/api` });
});

const authorization = `Bot ${token}`;
const ask = (path: string, options: RequestInit = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization }, ...options });
const messenger = () => createRestMessenger({ api: new API(client), botId: "1" });
async function open() {
  const socket = connect(port, "127.0.0.1");
  leftOpen.stack.defer(() => socket.destroy());
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}
/** Everything that comes until the connection ends. */
function heard(socket: Socket): Promise<string> {
  let said = "";
  socket.on("data", (data) => {
    said += data;
  });
  return new Promise((resolve) => socket.once("close", () => resolve(said)));
}
/** Sends bytes that no ordinary client would send. Returns everything that comes back. */
async function raw(request: string): Promise<string> {
  const socket = await open();
  socket.write(request);
  return heard(socket);
}
/** If the rest does not come in time, the proxy answers 408. */
const half = "GET /api/v10/users/@me HTTP/1.1\r\n";

/** Resolves when `count` requests have reached Discord. */
const arrivals = (count: number) => expect.poll(() => discord.arrived.length).toBeGreaterThanOrEqual(count);

describe("a request of the bot's", () => {
  test("reaches Discord byte for byte, and its answer comes back", async () => {
    discord.answer = () => ({ headers: { connection: "close" }, body: '{"id":  "1", "n": 12345678901234567890}' });
    const sent = Buffer.from('{"content": "é",  "big": 12345678901234567890}\0\xff', "latin1");
    const headers = { authorization, "content-type": "application/json" };

    const got = await ask(`/api/v10${messages}?a=1&b=%2F`, { method: "POST", headers, body: sent });

    expect(got.status).toBe(200);
    expect(await got.text()).toBe('{"id":  "1", "n": 12345678901234567890}');
    expect(got.headers.get("connection"), "which is Discord's to the proxy").toBe("keep-alive");
    expect(discord.arrived).toHaveLength(1);
    expect(discord.arrived[0]).toMatchObject({ what: `POST /api/v10${messages}?a=1&b=%2F`, headers });
    expect(discord.arrived[0]?.headers["user-agent"]).toMatch(/^DiscordBot \(/);
    expect(discord.arrived[0]?.body).toEqual(sent);
  });

  test("is repeated by the client after a 5xx, and not by the proxy as well (16 attempts)", async () => {
    discord.answer = () => ({ status: 503, body: "" });
    expect(await failure(client.get("/users/@me"))).toMatchObject({ status: 503 });
    expect(discord.arrived).toHaveLength(4);
  });
});

describe("Discord's limits", () => {
  test("are waited for, and the whole body is sent again", async () => {
    discord.answer = () =>
      discord.arrived.length === 1
        ? { status: 429, headers: { "retry-after": "0.2" }, body: { retry_after: 0.2 } }
        : {};
    await client.post(messages, { body: { content: "twice" } });

    expect(discord.arrived.map(({ body }) => body.toString())).toEqual(['{"content":"twice"}', '{"content":"twice"}']);
  });

  test("of 31 s come back to who asked, as its own handling takes them", async () => {
    discord.answer = () => ({ status: 429, headers: { "retry-after": "31" }, body: { retry_after: 31 } });

    const failed = await failure(messenger().send(channel, post({ tone: "info", body: "x" }), "n"));

    expect(failed).toMatchObject({ code: "uncertain", retryAfterMs: expect.closeTo(31_500, -3) });
    expect(discord.arrived).toHaveLength(1);
  });

  test("of hours come back, too: the commands are published again only then", async () => {
    discord.answer = () => ({ status: 429, headers: { "retry-after": "7200" }, body: { retry_after: 7_200 } });

    const failed = await failure(client.put("/applications/1/commands", { body: [] }));

    expect(failed).toMatchObject({ retryAfter: expect.closeTo(7_200_500, -3) });
  });

  test("of the proxy are not counted by the client process", async () => {
    const invalidRequests = createInvalidRequestLimit({ allowance: { windowMs: 600_000, most: 1 } });
    client = createRest({ token, apiUrl: `http://127.0.0.1:${port}/api`, invalidRequests });
    discord.answer = () => ({ status: 429, headers: { "retry-after": "600" }, body: { retry_after: 600 } });
    expect(await failure(client.get(`/channels/${channel}`))).toMatchObject({ retryAfter: expect.any(Number) });
    discord.answer = () => ({});

    // If the client counted this answer, it would repeat it without asking.
    expect(await client.get(`/channels/${channel}`)).toEqual({ id: message });
  });
});

describe("while there are more requests than Discord allows", () => {
  /** Looks `count` channels up at once, as several processes do. Discord gets 40 requests a second. */
  const crowd = (count: number) =>
    Array.from({ length: count }, (_, index) => ask(`/api/v10/channels/${BigInt(channel) + BigInt(index)}`));
  /** Resolves when earlier requests have reached the proxy. */
  const allHaveCome = async () => {
    for (const _ of Array(3)) await ask("/healthz");
  };
  function stopSeconds() {
    vi.useFakeTimers({ toFake: ["performance"] });
    leftOpen.stack.defer(() => vi.useRealTimers());
  }
  /** After {@link stopSeconds}, Discord's seconds pass only here, so it does not matter how busy the machine is. */
  async function secondsGoOn<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    void work.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      vi.advanceTimersByTime(1_000 / budgets.discordRequests.perSecond);
      await wait(2);
    }
    return work;
  }
  const place = (what: string) => discord.arrived.findIndex((arrival) => arrival.what.includes(what));

  test("an alert goes first, a notice does not", async () => {
    stopSeconds();
    const asked = crowd(60);
    await arrivals(budgets.discordRequests.burst);
    await allHaveCome();
    const headers = { authorization, "content-type": "application/json" };
    const say = (path: string, components: unknown) =>
      ask(`/api/v10/channels/${path}/messages`, { method: "POST", headers, body: JSON.stringify({ components }) });
    const sent = [say("300000000000000001", []), say("300000000000000002", buttonRow(button("orders:open:1", "Open")))];
    await allHaveCome();
    const before = discord.arrived.length;
    const statuses = (await secondsGoOn(Promise.all([...asked, ...sent]))).map(({ status }) => status);

    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(place("300000000000000002") - before).toBeLessThan(5);
    expect(place("300000000000000001") - before).toBeGreaterThan(20);
  });

  test("answers to interactions do not wait behind it", async () => {
    stopSeconds();
    const asked = crowd(100);
    await arrivals(10);
    const answers = createRest({ token, apiUrl: `http://127.0.0.1:${port}/api`, what: "answers" });
    await answers.post("/interactions/400000000000000004/tok-en/callback", { body: { type: 5 }, auth: false });
    await answers.patch("/webhooks/500000000000000005/tok-en/messages/@original", { body: {}, auth: false });
    const before = discord.arrived.length;
    await secondsGoOn(Promise.all(asked));

    expect(before).toBeLessThan(50);
    expect(place("/callback")).toBeGreaterThan(0);
    expect(place("@original")).toBeGreaterThan(place("/callback"));
  });

  test("no more of them arrive there, and a request that would wait for more than 5 s is rejected with the time to come back, before its client gives up", async () => {
    stopSeconds();
    const got = await Promise.all(crowd(60));
    const away = got.filter(({ status }) => status === 429);

    // A fifth of Discord's second. No other part of the second passes here.
    expect(discord.arrived).toHaveLength(10);
    expect(away).toHaveLength(50);
    for (const { headers } of away) {
      expect(headers.get("x-ratelimit-scope")).toBe("shared");
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
    }
  });

  test("a waiting request is dropped once its client has gone", async () => {
    const spent = { "x-ratelimit-limit": "1", "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "3" };
    discord.answer = () => ({ headers: spent });
    await ask(`/api/v10${messages}`, { method: "POST", body: '"first"' });
    const gone = new AbortController();
    const given = failure(ask(`/api/v10${messages}`, { method: "POST", body: '"gone"', signal: gone.signal }));
    await allHaveCome();
    const after = ask(`/api/v10${messages}`, { method: "POST", body: '"after"' });
    gone.abort();
    await given;
    await after;

    expect(discord.arrived.map(({ body }) => body.toString())).toEqual(['"first"', '"after"']);
  });
});

describe("clients without access", () => {
  const callback = "/api/v10/interactions/400000000000000004/tok-en/callback";

  test.each([
    ["without a token", "/api/v10/users/@me", {}],
    ["with another token", "/api/v10/users/@me", { authorization: "Bot x.y.q" }],
    ["with a token that is no bot's", "/api/v10/users/@me", { authorization: `Bearer ${token}` }],
    ["with an answer to an interaction, without a token", callback, {}],
  ])("%s is told so, and Discord hears nothing", async (_, path, headers) => {
    const got = await ask(path, { headers });

    expect(got.status).toBe(401);
    expect(await got.json()).toEqual({ message: expect.stringContaining("DISCORD_TOKEN"), code: 0 });
    expect(discord.arrived).toEqual([]);
  });

  test.each<[string, string | number]>([
    ["GET http://elsewhere.example/api/v10/users/@me", "GET /api/v10/users/@me"],
    ["GET /api/v10/users/.%2e/@me", "GET /api/v10/@me"],
    ["GET /api/v10//elsewhere.example/", "GET /api/v10//elsewhere.example/"],
    ["GET /api/v10/%2e%2e/%2E%2e/login", 421],
    ["GET /api/v9/users/@me", 421],
    ["GET /metrics", 421],
    ["TRACE /api/v10/users/@me", 405],
  ])("reach nothing but Discord's API v10: %s => %s", async (line, reached) => {
    const said = await raw(
      `${line} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\nconnection: close\r\n\r\n`,
    );

    const isRefused = typeof reached === "number";
    expect(said).toMatch(isRefused ? `HTTP/1.1 ${reached} ` : "HTTP/1.1 200 ");
    expect(discord.arrived.map(({ what }) => what)).toEqual(isRefused ? [] : [reached]);
  });

  test("headers of more than 8 kB and bodies of more than 25 MiB are refused", async () => {
    const long = `GET /healthz HTTP/1.1\r\nhost: x\r\nx: ${"a".repeat(9_000)}\r\n\r\n`;
    const body = Buffer.alloc(25 * 1_024 ** 2 + 1);

    expect(await raw(long)).toMatch(/^HTTP\/1\.1 431 /);
    // Either a refusal, or the end of the connection while the body is being sent.
    const status = await ask(`/api/v10${messages}`, { method: "POST", body }).then(
      (got) => got.status,
      () => 413,
    );
    expect(status).toBe(413);
    expect(discord.arrived).toEqual([]);
  });

  test("a connection whose request never ends is closed", async () => {
    const begun = `POST /api/v10${messages} HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\ncontent-length: 9\r\n\r\n{`;
    const [silent, cut] = await Promise.all([raw(""), raw(begun)]);

    expect(silent).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
    expect(cut).toMatch(/^HTTP\/1\.1 408 /);
    expect(discord.arrived).toEqual([]);
  });

  test.each([
    ["GET /healthz", 200],
    ["GET /api/v10/users/@me", 401],
  ])("have one answer, and the connection ends: %s", async (line, status) => {
    const said = await raw(`${line} HTTP/1.1\r\nhost: x\r\n\r\n`);
    expect(said).toMatch(new RegExp(`^HTTP/1.1 ${status} .*\r\nconnection: close\r\n`, "is"));
  });

  test("lose their connections when others come, and the bot's own stay", async () => {
    const own = await open();
    const answerTo = async (request: string) => {
      own.write(request);
      return String((await once(own, "data"))[0]);
    };
    const request = `GET /api/v10/users/@me HTTP/1.1\r\nhost: x\r\nauthorization: ${authorization}\r\n\r\n`;
    expect(await answerTo(request)).toMatch(/^HTTP\/1.1 200 /);

    const ends: Promise<string>[] = [];
    for (let count = 0; count < 300; count++) {
      const socket = await open();
      socket.write(half);
      ends.push(heard(socket));
    }
    // The connections end before the time for a request is over.
    expect(await Promise.all(ends.slice(0, 40))).toEqual(Array(40).fill(""));

    expect(await answerTo(request)).toMatch(/^HTTP\/1.1 200 /);
  });

  test("do not hold up the end", async () => {
    const silent = await open();
    const slow = await open();
    slow.write(half);
    const ended = Promise.all([silent, slow].map(heard));
    // Earlier clients have then arrived, too.
    expect((await ask("/api/v10/users/@me")).status).toBe(200);

    await proxy.close();

    expect(await ended).toEqual(["", ""]);
  });
});

describe("something unusual in Discord's place", () => {
  test("sends headers of which only those that clients read are forwarded, and none ends the proxy", async () => {
    const odd = [
      "Trailer: x-sum",
      "Upgrade: h2",
      "TE: x",
      "Proxy-Authenticate: Basic",
      "Set-Cookie: a=1",
      "Location: /",
    ];
    const read = ["Content-Type: application/json", "Date: Sat, 21 Nov 2026 12:00:00 GMT"];
    const raw = ["HTTP/1.1 200 OK", "Content-Length: 2", ...odd, ...read, "", "{}"].join("\r\n");
    discord.answer = () => ({ raw });

    const got = await ask("/api/v10/users/@me");

    expect([got.status, await got.text()]).toEqual([200, "{}"]);
    expect(Object.fromEntries(got.headers)).toEqual({
      "content-type": "application/json",
      date: "Sat, 21 Nov 2026 12:00:00 GMT",
      connection: "keep-alive",
      "keep-alive": "timeout=30",
      "content-length": "2",
    });
  });

  test.each<[string, string, () => Answer | Promise<Answer>]>([
    ["that answers no HTTP", "something else answers", () => ({ raw: "220 mail.example ESMTP\r\n" })],
    ["that refuses without JSON", "something else answers", () => ({ status: 400, body: "<html>" })],
    ["or nothing", "cannot be reached", () => new Promise(() => discord.hangUp())],
  ])("%s: that is told once, and its end", async (_, told, answer) => {
    discord.answer = answer;
    expect((await ask("/api/v10/users/@me")).status).toBe(502);
    expect((await ask("/api/v10/users/@me")).status).toBe(502);
    discord.answer = () => ({});
    expect((await ask("/api/v10/users/@me")).status).toBe(200);

    expect(logged.said()).toEqual([expect.stringContaining(told), expect.stringContaining("again")]);
  });
});
