import { subscribe } from "node:diagnostics_channel";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { setImmediate as turn } from "node:timers/promises";
import { API } from "@discordjs/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { inspectChannel } from "../../../src/discord/commands/inspect-channel.ts";
import { createRest } from "../../../src/discord/rest/rest.ts";
import { createRestMessenger } from "../../../src/discord/rest/rest-messenger.ts";
import { post } from "../../../src/views/parts/notice.ts";
import { type Answer, startAnsweringServer } from "../../support/answering-server.ts";
import { failure } from "../../support/code-of.ts";
import { useFixture } from "../../support/use-fixture.ts";

const hourMs = 3_600_000;
const channel = "100000000000000001";
const message = "200000000000000002";

const server = useFixture(
  () => startAnsweringServer(message),
  (started) => started.close(),
);
const messenger = useFixture(() =>
  createRestMessenger({ api: new API(createRest({ token: "x.y.z", apiUrl: server.address })), botId: "1" }),
);
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const sent = () => JSON.parse(String(server.arrived.at(-1)?.body));
const send = (to = channel, signal?: AbortSignal) =>
  messenger.send(to, post({ tone: "info", body: "Hello" }), `n${to}`, { signal });
const edit = () => messenger.edit(channel, message, post({ tone: "info", body: "Hello" }));
/** Moves the wall clock. */
function setClock(byMs: number) {
  const real = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => real() + byMs);
}

/** The request must fail without certainty, with a wait of this time, or up to 1.5 s longer. */
async function expectUncertain(work: Promise<unknown>, waitMs: number) {
  const failed = (await failure(work)) as { code: string; retryAfterMs: number };
  expect(failed.code).toBe("uncertain");
  expect(failed.retryAfterMs).toBeGreaterThanOrEqual(waitMs);
  expect(failed.retryAfterMs).toBeLessThan(waitMs + 1_500);
}

/** A bucket that is empty for `ms`. */
const spent = (ms: number): OutgoingHttpHeaders => ({
  "x-ratelimit-limit": "5",
  "x-ratelimit-remaining": "0",
  "x-ratelimit-reset-after": String(ms / 1_000),
});

describe("a wall clock that is set", () => {
  test.each([
    ["back by three hours (0.1.0: then all channels waited for 180 minutes)", -3 * hourMs],
    ["forward by three hours", 3 * hourMs],
  ])("%s: sends in 20 channels wait for Discord's 50 a second only", async (_, byMs) => {
    await send();
    setClock(byMs);

    await Promise.all(Array.from({ length: 20 }, (_, index) => send(String(BigInt(channel) + BigInt(index)))));

    expect(server.arrived).toHaveLength(21);
  });

  test("back: a limit on all requests costs one refused send, and the next such limit only its own time", async () => {
    const limited = (seconds: number): Answer => ({
      status: 429,
      headers: { "retry-after": String(seconds), "x-ratelimit-global": "true" },
      body: { message: "slow" },
    });
    server.answer = () => (server.arrived.length === 1 ? limited(60) : server.arrived.length === 3 ? limited(0.1) : {});
    await expectUncertain(send(), 60_000);
    setClock(-3 * hourMs);

    expect(await failure(send())).toMatchObject({ code: "uncertain", retryAfterMs: 0 });
    await send();
    await send();

    expect(server.arrived).toHaveLength(4);
  });

  test("back: a spent bucket costs one refused send, and is then full again", async () => {
    server.answer = () => ({ headers: server.arrived.length === 1 ? spent(400) : {} });
    await send();
    setClock(-3 * hourMs);

    expect(await failure(send())).toMatchObject({ code: "uncertain", retryAfterMs: 0 });
    await send();

    expect(server.arrived).toHaveLength(2);
  });
});

