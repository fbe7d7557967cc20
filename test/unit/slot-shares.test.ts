import { beforeEach, expect, test } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { requestTo } from "../../src/poll-queue/notes.ts";
import { createSlotShares, type SlotShares } from "../../src/poll-queue/slot-shares.ts";
import { slotCount, slotTimes } from "../../src/poll-queue/slots.ts";
import { createPretendNotes, type PretendConnection } from "../support/pretend-notes.ts";

const times = slotTimes("*/15 * * * * *");
const lateMs = 15_001;

let notes: PretendConnection;
let shares: SlotShares;
let now: number;

beforeEach(() => {
  notes = createPretendNotes().connect();
  now = 1_000;
  const log = createLog({ level: "silent", terminal: false });
  shares = createSlotShares({ notes, times, name: "here" }, log, () => now);
});

/** So many slots, from one on, are polled by a process. */
async function hold(
  holder: string | undefined,
  count: number,
  { from = 0, delayMs = lateMs, polledAt = Date.now() } = {},
) {
  for (let slot = from; slot < from + count; slot++) {
    await notes.keepSlotState(slot, { polledAt, delayMs, ...(holder === undefined ? {} : { holder }) });
  }
}

/** The slots that are asked for, and of whom. */
async function asked(): Promise<[number, string][]> {
  const found: [number, string][] = [];
  for (let slot = 0; slot < slotCount; slot++) {
    for (const due of (await notes.begin(slot)).due) found.push([slot, due]);
  }
  return found;
}

const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, index) => from + index);

test("a worker that has none asks for half of the slots of one that is late", async () => {
  await hold("other", slotCount);
  await shares.even();
  expect(await asked()).toEqual(numbers(8).map((slot) => [slot, requestTo("other")]));
});

test("of several it asks the one that has most, for late ones alone", async () => {
  await hold("here", 3);
  await hold("few", 4, { from: 3 });
  await hold("many", 8, { from: 7, delayMs: 0 });
  await hold("many", 1, { from: 15 });
  await shares.even();
  expect(await asked()).toEqual([[15, requestTo("many")]]);
});

test.each([
  ["nothing is late", () => hold("other", slotCount, { delayMs: lateMs - 1 })],
  ["the others have one more", async () => void [await hold("here", 7), await hold("other", 8, { from: 8 })]],
  ["it is itself the one that is late", () => hold("here", slotCount)],
  ["nobody says who holds them, as before this version", () => hold(undefined, slotCount)],
  ["nothing was heard of them for long", () => hold("other", slotCount, { polledAt: Date.now() - 60 * 60_000 })],
  ["there are none", async () => undefined],
])("it asks for nothing where %s", async (_, given) => {
  await given();
  await shares.even();
  expect(await asked()).toEqual([]);
});

test("what it asked for is not asked for again before it came, or half a minute is over", async () => {
  await hold("other", slotCount);
  await shares.even();
  await asked();

  await hold("here", 7);
  now += 29_999;
  await shares.even();
  expect(await asked()).toEqual([]);
  now += 1;
  await shares.even();
  expect(await asked()).toEqual([[7, requestTo("other")]]);

  await hold("here", 1, { from: 7 });
  await shares.even();
  expect(await asked()).toEqual([]);
});
