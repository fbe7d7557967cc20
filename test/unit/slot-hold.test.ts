import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createSlotHold, type LockedJob, lockMs, type SlotHold } from "../../src/poll-queue/slot-hold.ts";

const second = 1_000;
const hour = 3_600 * second;

/** How far the clocks are ahead of the timers'. */
const clocks = { wall: 0, monotonic: 0 };
let isMine = true;
/** What Redis answers, and how often it was asked. */
let extendLock: () => Promise<number>;
let asked = 0;
let hold: SlotHold;

const job: LockedJob = {
  extendLock: (token, ms) => {
    asked++;
    expect([token, ms]).toEqual(["token", lockMs]);
    return extendLock();
  },
};

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(clocks, { wall: 0, monotonic: 0 });
  extendLock = async () => 1;
  asked = 0;
  isMine = true;
  const begun = Date.now();
  hold = createSlotHold(job, "token", {
    now: () => Date.now() + clocks.wall,
    monotonic: () => Date.now() - begun + clocks.monotonic,
    isMine: () => isMine,
  });
});

afterEach(() => {
  hold.end();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const never = () => new Promise<number>(() => undefined);

describe("the hold on a slot", () => {
  test("is nothing before the lock is proved, and nothing is over yet", async () => {
    expect(hold.isHeld()).toBe(false);
    expect(hold.signal.aborted).toBe(false);

    expect(await hold.prove()).toBe(true);
    expect(hold.isHeld()).toBe(true);
  });

  test("lasts for as long as the lock is renewed", async () => {
    await hold.prove();
    await pass(hour);

    expect(hold.isHeld()).toBe(true);
    expect(hold.signal.aborted).toBe(false);
    expect(asked).toBe(1 + hour / (5 * second));
  });

  test("ends 15 s after the last proof where Redis refuses to answer, and not before", async () => {
    await hold.prove();
    extendLock = () => Promise.reject(new Error("no connection"));
    await pass(15 * second - 1);
    expect(hold.isHeld()).toBe(true);

    await pass(1);
    expect(hold.isHeld()).toBe(false);
    expect(hold.signal.aborted).toBe(true);
  });

  test("counts from when the lock was asked for, not from the answer", async () => {
    const answer = Promise.withResolvers<number>();
    extendLock = () => answer.promise;
    const proving = hold.prove();
    await pass(2 * second);
    answer.resolve(1);
    expect(await proving).toBe(true);

    extendLock = () => Promise.reject(new Error("no connection"));
    await pass(13 * second - 1);
    expect(hold.isHeld()).toBe(true);
    await pass(1);
    expect(hold.isHeld()).toBe(false);
  });

  test("is not proved by a Redis that does not answer within 3 s, and is believed until the clocks say otherwise", async () => {
    await hold.prove();
    extendLock = never;
    const proof = hold.prove();
    await pass(3 * second);

    expect(await proof).toBe(false);
    expect(hold.isHeld()).toBe(true);
    expect(hold.signal.aborted).toBe(false);
  });

  test("is not proved by an answer that comes after its 3 s", async () => {
    const answer = Promise.withResolvers<number>();
    extendLock = () => answer.promise;
    const proof = hold.prove();
    await pass(3 * second);
    answer.resolve(1);

    expect(await proof).toBe(false);
    expect(hold.isHeld()).toBe(false);
  });

  test("is over at once where the lock is another worker's, and is not proved again", async () => {
    await hold.prove();
    extendLock = async () => 0;

    expect(await hold.prove()).toBe(false);
    expect(hold.isHeld()).toBe(false);
    expect(hold.signal.aborted).toBe(true);

    extendLock = async () => 1;
    expect(await hold.prove()).toBe(false);
    expect(hold.isHeld()).toBe(false);
  });

  test("is over when it ends: Redis is asked no more, and an answer that was under way proves nothing", async () => {
    await hold.prove();
    const answer = Promise.withResolvers<number>();
    extendLock = () => answer.promise;
    const proof = hold.prove();
    hold.end();
    answer.resolve(1);

    expect(await proof).toBe(false);
    expect(hold.signal.aborted).toBe(true);
    const before = asked;
    await pass(hour);
    expect(asked).toBe(before);
  });

  test("is over where the storage is not the queue's to poll on any more", async () => {
    await hold.prove();
    isMine = false;

    expect(hold.isHeld()).toBe(false);
    expect(hold.signal.aborted).toBe(true);
    isMine = true;
    expect(await hold.prove()).toBe(false);
  });

  test("asks for the lock no more once it is over: that would keep it from others", async () => {
    await hold.prove();
    clocks.wall = hour;
    expect(hold.isHeld()).toBe(false);
    const before = asked;

    expect(await hold.prove()).toBe(false);
    expect(asked).toBe(before);
  });
});

describe("a process that was suspended", () => {
  test.each([
    ["and its machine slept: only the wall clock went on", { wall: hour, monotonic: 0 }],
    ["by a signal: both clocks went on", { wall: hour, monotonic: hour }],
    ["and its clock was set back by as much: only the monotonic one went on", { wall: 0, monotonic: hour }],
    ["and finds its clock set back", { wall: -hour, monotonic: 0 }],
  ])("%s: holds nothing at the first look, and the signal is aborted by that look", async (_, jump) => {
    await hold.prove();
    Object.assign(clocks, jump);

    expect(hold.signal.aborted).toBe(false);
    expect(hold.isHeld()).toBe(false);
    expect(hold.signal.aborted).toBe(true);
  });

  test("while it asked for the lock is not held by the old answer", async () => {
    await hold.prove();
    const answer = Promise.withResolvers<number>();
    extendLock = () => answer.promise;
    const proof = hold.prove();
    Object.assign(clocks, { wall: 16 * second, monotonic: 16 * second });
    answer.resolve(1);

    expect(await proof).toBe(false);
    expect(hold.isHeld()).toBe(false);
    expect(hold.signal.aborted).toBe(true);
  });

  test("for less than the 15 s goes on", async () => {
    await hold.prove();
    Object.assign(clocks, { wall: 14 * second, monotonic: 14 * second });

    expect(hold.isHeld()).toBe(true);
    expect(await hold.prove()).toBe(true);
  });
});
