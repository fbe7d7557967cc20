import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Heartbeat } from "../../../src/basics/health.ts";
import { startWatchdog } from "../../../src/operations/watchdog.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";

const second = 1_000;

let heartbeats: Heartbeat[];
let silent: [string, number][];
let stop: () => void;

const heartbeat = (name: string, beats: number): Heartbeat => ({ name, beats, longestSilenceMs: 60 * second });

useFakeTimers();
beforeEach(() => {
  heartbeats = [];
  silent = [];
  stop = startWatchdog(
    () => heartbeats,
    (...found) => silent.push(found),
  );
});

afterEach(() => stop());

test("reports once a heartbeat that is silent for longer than it may be", () => {
  heartbeats = [heartbeat("polls", 1)];
  vi.advanceTimersByTime(65 * second);
  expect(silent).toEqual([]);

  vi.advanceTimersByTime(300 * second);

  expect(silent).toEqual([["polls", 65 * second]]);
});

test("reports nothing while every heartbeat beats now and then", () => {
  for (let beats = 0; beats < 20; beats++) {
    heartbeats = [heartbeat("polls", beats), heartbeat("gateway shard 0", 1_000 - beats)];
    vi.advanceTimersByTime(59 * second);
  }
  expect(silent).toEqual([]);
});

test("forgets the silence of a heartbeat that was not due for a while", () => {
  const polls = [heartbeat("polls", 1)];
  for (const due of [polls, [], polls]) {
    heartbeats = due;
    vi.advanceTimersByTime(50 * second);
  }
  expect(silent).toEqual([]);
});
