import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Heartbeat } from "../../src/basics/health.ts";
import { createWatchdog } from "../../src/operations/watchdog.ts";

const second = 1_000;

let heartbeats: Heartbeat[];
let silent: string[];
let watchdog: ReturnType<typeof createWatchdog>;

const heartbeat = (name: string, beats: number): Heartbeat => ({ name, beats, longestSilenceMs: 60 * second });

beforeEach(() => {
  vi.useFakeTimers();
  heartbeats = [];
  silent = [];
  watchdog = createWatchdog({ heartbeats: () => heartbeats, onSilent: (name) => silent.push(name) });
  watchdog.start();
});

afterEach(() => {
  watchdog.stop();
  vi.useRealTimers();
});

test("tells once of a heartbeat that is silent for longer than it may be", () => {
  heartbeats = [heartbeat("polls", 1)];
  vi.advanceTimersByTime(65 * second);
  expect(silent).toEqual([]);

  vi.advanceTimersByTime(300 * second);

  expect(silent).toEqual(["polls"]);
});

test("is content while every heartbeat beats now and then", () => {
  for (let beats = 0; beats < 20; beats++) {
    heartbeats = [heartbeat("polls", beats), heartbeat("gateway shard 0", 1_000 - beats)];
    vi.advanceTimersByTime(59 * second);
  }
  expect(silent).toEqual([]);
});

test("waits anew for a heartbeat that was not due for a while", () => {
  heartbeats = [heartbeat("polls", 1)];
  vi.advanceTimersByTime(50 * second);
  heartbeats = [];
  vi.advanceTimersByTime(50 * second);
  heartbeats = [heartbeat("polls", 1)];
  vi.advanceTimersByTime(50 * second);

  expect(silent).toEqual([]);
});

test("takes time in which the process did not run for no silence", () => {
  let now = 0;
  const silences: number[] = [];
  const ofStopped = createWatchdog({
    heartbeats: () => [heartbeat("polls", 1)],
    onSilent: (_, silentMs) => silences.push(silentMs),
    monotonic: () => now,
  });
  const run = (ms: number) => {
    now += ms;
    vi.advanceTimersByTime(5 * second);
  };
  ofStopped.start();
  run(5 * second);
  // The process was stopped for an hour.
  run(3_600 * second);
  for (let look = 0; look < 10; look++) run(5 * second);
  expect(silences).toEqual([]);

  run(5 * second);

  expect(silences).toEqual([65 * second]);
});
