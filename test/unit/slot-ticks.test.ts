import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { everyone } from "../../src/poll-queue/notes.ts";
import type { PollQueue } from "../../src/poll-queue/poll-queue.ts";
import { createSlotTicks } from "../../src/poll-queue/slot-ticks.ts";
import { slotCount, slotOfTick, slotTimes, tickName } from "../../src/poll-queue/slots.ts";
import { createPretendNotes } from "../support/pretend-notes.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
const log = createLog({ level: "silent", terminal: false });
const every = Array.from({ length: slotCount }, (_, slot) => slot);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0) });
});

afterEach(() => {
  vi.useRealTimers();
});

interface Scheduler {
  readonly pattern: string;
  /** Epoch ms. */
  readonly next: number;
}

/** The queue as one worker tends it: which schedulers there are, and which slots it asked polls of. */
function newTicks(expression: string, schedulers = new Map<string, Scheduler>()) {
  const times = slotTimes(expression);
  const notes = createPretendNotes().connect();
  const made: string[] = [];
  const begun: number[] = [];
  const freed: string[] = [];
  const delayed = new Map<string, { readonly attemptsStarted: number }>();
  const jobs = {
    getJobSchedulers: async () => [...schedulers].map(([key, scheduler]) => ({ key, ...scheduler })),
    async upsertJobScheduler(key: string, { pattern }: { pattern: string }) {
      made.push(key);
      schedulers.set(key, { pattern, next: times.next(slotOfTick(key), Date.now()) });
    },
    getDelayed: async () =>
      [...delayed].map(([name, job]) => ({
        ...job,
        promote: async () => {
          if (!delayed.delete(name)) throw new Error("not delayed");
        },
      })),
    getDeduplicationJobId: async () => null,
    removeDeduplicationKey: async (id: string) => void freed.push(id),
    clean: async () => [],
  };
  const addPolls = async (slot: number) => void begun.push(slot);
  const queue = { jobs, notes, times, expression, addPolls } as unknown as PollQueue;
  const servers = async () => new Map(every.map((slot) => [slot, [String(slot)]]));
  return { ...createSlotTicks(queue, { servers, log }), schedulers, delayed, made, begun, freed, notes };
}

test("a new queue's slots are begun by their own ticks where these come within half a minute, and not all at once", async () => {
  const { tend, made, begun, notes } = newTicks("*/15 * * * * *");

  expect(await tend()).toBe(true);

  expect(made).toEqual(every.map(tickName));
  expect(begun).toEqual([]);
  expect(await notes.isDue(0)).toBe(false);
});

test("a new queue's slots are begun at once where their ticks are hours away", async () => {
  const { tend, begun, notes } = newTicks("0 0 9 * * *");

  await tend();

  expect(begun).toEqual(every);
  expect((await notes.begin(0)).due).toEqual([everyone]);
});

test("of ticks every minute, those that come later than docs/operate.md says are not waited for", async () => {
  const times = slotTimes("0 * * * * *");
  const { tend, begun } = newTicks("0 * * * * *");

  await tend();

  expect(begun).toEqual(every.filter((slot) => times.next(slot, Date.now()) - Date.now() > 30 * second));
  expect(begun.length).toBeLessThan(slotCount);
});

test.each([
  ["by its next tick, which comes soon", "*/15 * * * * *", []],
  ["at once, where no tick comes for hours", "0 0 */6 * * *", [3]],
])("a slot whose job got lost is begun anew %s", async (_, expression, expected) => {
  const { tend, made, begun, freed, notes } = newTicks(expression);
  await tend();
  begun.length = 0;
  await notes.keepSlotState(3, { polledAt: Date.now(), delayMs: 0 });
  vi.setSystemTime(Date.now() + 40 * hour);
  made.length = 0;

  await tend();

  expect(made).toEqual([tickName(3)]);

  expect(freed).toEqual(["slot-3"]);
  expect(begun).toEqual(expected);
});

const setClock = (byMs: number) => void vi.setSystemTime(Date.now() + byMs);

test.each([
  ["*/15 * * * * *", 20 * second],
  ["*/15 * * * * *", 3 * hour],
  ["0 0 9 * * *", 20 * hour],
])("of ticks at %s, none waits for the time of a clock that was set back by %i ms", async (expression, byMs) => {
  const times = slotTimes(expression);
  const { tend, wasSetBack, schedulers, made } = newTicks(expression);
  await tend();
  expect(wasSetBack()).toBe(false);
  made.length = 0;

  setClock(-byMs);
  expect(wasSetBack()).toBe(true);
  await tend();

  expect(made).toEqual(every.map(tickName));
  for (const slot of every) expect(schedulers.get(tickName(slot))?.next).toBe(times.next(slot, Date.now()));
});

test("slots whose ticks are far away by the clock that was set back are polled at once", async () => {
  const { tend, wasSetBack, begun } = newTicks("0 0 9 * * *");
  await tend();
  begun.length = 0;

  setClock(-20 * hour);
  wasSetBack();
  await tend();

  expect(begun).toEqual(every);
});

test("a step back is told once, and one forward or of less than a second is none", () => {
  const { wasSetBack } = newTicks("*/15 * * * * *");
  const tell = (byMs: number) => {
    setClock(byMs);
    return [wasSetBack(), wasSetBack()];
  };

  expect([3 * hour, -900, 0, -2 * second, -3 * hour].map(tell)).toEqual([
    [false, false],
    [false, false],
    [false, false],
    [true, false],
    [true, false],
  ]);
});

test("workers whose clocks differ do not begin slots anew against each other", async () => {
  const fast = newTicks("*/15 * * * * *");
  setClock(hour);
  await fast.tend();
  setClock(-hour);
  const slow = newTicks("*/15 * * * * *", fast.schedulers);
  await slow.tend();
  expect(slow.made).toEqual(every.map(tickName));
  slow.made.length = 0;

  setClock(hour);
  await fast.tend();
  for (const slot of every) {
    const next = slotTimes("*/15 * * * * *").next(slot, Date.now());
    fast.schedulers.set(tickName(slot), { pattern: "*/15 * * * * *", next });
  }
  setClock(-hour);
  await slow.tend();

  expect(slow.made).toEqual([]);
});

test("ticks that could not be seen to after the clock was set back are seen to the next time", async () => {
  const { tend, wasSetBack, made, notes } = newTicks("*/15 * * * * *");
  await tend();
  made.length = 0;
  setClock(-hour);
  wasSetBack();

  notes.fate = (name) => (name === "slotStates" ? "lost answer" : "fine");
  expect(await tend()).toBe(false);
  expect(made).toEqual([]);
  notes.fate = () => "fine";
  expect(await tend()).toBe(true);

  expect(made).toEqual(every.map(tickName));
});

test("what waits to be tried again does not wait for the time of a clock that was set back; ticks to come stay where they are", async () => {
  const { tend, wasSetBack, delayed } = newTicks("*/15 * * * * *");
  await tend();
  delayed.set("polls of slot 3", { attemptsStarted: 1 });
  delayed.set("tick of slot 4, put off", { attemptsStarted: 2 });
  delayed.set("tick of slot 5", { attemptsStarted: 0 });
  await tend();
  expect(delayed.size).toBe(3);

  setClock(-hour);
  wasSetBack();
  await tend();

  expect([...delayed.keys()]).toEqual(["tick of slot 5"]);
});
