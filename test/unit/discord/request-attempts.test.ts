import { getEventListeners } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { API } from "@discordjs/core";
import { type REST, RESTEvents } from "@discordjs/rest";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { Patience } from "../../../src/discord/rest/rate-limits.ts";
import { createRest } from "../../../src/discord/rest/rest.ts";
import { createRestMessenger } from "../../../src/discord/rest/rest-messenger.ts";
import type { Messenger } from "../../../src/outbox/messenger.ts";
import { post } from "../../../src/views/parts/notice.ts";
import { failure } from "../../support/code-of.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";

const channel = "100000000000000001";
const message = "200000000000000002";

let rest: REST;
let messenger: Messenger;
let answers: API["interactions"];
let end: AbortController;
/** Requests that left. */
let left: number;
let answer: (signal: AbortSignal | null | undefined) => Response | Promise<Response>;
let onRequest: () => void;
let clientOf: (patience?: Patience) => REST;

const json = (body: object, status = 200, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } });
const taken = () => json({ id: message });
const refused = () => json({ message: "Missing Access", code: 50_001 }, 403);
const limited = () => json({ message: "slow" }, 429, { "retry-after": "0.1" });
const lost = () => Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" }));

// Each wait ends at once. No test here has a connection, whose time limit could end first.
useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

beforeEach(() => {
  vi.setTimerTickMode("nextTimerAsync");
  end = new AbortController();
  left = 0;
  answer = taken;
  onRequest = () => undefined;
  const makeRequest = async (_: string, { signal }: { signal?: unknown }) => {
    left++;
    return answer(signal as AbortSignal | undefined);
  };
  const options = { token: "x.y.z", apiUrl: "http://discord.invalid", makeRequest, onRequest: () => onRequest() };
  clientOf = (patience) => createRest({ ...options, ...(patience && { patience }) });
  rest = clientOf();
  messenger = createRestMessenger({ api: new API(rest), botId: "1" });
  answers = new API(rest).interactions;
});

const hello = post({ tone: "info", body: "Hello" });
const send = (to = channel, how?: "signal" | "stop") =>
  messenger.send(to, hello, `n${to}`, how === undefined ? {} : { [how]: end.signal });

/** Undefined if the send was called off. */
const outcome = (call: ReturnType<typeof send>) => call.catch((error: unknown) => error);

describe.each([
  ["signal", expect.objectContaining({ code: "uncertain", retryAfterMs: 0 })],
  ["stop", undefined],
] as const)("a send whose `%s` is aborted", (how, expected) => {
  test("before it left never leaves", async () => {
    end.abort();
    expect(await outcome(send(channel, how))).toEqual(expected);
    expect(left).toBe(0);
  });

  test("while it waits in the queue ends at once, and does not leave", async () => {
    const before = Array.from({ length: 20 }, (_, index) => send(String(BigInt(channel) + BigInt(index + 1))));
    const stopped = outcome(send(channel, how));
    await before[0];
    end.abort();

    expect(await stopped).toEqual(expected);
    expect(left).toBeLessThan(20);
    await Promise.all(before);
    expect(left).toBe(20);
  });

  test("while it waits for a rate limit ends at once, and does not leave when the wait is over", async () => {
    const spent = { "x-ratelimit-limit": "5", "x-ratelimit-remaining": "0", "x-ratelimit-reset-after": "0.5" };
    answer = () => json({ id: message }, 200, left === 1 ? spent : {});
    await send();
    const waits = new Promise((resolve) => rest.once(RESTEvents.RateLimited, resolve));
    const stopped = [outcome(send(channel, how)), outcome(send(channel, how))];
    const after = send();
    await waits;
    end.abort();

    for (const one of stopped) expect(await one).toEqual(expected);
    expect(left).toBe(1);
    await after;
    expect(left).toBe(2);
  });

  test("after a 429 told it to wait does not leave again", async () => {
    answer = () => {
      if (left > 1) return taken();
      setImmediate(() => end.abort());
      return limited();
    };

    expect(await outcome(send(channel, how))).toEqual(expected);
    await send();
    expect(left).toBe(2);
  });

  test("leaves no listener on it", async () => {
    for (let count = 0; count < 20; count++) await send(channel, how);
    expect(getEventListeners(end.signal, "abort")).toEqual([]);
  });
});

test("a send whose signal is aborted right before it leaves does not leave, and is not repeated", async () => {
  let checks = 0;
  onRequest = () => {
    checks++;
    end.abort();
  };

  expect(await failure(send(channel, "signal"))).toMatchObject({ code: "uncertain" });
  expect([left, checks]).toEqual([0, 1]);
});

