import { API } from "@discordjs/core";
import type { RESTOptions } from "@discordjs/rest";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { noMetrics } from "../../../src/basics/metrics.ts";
import { createRest } from "../../../src/discord/rest/rest.ts";
import { createRestHealth } from "../../../src/discord/rest/rest-health.ts";
import { createRestMessenger } from "../../../src/discord/rest/rest-messenger.ts";
import { post as notice } from "../../../src/views/parts/notice.ts";
import { failure } from "../../support/code-of.ts";

const away = "discord: no request succeeds";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Without a status, requests get no answer. */
function createDiscord(status: number | undefined) {
  const discord = { status };
  const ending = new AbortController();
  let asked = 0;
  const health = createRestHealth(noMetrics, {
    signal: ending.signal,
    async ask() {
      asked++;
      health.metrics.discordRequest("GET", "/gateway/bot", discord.status);
    },
  });
  const post = (answer: number | undefined) => health.metrics.discordRequest("POST", "/x", answer);
  return { discord, health, post, end: () => ending.abort(), asked: () => asked };
}

it("one message for which Discord always fails does not make it count as away, although nothing else is sent", async () => {
  const { health, post } = createDiscord(200);
  for (let attempt = 0; attempt < 20; attempt++) {
    post(500);
    await vi.advanceTimersByTimeAsync(70_000);
    expect(health.notReady()).toBeUndefined();
  }
});

it.each([undefined, 503, 401])(
  "Discord counts as away a minute after one failure (%s), until it answers, although nobody else asks",
  async (status) => {
    const { discord, health, post, asked } = createDiscord(status);
    post(status);
    await vi.advanceTimersByTimeAsync(59_000);
    expect(health.notReady()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(2_000);
    expect(health.notReady()).toBe(away);

    discord.status = 403;
    await vi.advanceTimersByTimeAsync(20_000);
    expect(health.notReady()).toBeUndefined();
    const before = asked();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(asked(), "while Discord answers, nobody asks").toBe(before);
  },
);

it("an expired interaction (401) does not make Discord count as away", async () => {
  const { health, post } = createDiscord(200);
  post(401);
  await vi.advanceTimersByTimeAsync(70_000);
  expect(health.notReady()).toBeUndefined();
});

it("a process that ends asks no more", async () => {
  const { post, end, asked } = createDiscord(undefined);
  post(undefined);
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked()).toBe(0);
});

it.each(["fails", "is called off on its way"])(
  "Discord is asked also after a send that %s, and whose server changed then",
  async (how) => {
    const [lease, stop, ending] = [new AbortController(), new AbortController(), new AbortController()];
    let isAnswered = false;
    const { metrics, ...health } = createRestHealth(noMetrics, {
      ask: () => api.gateway.getBot(),
      signal: ending.signal,
    });
    const makeRequest: RESTOptions["makeRequest"] = async (_, { signal }) => {
      if (how !== "fails") lease.abort();
      signal?.throwIfAborted();
      return Response.json({}, { status: isAnswered ? 200 : 503 });
    };
    const api: API = new API(createRest({ token: "x.y.z", apiUrl: "http://discord.invalid", metrics, makeRequest }));
    const { send } = createRestMessenger({ api, botId: "1" });
    const signals = { signal: lease.signal, stop: stop.signal };
    const sent = failure(send("100000000000000001", notice({ tone: "info", body: "Hello" }), "n", signals));
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await sent).toMatchObject({ code: "uncertain" });

    stop.abort();
    isAnswered = true;
    await vi.advanceTimersByTimeAsync(61_000);

    expect(health.notReady()).toBeUndefined();
    ending.abort();
  },
);
