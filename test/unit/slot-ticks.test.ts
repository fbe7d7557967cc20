import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { everyone } from "../../src/poll-queue/notes.ts";
import type { PollQueue } from "../../src/poll-queue/poll-queue.ts";
import { createSlotTicks } from "../../src/poll-queue/slot-ticks.ts";
import { slotCount, slotTimes, tickName } from "../../src/poll-queue/slots.ts";
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

/** The queue as one worker tends it: which schedulers there are, and which slots it asked polls of. */
function newTicks(expression: string) {
  const notes = createPretendNotes().connect();
  const schedulers = new Map<string, string>();
  const made: string[] = [];
  const begun: number[] = [];
  const freed: string[] = [];
  const jobs = {
    getJobSchedulers: async () => [...schedulers].map(([key, pattern]) => ({ key, pattern })),
    async upsertJobScheduler(key: string, { pattern }: { pattern: string }) {
      made.push(key);
      schedulers.set(key, pattern);
    },
    getDeduplicationJobId: async () => null,
    removeDeduplicationKey: async (id: string) => void freed.push(id),
    clean: async () => [],
  };
  const addPolls = async (slot: number) => void begun.push(slot);
  const queue = { jobs, notes, times: slotTimes(expression), expression, addPolls } as unknown as PollQueue;
  const servers = async () => new Map(every.map((slot) => [slot, [String(slot)]]));
  return { tend: createSlotTicks(queue, { servers, log }), made, begun, freed, notes };
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