test("the check before a request leaves is made before every attempt", async () => {
  const checked: number[] = [];
  onRequest = () => void checked.push(left);
  answer = () => (left < 3 ? json({}, 502) : taken());

  await send();

  expect(checked).toEqual([0, 1, 2]);
});

describe("a send on its way", () => {
  test("ends at once when its signal is aborted: it is uncertain, and not repeated", async () => {
    answer = (signal) => {
      end.abort();
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    };

    expect(await failure(send(channel, "signal"))).toMatchObject({ code: "uncertain" });
    expect(left).toBe(1);
  });

  test("is awaited when it is stopped", async () => {
    answer = async () => {
      end.abort();
      await turn();
      return taken();
    };

    expect(await send(channel, "stop")).toEqual({ id: message });
  });

  test.each([
    ["forbidden", "Discord refuses it", refused],
    ["uncertain", "it ends with a 502", () => json({}, 502)],
    ["uncertain", "its connection is lost", lost],
  ])("is %s if it is stopped and %s", async (code, _, ending) => {
    answer = () => {
      end.abort();
      return ending();
    };

    expect(await failure(send(channel, "stop"))).toMatchObject({ code });
    expect(left).toBe(1);
  });
});

test.each([
  ["uncertain", "after an attempt without an answer", lost],
  ["uncertain", "after a 502", () => json({}, 502)],
  ["forbidden", "after a 429, which was not posted", limited],
])("a refusal is %s %s", async (code, _, first) => {
  answer = () => (left === 1 ? first() : refused());
  expect(await failure(send())).toMatchObject({ code });
  expect(left).toBe(2);
});

test.each([
  ["an answer to an interaction", () => answers.editReply("1", "token", hello)],
  ["a message, such as the only greeting", () => send()],
])("a failure of Discord for two seconds does not lose %s (before: four attempts in 20 ms)", async (_, begin) => {
  vi.setTimerTickMode("manual");
  answer = () => (left < 4 ? json({}, 503) : taken());
  const sent = begin();
  for (const [index, pauseMs] of [300, 600, 1_200].entries()) {
    await vi.advanceTimersByTimeAsync(pauseMs - 1);
    expect(left).toBe(index + 1);
    await vi.advanceTimersByTimeAsync(1);
  }
  await sent;
  expect(left).toBe(4);
});

describe("an answer to an interaction is repeated (1.0.0: 'not completed', although it was)", () => {
  const defer = () => answers.defer("1", "token");
  const edit = () => answers.editReply("1", "token", hello);
  const repeated = () => json({ message: "Interaction has already been acknowledged.", code: 40_060 }, 400);
  const cutOff = () => {
    const body = new ReadableStream({ start: (stream) => stream.error(new Error("cut off")) });
    return new Response(body, { status: 200 });
  };
  const closed = () => Promise.reject(Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }));

  test.each([
    ["the connection was lost", closed],
    ["the answer was cut off", cutOff],
    ["a 502", () => json({}, 502)],
  ])("after %s", async (_, first) => {
    answer = () => (left % 2 === 1 ? first() : taken());
    await defer();
    await edit();
    expect(left).toBe(4);
  });

  test("and one that Discord took in the lost attempt is taken", async () => {
    answer = () => (left === 1 ? closed() : repeated());
    await defer();
    expect(left).toBe(2);
  });

  test("and one that another process sent is refused", async () => {
    answer = repeated;
    expect(await failure(defer())).toMatchObject({ code: 40_060 });
    expect(left).toBe(1);
  });

  test("after its first attempt got no answer within two seconds", async () => {
    const late = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(late.signal);
    onTestFinished(() => timeout.mockRestore());
    answer = (signal) => {
      if (left > 1) return taken();
      setImmediate(() => late.abort());
      return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    };
    await defer();
    expect(left).toBe(2);
    expect(timeout.mock.calls).toEqual([[2_000]]);
  });

  test("but the only attempt of a client without retries, such as the proxy's, gets more than these two seconds", async () => {
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
    onTestFinished(() => timeout.mockRestore());
    answer = async (signal) => {
      signal?.throwIfAborted();
      return taken();
    };
    await new API(clientOf({ limitMs: 5_000, retries: 0 })).interactions.defer("1", "token");
    expect(left).toBe(1);
  });

  test("three times, and then fails with the error of the connection", async () => {
    answer = closed;
    expect(await failure(edit())).toMatchObject({ code: "UND_ERR_SOCKET" });
    expect(left).toBe(4);
  });

  test("but a further message is not, because Discord would post it twice", async () => {
    answer = closed;
    await failure(answers.followUp("1", "token", hello));
    expect(left).toBe(1);
  });
});
