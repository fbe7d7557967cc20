import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSessionStarts } from "../../src/discord/gateway/session-starts.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function createStarts(limit: { remaining: number; reset_after: number }) {
  let isDown = false;
  let asked = 0;
  const lines: string[] = [];
  const say = (_: object, message: string) => void lines.push(message);
  const starts = createSessionStarts({
    async fetchGateway() {
      asked++;
      if (isDown) throw new Error("down");
      return { url: "wss://gateway.discord.gg", session_start_limit: { ...limit, max_concurrency: 16 } };
    },
    log: { debug: say, info: say, warn: say, error: say },
  });
  const setDown = (on: boolean) => {
    isDown = on;
  };
  return { starts, limit, lines, setDown, asked: () => asked };
}
const { signal } = new AbortController();

test("sixteen shards that begin together ask Discord once", async () => {
  const { starts, asked } = createStarts({ remaining: 1_000, reset_after: 1 });

  expect(await starts.atOnce(signal)).toBe(16);
  await Promise.all(Array.from({ length: 16 }, () => starts.allowed(signal)));

  expect(asked()).toBe(1);
});

test("of the last sessions of the day ten are left alone, one sentence says so, and it goes on with the next day", async () => {
  const { starts, limit, lines } = createStarts({ remaining: 12, reset_after: 3_600_000 });
  await starts.allowed(signal);
  await starts.allowed(signal);
  const allowed = vi.fn<() => void>();
  void starts.allowed(signal).then(allowed);
  limit.remaining = 10;
  await vi.advanceTimersByTimeAsync(3_000_000);
  expect(allowed).not.toHaveBeenCalled();
  expect(lines).toEqual([expect.stringMatching(/^Discord lets the bot begin no more sessions for now/)]);

  limit.remaining = 1_000;
  await vi.advanceTimersByTimeAsync(600_000);

  expect(allowed).toHaveBeenCalledOnce();
});

test("where Discord's API does not answer, what it said last holds", async () => {
  const { starts, setDown } = createStarts({ remaining: 12, reset_after: 3_600_000 });
  await starts.look();
  setDown(true);
  await vi.advanceTimersByTimeAsync(60_000);

  await starts.allowed(signal);
  await starts.allowed(signal);
  await expect(starts.look()).rejects.toThrow("down");
});
