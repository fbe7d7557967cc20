import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Pulse } from "../../src/basics/vitals.ts";
import { createWatchdog } from "../../src/operations/watchdog.ts";

const second = 1_000;

let pulses: Pulse[];
let silent: string[];
let watchdog: ReturnType<typeof createWatchdog>;

const pulse = (name: string, beats: number): Pulse => ({ name, beats, longestSilenceMs: 60 * second });

beforeEach(() => {
  vi.useFakeTimers();
  pulses = [];
  silent = [];
  watchdog = createWatchdog({ pulses: () => pulses, onSilent: (name) => silent.push(name) });
  watchdog.start();
});

afterEach(() => {
  watchdog.stop();
  vi.useRealTimers();
});

test("tells once of a pulse that is silent for longer than it may be", () => {
  pulses = [pulse("polls", 1)];
  vi.advanceTimersByTime(65 * second);
  expect(silent).toEqual([]);

  vi.advanceTimersByTime(300 * second);

  expect(silent).toEqual(["polls"]);
});

test("is content while every pulse beats now and then", () => {
  for (let beats = 0; beats < 20; beats++) {
    pulses = [pulse("polls", beats), pulse("gateway shard 0", 1_000 - beats)];
    vi.advanceTimersByTime(59 * second);
  }
  expect(silent).toEqual([]);
});

test("waits anew for a pulse that was not due for a while", () => {
  pulses = [pulse("polls", 1)];
  vi.advanceTimersByTime(50 * second);
  pulses = [];
  vi.advanceTimersByTime(50 * second);
  pulses = [pulse("polls", 1)];
  vi.advanceTimersByTime(50 * second);

  expect(silent).toEqual([]);
});

test("takes time in which the process did not run for no silence", () => {
  let now = 0;
  const silences: number[] = [];
  const ofStopped = createWatchdog({
    pulses: () => [pulse("polls", 1)],
    onSilent: (_, silentMs) => silences.push(silentMs),
    monotonic: () => now,
  });
  const run = (ms: number) => {
    now += ms;
    vi.advanceTimersByTime(5 * second);
  };
  ofStopped.start();
  run(5 * second);
  // Stopped for an hour.
  run(3_600 * second);
  for (let look = 0; look < 10; look++) run(5 * second);
  expect(silences).toEqual([]);

  run(5 * second);

  expect(silences).toEqual([65 * second]);
});