describe("an incomplete answer", () => {
  /** Sends headers and the beginning of a body. */
  const begin = (response: ServerResponse) =>
    response.writeHead(200, { "content-type": "application/json" }).write('{"id":"');

  /** Resolves when the client has handled the headers of an answer. */
  async function isBegun() {
    await new Promise((resolve) => subscribe("undici:request:headers", resolve));
    await turn();
  }

  beforeEach(() => {
    server.answer = ({ response }) => {
      if (server.arrived.length > 1) return {};
      begin(response);
      return new Promise(() => undefined);
    };
  });

  test("is uncertain once its request is called off, is not repeated, and delays no other request", async () => {
    const term = new AbortController();
    const begun = isBegun();
    const first = failure(send(channel, term.signal));
    await begun;
    const second = send();

    term.abort();

    expect(await first).toMatchObject({ code: "uncertain" });
    expect(await second).toBeDefined();
    expect(server.arrived).toHaveLength(2);
  });

  test("is uncertain after the 15 s of a request, and is not repeated", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const begun = isBegun();
    const failed = failure(send());
    await begun;

    vi.advanceTimersByTime(15_000);

    expect(await failed).toMatchObject({ code: "uncertain" });
    expect(server.arrived).toHaveLength(1);
  });

  test("without an end is given up at 8 MiB", async () => {
    const over = Promise.withResolvers<void>();
    server.answer = ({ response }) => {
      response.on("close", over.resolve);
      const piece = "x".repeat(64 * 1_024);
      const go = () => {
        while (!response.destroyed && response.write(piece));
      };
      begin(response);
      response.on("drain", go);
      go();
      return new Promise(() => undefined);
    };

    expect(await failure(send())).toMatchObject({ code: "uncertain" });
    await over.promise;
    expect(server.arrived).toHaveLength(1);
  });
});

describe("Discord's limit on edits of old messages", () => {
  const limited = (seconds: number, headers: OutgoingHttpHeaders = {}): Answer => ({
    status: 429,
    headers: { "retry-after": String(seconds), "x-ratelimit-scope": "shared", ...headers },
    body: {
      message: "Maximum number of edits to messages older than 1 hour reached. Try again later.",
      code: 30046,
      retry_after: seconds,
    },
  });

  test.each([
    [600, 300_000],
    [12, 12_000],
    [1, 1_000],
  ])("of %i s: the edit fails at once (0.1.0: it waited for up to 30 s)", async (seconds, wantedMs) => {
    server.answer = () => limited(seconds);
    await expectUncertain(edit(), wantedMs);
    expect(server.arrived).toHaveLength(1);
  });

  test.each([
    ["buckets of their own", { PATCH: "edits", POST: "sends" }],
    ["one bucket for both", { PATCH: "both", POST: "both" }],
  ])("holds up no send in the same channel, with %s", async (_, buckets) => {
    server.answer = ({ what }) => {
      const bucket = { "x-ratelimit-bucket": what.startsWith("PATCH") ? buckets.PATCH : buckets.POST };
      return what.startsWith("PATCH") ? limited(600, bucket) : { headers: bucket };
    };
    // Both clients know their buckets now.
    await send();
    await failure(edit());
    const edits = [failure(edit()), failure(edit()), failure(edit())];

    await send();
    for (const failed of await Promise.all(edits)) expect(failed).toMatchObject({ code: "uncertain" });
  });
});

describe("an edit whose bucket is spent", () => {
  test("waits for half a second", async () => {
    server.answer = () => ({ headers: server.arrived.length === 1 ? spent(500) : {} });
    const from = performance.now();
    await edit();
    await edit();
    expect(performance.now() - from).toBeGreaterThan(500);
  });

  test("fails rather than wait for more than two", async () => {
    server.answer = () => ({ headers: server.arrived.length === 1 ? spent(60_000) : {} });
    await edit();
    expect(await failure(edit())).toMatchObject({ code: "uncertain", retryAfterMs: expect.closeTo(60_000, -4) });
    expect(server.arrived).toHaveLength(1);
  });
});

describe("the wait that Discord asks a send for", () => {
  test.each([
    ["31", 31_000],
    ["600", 300_000],
    ["3600", 300_000],
    ["7200", 0],
    ["1790000000000", 0],
  ])("of %s s counts as %i ms", async (seconds, wantedMs) => {
    server.answer = () => ({ status: 429, headers: { "retry-after": seconds }, body: { message: "slow" } });
    await expectUncertain(send(), wantedMs);
    expect(server.arrived).toHaveLength(1);
  });

  test("is in the body alone: the send waits for it", async () => {
    server.answer = () => ({ status: 429, body: { message: "slow", retry_after: 31, global: false } });
    await expectUncertain(send(), 31_000);
    expect(server.arrived).toHaveLength(1);
  });

  test("is for all requests, as only the body says: another channel waits, too", async () => {
    server.answer = () => ({ status: 429, body: { message: "slow", retry_after: 31, global: true } });
    await expectUncertain(send(), 31_000);
    await expectUncertain(send("100000000000000009"), 30_000);
    expect(server.arrived).toHaveLength(1);
  });

  test.each([
    ["is not said", {}],
    ["is no number", { "retry-after": "Fri, 27 Nov 2026 10:00:00 GMT" }],
    ["is 0, as only the body says", {}, 0],
  ])("%s: the send fails (0.1.0: 50 requests a second, for ever)", async (_, headers, inBody?: number) => {
    server.answer = () => ({ status: 429, headers, body: { message: "slow", retry_after: inBody } });
    expect(await failure(send())).toMatchObject({ code: "uncertain", retryAfterMs: 0 });
    expect(server.arrived).toHaveLength(1);
  });
});

