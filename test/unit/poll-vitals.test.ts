import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pollVitals } from "../../src/polling/poll-vitals.ts";
import { createSchedule, type Schedule } from "../../src/polling/schedule.ts";

const second = 1_000;
const hour = 3_600 * second;
const log = { debug() {}, info() {}, warn() {}, error() {} };

let schedule: Schedule;
let guildIds: () => Promise<readonly string[]>;

function start(expression: string) {
  schedule = createSchedule({ expression, guildIds: () => guildIds(), poll: async () => undefined, log });
  schedule.start();
}

const held = { term: () => 1, standsBy: () => false };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.parse("2026-11-25T10:00:00.000Z") });
  guildIds = async () => ["1"];
});

afterEach(() => {
  schedule.stop();
  vi.useRealTimers();
});

const pulse = () => pollVitals(held, schedule).pulses()[0];

test("every round is a beat, and five of them and a minute may be missed", async () => {
  start("*/15 * * * * *");
  await vi.advanceTimersByTimeAsync(0);
  const before = pulse()?.beats ?? 0;

  await vi.advanceTimersByTimeAsync(60 * second);

  expect(pulse()).toEqual({ name: "polls", beats: before + 4, longestSilenceMs: 5 * 15 * second + 60 * second });
});

test("where rounds are a day apart, so much silence is nothing", async () => {
  start("0 0 9 * * *");
  await vi.advanceTimersByTimeAsync(0);

  expect(pulse()?.longestSilenceMs).toBe(5 * 23 * hour + 60 * second);
});

test("a round whose list fails is a beat too, and one whose list never comes is none", async () => {
  guildIds = () => Promise.reject(new Error("the storage fails"));
  start("*/15 * * * * *");
  await vi.advanceTimersByTimeAsync(30 * second);
  const failing = pulse()?.beats ?? 0;
  guildIds = () => new Promise(() => undefined);
  await vi.advanceTimersByTimeAsync(15 * second);
  const before = pulse()?.beats ?? 0;

  await vi.advanceTimersByTimeAsync(hour);

  expect(failing).toBeGreaterThan(1);
  expect(pulse()?.beats).toBe(before);
});

test("nothing is due before the polls begin, while another process polls, and after the end", async () => {
  start("*/15 * * * * *");
  const other = pollVitals({ term: () => undefined, standsBy: () => true }, schedule);
  expect(other.pulses()).toEqual([]);
  expect(other.notReady()).toBeUndefined();

  schedule.stop();

  expect(pulse()).toBeUndefined();
  expect(pollVitals(held, schedule).notReady()).toBe("polls: not begun");
});

test("a process that neither polls nor stands by is not ready", () => {
  start("*/15 * * * * *");
  const lost = pollVitals({ term: () => undefined, standsBy: () => false }, schedule);
  expect(lost.notReady()).toBe("polls: no right to poll; does the storage answer?");
});
