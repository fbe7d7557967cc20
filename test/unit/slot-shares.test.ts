import { beforeEach, expect, test } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { requestTo } from "../../src/poll-queue/notes.ts";
import { createSlotShares, type SlotShares } from "../../src/poll-queue/slot-shares.ts";
import { slotCount, slotTimes } from "../../src/poll-queue/slots.ts";
import { createPretendNotes, type PretendConnection } from "../support/pretend-notes.ts";

const times = slotTimes("*/15 * * * * *");
const lateMs = 15_001;
const log = createLog({ level: "silent", terminal: false });

let notes: PretendConnection;
let shares: SlotShares;
let now: number;
let ticks: number;

beforeEach(() => {
  notes = createPretendNotes().connect();
  now = 1_000;
  ticks = 0;
  shares = createSlotShares({ notes, times, name: "here" }, log, () => now);
});

/** So many slots, from one on, had a tick with a process. */
async function tick(holder: string | undefined, count: number, { from = 0, delayMs = lateMs, agoMs = 0 } = {}) {
  const polledAt = Date.now() - agoMs + ++ticks;
  for (let slot = from; slot < from + count; slot++) {
    await notes.keepSlotState(slot, { polledAt, delayMs, ...(holder === undefined ? {} : { holder }) });
  }
}

/** So many ticks, and a look after each. */
async function look(most: number, given: () => Promise<unknown>) {
  for (let looks = 0; looks < most; looks++) {
    await given();
    await shares.even();
  }
}
const lookThrice = (given: () => Promise<unknown>) => look(3, given);

/** The slots that are asked for, and of whom. */
async function asked(): Promise<[number, string][]> {
  const found: [number, string][] = [];
  for (let slot = 0; slot < slotCount; slot++) {
    for (const due of (await notes.begin(slot)).due) found.push([slot, due]);
  }
  return found;
}

test("a worker that has none asks for half of the slots of one that is late", async () => {
  await lookThrice(() => tick("other", slotCount));
  expect(await asked()).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((slot) => [slot, requestTo("other")]));
});

test("of several it asks the one that has most, for late ones alone", async () => {
  await lookThrice(async () => {
    await tick("here", 3);
    await tick("few", 4, { from: 3 });
    await tick("many", 8, { from: 7, delayMs: 0 });
    await tick("many", 1, { from: 15 });
  });
  expect(await asked()).toEqual([[15, requestTo("many")]]);
});

test.each([
  ["nothing is late", () => tick("other", slotCount, { delayMs: lateMs - 1 })],
  ["the others have one more", async () => void [await tick("here", 7), await tick("other", 8, { from: 8 })]],
  ["it is itself the one that is late", () => tick("here", slotCount)],
  ["nobody says who holds them, as before this version", () => tick(undefined, slotCount)],
  ["nothing was heard of them for long", () => tick("other", slotCount, { agoMs: 60 * 60_000 })],
  ["they go from one to the other by themselves", () => tick(ticks % 2 ? "one" : "other", slotCount)],
  ["not every tick of them is late", () => tick("other", slotCount, { delayMs: ticks % 2 ? 0 : lateMs })],
  ["no other tick was seen since", () => (ticks === 0 ? tick("other", slotCount) : Promise.resolve())],
  ["there are none", async () => undefined],
])("it asks for nothing where %s", async (_, given) => {
  await lookThrice(given);
  expect(await asked()).toEqual([]);
});

test("two late ticks in a row are none that stay", async () => {
  await look(2, () => tick("other", slotCount));
  expect(await asked()).toEqual([]);
  await look(1, () => tick("other", slotCount));
  expect(await asked()).toHaveLength(slotCount / 2);
});

test("what went to a third worker instead is asked for at once where it stays late there", async () => {
  await lookThrice(() => tick("other", slotCount));
  await asked();
  await lookThrice(() => tick("third", slotCount));
  expect(await asked()).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((slot) => [slot, requestTo("third")]));
});

test("what it asked for is not asked for again before it came, or half a minute is over", async () => {
  await lookThrice(() => tick("other", slotCount));
  await asked();

  const seven = async () => void [await tick("here", 7), await tick("other", 9, { from: 7 })];
  now += 29_999;
  await lookThrice(seven);
  expect(await asked()).toEqual([]);
  now += 1;
  await shares.even();
  expect(await asked()).toEqual([[7, requestTo("other")]]);

  await lookThrice(async () => void [await tick("here", 8), await tick("other", 8, { from: 8 })]);
  expect(await asked()).toEqual([]);
});
