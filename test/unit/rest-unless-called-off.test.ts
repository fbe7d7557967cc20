import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { API } from "@discordjs/core";
import { type REST, RESTEvents } from "@discordjs/rest";
import { beforeEach, expect, test } from "vitest";
import { createRest } from "../../src/discord/rest/rest.ts";
import { createRestMessenger } from "../../src/discord/rest/rest-messenger.ts";
import { CalledOffError, type Messenger } from "../../src/outbox/messenger.ts";
import { post } from "../../src/views/parts/notice.ts";
import { failure } from "../support/code-of.ts";

const channel = "100000000000000001";
const message = "200000000000000002";

let rest: REST;
let messenger: Messenger;
let stop: AbortController;
/** The number of requests that left. */
let left: number;
let answer: () => Response | Promise<Response>;

const json = (body: object, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
const taken = () => json({ id: message });

beforeEach(() => {
  stop = new AbortController();
  left = 0;
  answer = taken;
  const makeRequest = async () => {
    left++;
    return answer();
  };
  rest = createRest({ token: "x.y.z", apiUrl: "http://discord.invalid", makeRequest });
  messenger = createRestMessenger({ api: new API(rest), botId: "1" });
});

const hello = post({ tone: "info", body: "Hello" });
const send = (to = channel) => messenger.send(to, hello, `n${to}`);
const sendUntilStopped = () => messenger.send(channel, hello, "n", { stop: stop.signal });
test("a send that is stopped while it waits in the queue ends at once, and certainly does not leave", async () => {
  const before = Array.from({ length: 60 }, (_, index) => send(String(BigInt(channel) + BigInt(index + 1))));
  const stopped = failure(sendUntilStopped());
  await before[0];
  stop.abort();

  expect(await stopped).toBeInstanceOf(CalledOffError);
  expect(left).toBeLessThan(60);
  await Promise.all(before);
  expect(left).toBe(60);
});

test("a send that waits for a rate limit ends, too", async () => {
  const spent = { "x-ratelimit-limit": "5", "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "1" };
  answer = () => json({ id: message }, 200, left === 1 ? spent : {});
  await send();
  const waits = new Promise((resolve) => rest.once(RESTEvents.RateLimited, resolve));
  const stopped = failure(sendUntilStopped());
  const after = send();
  await waits;
  stop.abort();

  expect(await stopped).toBeInstanceOf(CalledOffError);
  expect(left).toBe(1);
  await after;
  expect(left).toBe(2);
});

test("a rate-limited send certainly does not leave again", async () => {
  answer = () => {
    if (left > 1) return taken();
    stop.abort();
    return json({ message: "slow" }, 429, { "retry-after": "0.3" });
  };

  expect(await failure(sendUntilStopped())).toBeInstanceOf(CalledOffError);
  await send();
  expect(left).toBe(2);
});

test("a send on its way is awaited", async () => {
  answer = async () => {
    stop.abort();
    await turn();
    return taken();
  };

  expect(await sendUntilStopped()).toEqual({ id: message });
});

test("a send on its way is refused by Discord's answer", async () => {
  answer = () => {
    stop.abort();
    return json({ message: "Missing Access", code: 50_001 }, 403);
  };

  expect(await failure(sendUntilStopped())).toMatchObject({ code: "forbidden" });
});

test.each([
  ["a 502", () => json({}, 502)],
  ["a lost connection", () => Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" }))],
])("one on its way that ends with %s is uncertain, and is not repeated", async (_, end) => {
  answer = () => {
    stop.abort();
    return end();
  };

  expect(await failure(sendUntilStopped())).toMatchObject({ code: "uncertain" });
  expect(left).toBe(1);
});

test("a long-lived signal keeps no listener", async () => {
  for (let count = 0; count < 20; count++) await sendUntilStopped();

  expect(getEventListeners(stop.signal, "abort")).toEqual([]);
});
