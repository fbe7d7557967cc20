import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { noMetrics } from "../../src/basics/metrics.ts";
import { createRestHealth } from "../../src/discord/rest/rest-health.ts";

const away = "discord: no request is answered";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Makes the health of a process whose requests get `status`, or no answer. */
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

it.each([undefined, 503])(
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

it("a process that ends asks no more", async () => {
  const { post, end, asked } = createDiscord(undefined);
  post(undefined);
  end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked()).toBe(0);
});
