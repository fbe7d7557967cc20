import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createLeaseWorld,
  fail,
  hold,
  hour,
  type LeaseProcess,
  type LeaseWorld,
  pass,
  second,
  secondsUntilHeld,
} from "../support/lease-world.ts";

let world: LeaseWorld;

beforeEach(() => {
  vi.useFakeTimers();
  world = createLeaseWorld();
});

afterEach(async () => {
  await world.end();
  vi.useRealTimers();
});

/** Lets so much time pass, and looks every few milliseconds that no two processes hold the lease. */
async function expectNeverTwo(ms: number, everyMs = 50): Promise<void> {
  for (let passed = 0; passed < ms; passed += everyMs) {
    expect(world.holders().length).toBeLessThanOrEqual(1);
    await pass(everyMs);
  }
}

describe("a term is over", () => {
  test("when the machine has slept: the signal is aborted at the first look, and the lease is taken anew", async () => {
    const { lease, clocks, terms } = await world.begin();
    const signal = lease.signal();

    clocks.wall = 60 * second;

    expect(signal.aborted).toBe(false);
    expect(lease.term()).toBeUndefined();
    expect(signal.aborted).toBe(true);
    expect(lease.signal().aborted).toBe(true);

    await pass(200);
    expect(lease.term()).toBe(2);
    expect(lease.signal().aborted).toBe(false);
    expect(terms).toEqual([1, 2]);
  });

  test("when the storage has not answered for 15 s, and not before", async () => {
    const process = await world.begin();

    fail(process);
    await pass(14 * second);

    expect(process.lease.term()).toBe(1);

    await pass(2 * second);
    expect(process.lease.term()).toBeUndefined();

    process.before = async () => undefined;
    expect(await secondsUntilHeld(process)).toBeLessThan(12);
    expect(process.terms).toEqual([1, 2]);
  });

  test("by the monotonic clock where the wall clock was set back (0.1.0: as much later)", async () => {
    const process = await world.begin();

    fail(process);
    process.clocks.wall = -10 * second;
    await pass(14 * second);

    expect(process.lease.term()).toBe(1);

    await pass(2 * second);
    expect(process.lease.term()).toBeUndefined();
  });

  test("when the wall clock is set by hours, for a moment only", async () => {
    const process = await world.begin();
    for (const wall of [-3 * hour, 0]) {
      process.clocks.wall = wall;
      process.lease.term();
      await pass(200);
      expect(process.lease.term()).toBeDefined();
    }

    expect(process.terms).toEqual([1, 2, 3]);
  });

  test("when another process has written its record over this one's", async () => {
    const process = await world.begin();
    const signal = process.lease.signal();

    world.storage.set("polls", JSON.stringify({ id: "x", host: "other", pid: 1, beat: 1 }));
    await pass(6 * second);

    expect(process.lease.term()).toBeUndefined();
    expect(signal.aborted).toBe(true);
  });

  test("when it ends: nothing is written any more", async () => {
    const process = await world.begin();
    const signal = process.lease.signal();
    await process.lease.end({ release: true });

    const { writes } = process;

    expect(process.lease.term()).toBeUndefined();
    expect(signal.aborted).toBe(true);

    await pass(60 * second);
    expect(process.writes).toBe(writes);
    expect(world.storage.has("polls")).toBe(false);
  });
});

test("a process that ends while the storage does not answer ends soon, and releases nothing", async () => {
  const process = await world.begin();
  const goOn = hold(process);
  await pass(6 * second);
  const ended = process.lease.end({ release: true });

  await pass(600);
  await ended;
  goOn();
  await pass(20 * second);

  expect(world.storage.has("polls")).toBe(true);
});

describe("a process that is suspended", () => {
  async function expectOneInTheEnd(ms: number) {
    await expectNeverTwo(ms);
    expect(world.holders()).toHaveLength(1);
  }

  test("in the middle of a renewal does not hold the lease beside the one that took it meanwhile", async () => {
    const first = await world.begin();
    const next = await world.begin();
    const goOn = hold(first, "commit");

    await pass(25 * second);

    expect(world.holders()).toEqual([next]);

    goOn();
    await expectOneInTheEnd(40 * second);
  });

  test("in the middle of a claim does not hold the lease beside the one that claimed it meanwhile", async () => {
    const first = world.start();
    const goOn = hold(first, "commit");
    void first.lease.begin();
    await pass(10);

    const next = await world.begin();

    expect(world.holders()).toEqual([next]);

    await pass(2 * second);
    goOn();

    await expectOneInTheEnd(40 * second);
  });

  test("until its claim has lapsed claims the lease again", async () => {
    const process = world.start();
    const goOn = hold(process, "commit");

    void process.lease.begin();
    await pass(20 * second);
    goOn();
    await secondsUntilHeld(process);

    expect(process.terms).toEqual([1]);
  });

  test("at any moment, one of three, over and over, never holds it beside another one", async () => {
    const suspension = fc.record({
      who: fc.integer({ min: 0, max: 2 }),
      operation: fc.constantFrom("read", "commit"),
      afterMs: fc.integer({ min: 0, max: 12_000 }),
      forMs: fc.constantFrom(20, 3_000, 16_000, 30_000),
    });
    await fc.assert(
      fc
        .asyncProperty(fc.array(suspension, { minLength: 1, maxLength: 6 }), async (suspensions) => {
          for (let count = 0; count < 3; count++) await world.begin();
          for (const { who, operation, afterMs, forMs } of suspensions) {
            await pass(afterMs);
            const suspended = world.processes[who] as LeaseProcess;
            const goOn = hold(suspended, operation);
            for (let passed = 0; passed < forMs; passed += 100) {
              const others = world.processes.filter((process) => process !== suspended);
              expect(others.filter(({ lease }) => lease.term() !== undefined).length).toBeLessThanOrEqual(1);
              await pass(100);
            }
            goOn();
            await expectNeverTwo(second, 100);
          }

          await expectOneInTheEnd(60 * second);
        })
        .afterEach(async () => {
          for (const { lease } of world.processes) await lease.end({ release: false });
          world = createLeaseWorld();
        }),
      { numRuns: 30 },
    );
  });
});

describe("a late write, which was given up and comes all the same,", () => {
  test("long after another process took the lease makes no second holder", async () => {
    const first = await world.begin();
    const next = await world.begin();
    const held = Promise.withResolvers<void>();
    // Its caller was told that it failed, and it reaches the storage all the same.
    first.late = held.promise;
    await pass(25 * second);

    expect(next.lease.term()).toBe(1);

    first.late = undefined;
    held.resolve();

    await expectNeverTwo(60 * second);
    expect(next.lease.term()).toBe(1);
  });

  test("does not come from a process that has ended meanwhile", async () => {
    const process = await world.begin();
    const goOn = hold(process, "read");
    await pass(6 * second);
    const { writes } = process;
    const ended = process.lease.end({ release: false });

    goOn();
    await ended;
    await pass(20 * second);

    expect(process.writes).toBe(writes);
  });
});