test.each<[string, Answer]>([
  ["a proxy's page", { headers: { "content-type": "text/html" }, body: "<html>Please sign in</html>" }],
  ["nothing at all", { status: 204, body: "" }],
  ["an empty object", { body: {} }],
  ["nothing but null", { body: "null" }],
  ["another kind of id", { body: { id: 7 } }],
])("a successful answer that is %s is no proof of a message, nor of an edit", async (_, given) => {
  server.answer = () => given;
  const uncertain = { name: "MessengerError", code: "uncertain", retryAfterMs: 0 };
  expect(await failure(send())).toMatchObject(uncertain);
  expect(await failure(edit())).toMatchObject(uncertain);
  expect(server.arrived).toHaveLength(2);
});

test.each<[string, Answer]>([
  ["a proxy's page", { headers: { "content-type": "text/html" }, body: "<html>Please sign in</html>" }],
  ["nothing at all", { status: 204, body: "" }],
  [
    "a proxy's redirect to its page",
    { status: 302, headers: { location: "/login", "content-type": "text/html" }, body: "" },
  ],
])("%s in place of what is read says nothing about a channel (before: it was of another server)", async (_, given) => {
  server.answer = () => given;
  const api = new API(createRest({ token: "x.y.z", apiUrl: server.address }));
  const at = { guildId: "1", channelId: channel, userId: "3", roleIds: [] };
  expect(await failure(inspectChannel(api, "2", at))).toMatchObject({ name: "MessengerError", code: "uncertain" });
});

test("a path has the @ that Discord documents, for a server in its place that does not decode paths", async () => {
  const { users } = new API(createRest({ token: "x.y.z", apiUrl: server.address }));
  await users.getCurrent();
  expect(server.arrived.map(({ what }) => what)).toEqual(["GET /v10/users/@me"]);
});

test("an empty answer is no fault of Discord's, even if it claims to be JSON", async () => {
  server.answer = () => ({ status: 204, headers: { "content-type": "application/json" }, body: "" });
  const { channels } = new API(createRest({ token: "x.y.z", apiUrl: server.address }));
  await expect(channels.deleteMessage(channel, message)).resolves.toBeUndefined();
});

test.each([
  ["for a permission", 50_001, "forbidden"],
  ["because the message is another user's", 50_005, "channel_gone"],
  ["because Discord made the message", 50_021, "channel_gone"],
])("an edit that Discord forbids %s says whether the channel forbids it (%i)", async (_, code, expected) => {
  server.answer = () => ({ status: 403, body: { message: "Forbidden", code } });
  expect(await failure(edit())).toMatchObject({ name: "MessengerError", code: expected });
});

test("a reply to a message that is gone is refused; that says nothing of the channel", async () => {
  server.answer = () => ({ status: 404, body: { message: "Unknown Message", code: 10_008 } });
  expect(await failure(send())).toMatchObject({ name: "MessengerError", code: "refused" });
  expect(await failure(edit())).toMatchObject({ name: "MessengerError", code: "channel_gone" });
});

test("a message, and a notice to an owner, carry a nonce that Discord is told to enforce", async () => {
  server.answer = () => ({ body: { id: message, owner_id: "3", name: "Shop" } });
  expect(await send()).toEqual({ id: message });
  expect(sent()).toMatchObject({ nonce: `n${channel}`, enforce_nonce: true });

  await messenger.tellOwner("4", () => post({ tone: "info", body: "Hello" }), "nonce");
  expect(sent()).toMatchObject({ nonce: "nonce", enforce_nonce: true });
});
