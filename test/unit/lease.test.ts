import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createLease, type Lease } from "../../src/alerts/lease.ts";
import { StorageError, type Table } from "../../src/storage/table.ts";

const second = 1_000;
const hour = 3_600_000;

/** What outlives the processes: as JSON, as a database keeps it. */
let storage: Map<string, string>;
let processes: Process[];

/** A process that wants to poll, on a machine of its own unless it is told otherwise. */
interface Process {
  readonly lease: Lease;
  /** Numbers of the terms that began. */
  readonly terms: (number | undefined)[];
  readonly lines: string[];
  changes: number;
  writes: number;
  /** How far the wall clock and the monotonic clock are off. */
  readonly clocks: { wall: number; monotonic: number };
  /** Awaited before each operation reaches the storage; throws to fail it. */
  before: (operation: "getMany" | "get" | "set" | "delete") => Promise<void>;
}

beforeEach(() => {
  vi.useFakeTimers();
  storage = new Map();
  processes = [];
});

afterEach(async () => {
  for (const { lease } of processes) await Promise.race([lease.end({ release: false }), pass(10 * second)]);
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const read = (key: string): unknown => JSON.parse(storage.get(key) ?? "null") ?? undefined;

function tableOf(process: Process): Table<unknown> {
  const unused = () => Promise.reject(new Error("not part of a lease"));
  return {
    async getMany(keys) {
      await process.before("getMany");
      return keys.map(read);
    },
    async get(key) {
      await process.before("get");
      return read(key);
    },
    async set(key, value) {
      await process.before("set");
      process.writes++;
      storage.set(key, JSON.stringify(value));
    },
    async delete(key) {
      await process.before("delete");
      storage.delete(key);
    },
    setMany: unused,
    deleteMany: unused,
    clear: unused,
    entries: () => ({ [Symbol.asyncIterator]: () => ({ next: unused }) }),
  };
}

interface Self {
  readonly host: string;
  readonly pid: number;
  readonly pids?: string;
}

function start(self: Self = { host: `host-${processes.length}`, pid: 7 }): Process {
  const own: Omit<Process, "lease"> = {
    terms: [],
    lines: [],
    changes: 0,
    writes: 0,
    clocks: { wall: 0, monotonic: 0 },
    before: async () => undefined,
  };
  const write = (_: object, message: string) => void own.lines.push(message);
  const created = own as Process;
  const lease = createLease({
    table: tableOf(created),
    log: { debug: write, info: write, warn: write, error: write } as never,
    onTerm: () => void own.terms.push(created.lease.term()),
    onChanged: () => void own.changes++,
    now: () => Date.now() + own.clocks.wall,
    monotonic: () => performance.now() + own.clocks.monotonic,
    self,
  });
  Object.assign(own, { lease });
  processes.push(created);
  return created;
}

/** Starts and begins; resolves when a free lease would be held. */
async function begin(self?: Self): Promise<Process> {
  const process = start(self);
  void process.lease.begin();
  await pass(200);
  return process;
}

/** Every operation of the process waits until the returned function is called. */
function hold(process: Process, ...operations: string[]): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  process.before = (operation) =>
    operations.length === 0 || operations.includes(operation) ? promise : Promise.resolve();
  return () => {
    process.before = async () => undefined;
    resolve();
  };
}

const fail = (process: Process) => {
  process.before = () => Promise.reject(new StorageError("test", new Error("down")));
};

/** Passes time until the process holds the lease; gives the seconds that took. */
async function secondsUntilHeld({ lease }: Process, most = 60): Promise<number> {
  for (let tenths = 0; tenths <= most * 10; tenths++) {
    if (lease.term() !== undefined) return tenths / 10;
    await pass(100);
  }
  throw new Error(`not held within ${most} s`);
}

describe("a lease that nobody holds", () => {
  test("is held at once, and stays held in the same term", async () => {
    const { lease, terms } = await begin();
    const signal = lease.signal();
    await pass(600 * second);
    expect(lease.term()).toBe(1);
    expect(lease.signal()).toBe(signal);
    expect(signal.aborted).toBe(false);
    expect(terms).toEqual([1]);
  });

  test("is not held before it is claimed, and no signal of it can be used", () => {
    const { lease } = start();
    expect(lease.term()).toBeUndefined();
    expect(lease.signal().aborted).toBe(true);
  });

  test("that several claim in the same moment is held by one of them", async () => {
    const all = [start(), start(), start()];
    for (const { lease } of all) void lease.begin();
    await pass(200);
    expect(all.filter(({ lease }) => lease.term() !== undefined)).toHaveLength(1);
  });

  test("is not held by a process that ends while it claims it", async () => {
    const { lease, terms } = start();
    void lease.begin();
    await pass(50);
    await lease.end({ release: true });
    await pass(20 * second);
    expect(lease.term()).toBeUndefined();
    expect(terms).toEqual([]);
  });
});

describe("a process that finds the lease held", () => {
  test("says so once and stands by while the other one renews it", async () => {
    const first = await begin();
    const second_ = await begin();
    await pass(600 * second);
    expect(first.lease.term()).toBe(1);
    expect(second_.lease.term()).toBeUndefined();
    expect(second_.lines).toEqual([
      "another process polls on this storage already: this one sends no alerts until that one ends",
    ]);
  });

  test("takes over soon when it is released", async () => {
    const first = await begin();
    const next = await begin();
    await first.lease.end({ release: true });
    expect(await secondsUntilHeld(next)).toBeLessThan(5.5);
    expect(next.terms).toEqual([1]);
    expect(next.lines).toContain("this process sends the alerts from now on");
  });

  test("takes over 15 to 20 s after the last renewal when it is not", async () => {
    const first = await begin();
    const next = await begin();
    await pass(12 * second);
    await first.lease.end({ release: false });
    const seconds = await secondsUntilHeld(next);
    expect(seconds).toBeGreaterThan(12);
    expect(seconds).toBeLessThan(20);
  });

  test("takes over at once from a process of this machine that was killed", async () => {
    const { pid } = spawnSync("true");
    storage.set("polls", JSON.stringify({ id: "x", host: hostname(), pid, beat: 3 }));
    const { lease } = await begin({ host: hostname(), pid: process.pid });
    expect(lease.term()).toBe(1);
  });
});

describe("a record that another machine's clock is in", () => {
  test("three hours ahead, of a process that is dead, keeps nobody waiting (0.1.0: for three hours)", async () => {
    storage.set("polls", JSON.stringify({ id: "x", host: "other", pid: 1, at: Date.now() + 3 * hour }));
    const seconds = await secondsUntilHeld(await begin());
    expect(seconds).toBeGreaterThan(14);
    expect(seconds).toBeLessThan(16);
  });

  test("three hours behind, of a process that lives, is respected (0.1.0: it was pushed aside)", async () => {
    const renew = () => {
      storage.set("polls", JSON.stringify({ id: "x", host: "other", pid: 1, at: Date.now() - 3 * hour }));
    };
    renew();
    const renewing = setInterval(renew, 5 * second);
    const { lease } = await begin();
    await pass(120 * second);
    clearInterval(renewing);
    expect(lease.term()).toBeUndefined();
    expect(await secondsUntilHeld(processes[0] as Process)).toBeLessThan(21);
  });

  test("that cannot be read is believed while it changes", async () => {
    storage.set("polls", JSON.stringify("something else"));
    const seconds = await secondsUntilHeld(await begin());
    expect(seconds).toBeGreaterThan(14);
    expect(seconds).toBeLessThan(16);
  });
});

describe("a record with this process's own host name and pid", () => {
  const container = { host: "container", pid: 1 };

  test("is that of a container before its restart: it is taken after 6 s (0.1.0: after 15 s)", async () => {
    storage.set("polls", JSON.stringify({ id: "x", ...container, at: Date.now() - second }));
    const seconds = await secondsUntilHeld(await begin(container));
    expect(seconds).toBeGreaterThan(5);
    expect(seconds).toBeLessThan(7);
  });

  test("but of another pid among other processes is respected while it is renewed, though no such pid runs here", async () => {
    const first = await begin({ host: "container", pid: 2 ** 22 + 1, pids: "pid:[1]" });
    const second = await begin({ host: "container", pid: 9, pids: "pid:[2]" });
    await pass(60_000);
    expect([first.lease.term(), second.lease.term()]).toEqual([1, undefined]);
  });

  test("is respected while it is renewed: it is that of another container", async () => {
    const first = await begin(container);
    const next = await begin(container);
    await pass(120 * second);
    expect(first.terms).toEqual([1]);
    expect(next.terms).toEqual([]);
  });
});

describe("a term is over", () => {
  test("when the machine has slept: the signal is aborted at the first look, and the lease is taken anew", async () => {
    const { lease, clocks, terms } = await begin();
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
    const process = await begin();
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
    const process = await begin();
    fail(process);
    process.clocks.wall = -10 * second;
    await pass(14 * second);
    expect(process.lease.term()).toBe(1);
    await pass(2 * second);
    expect(process.lease.term()).toBeUndefined();
  });

  test("when the wall clock is set by hours, for a moment only", async () => {
    const process = await begin();
    for (const wall of [-3 * hour, 0]) {
      process.clocks.wall = wall;
      process.lease.term();
      await pass(200);
      expect(process.lease.term()).toBeDefined();
    }
    expect(process.terms).toEqual([1, 2, 3]);
  });

  test("when another process has written its record over this one's", async () => {
    const process = await begin();
    const signal = process.lease.signal();
    storage.set("polls", JSON.stringify({ id: "x", host: "other", pid: 1, beat: 1 }));
    await pass(6 * second);
    expect(process.lease.term()).toBeUndefined();
    expect(signal.aborted).toBe(true);
  });

  test("when it ends: nothing is written any more", async () => {
    const process = await begin();
    const signal = process.lease.signal();
    await process.lease.end({ release: true });
    const { writes } = process;
    expect(process.lease.term()).toBeUndefined();
    expect(signal.aborted).toBe(true);
    await pass(60 * second);
    expect(process.writes).toBe(writes);
    expect(storage.has("polls")).toBe(false);
  });
});

test("a process that ends while the storage does not answer ends soon, and releases nothing", async () => {
  const process = await begin();
  const goOn = hold(process);
  await pass(6 * second);
  const ended = process.lease.end({ release: true });
  await pass(600);
  await ended;
  goOn();
  await pass(20 * second);
  expect(storage.has("polls")).toBe(true);
});

describe("a process that is suspended", () => {
  const holders = () => processes.filter(({ lease }) => lease.term() !== undefined);

  async function expectOneAtATime(ms: number) {
    for (let passed = 0; passed < ms; passed += 50) {
      expect(holders().length).toBeLessThanOrEqual(1);
      await pass(50);
    }
    expect(holders()).toHaveLength(1);
  }

  test("in the middle of a renewal does not hold the lease beside the one that took it meanwhile", async () => {
    const first = await begin();
    const next = await begin();
    const goOn = hold(first, "set");
    await pass(25 * second);
    expect(holders()).toEqual([next]);
    goOn();
    // Its late renewal has replaced the other one's record.
    await expectOneAtATime(40 * second);
  });

  test("in the middle of a claim does not hold the lease beside the one that claimed it meanwhile", async () => {
    const first = start();
    const goOn = hold(first, "set");
    void first.lease.begin();
    await pass(10);
    const next = await begin();
    expect(holders()).toEqual([next]);
    await pass(2 * second);
    goOn();
    await expectOneAtATime(40 * second);
  });

  test("until its claim has lapsed claims the lease again", async () => {
    const process = start();
    const goOn = hold(process, "get");
    void process.lease.begin();
    await pass(20 * second);
    goOn();
    await secondsUntilHeld(process);
    expect(process.terms).toEqual([1]);
  });

  test("while its claim settles holds nothing that was taken meanwhile", async () => {
    const first = start();
    const goOn = hold(first, "get");
    void first.lease.begin();
    await pass(200);
    const next = await begin();
    await pass(20 * second);
    expect(holders()).toEqual([next]);
    goOn();
    await expectOneAtATime(20 * second);
    expect(holders()).toEqual([next]);
  });

  test("at any moment, one of three, over and over, never holds it beside another one", async () => {
    const suspension = fc.record({
      who: fc.integer({ min: 0, max: 2 }),
      operation: fc.constantFrom("getMany", "get", "set"),
      afterMs: fc.integer({ min: 0, max: 12_000 }),
      forMs: fc.constantFrom(20, 3_000, 16_000, 30_000),
    });
    await fc.assert(
      fc
        .asyncProperty(fc.array(suspension, { minLength: 1, maxLength: 6 }), async (suspensions) => {
          for (let count = 0; count < 3; count++) await begin();
          for (const { who, operation, afterMs, forMs } of suspensions) {
            await pass(afterMs);
            const suspended = processes[who] as Process;
            const goOn = hold(suspended, operation);
            for (let passed = 0; passed < forMs; passed += 100) {
              const others = processes.filter((process) => process !== suspended);
              expect(others.filter(({ lease }) => lease.term() !== undefined).length).toBeLessThanOrEqual(1);
              await pass(100);
            }
            goOn();
            for (let passed = 0; passed < 1_000; passed += 100) {
              expect(holders().length).toBeLessThanOrEqual(1);
              await pass(100);
            }
          }
          await expectOneAtATime(60 * second);
        })
        .afterEach(async () => {
          for (const { lease } of processes) await lease.end({ release: false });
          processes = [];
          storage.clear();
        }),
      { numRuns: 30 },
    );
  });
});

describe("a write that was given up and comes all the same", () => {
  test("long after another process took the lease, makes no second holder", async () => {
    const first = await begin();
    const next = await begin();
    let land = () => {};
    first.before = async (operation) => {
      if (operation !== "set") return;
      const written = storage.get("polls") ?? "";
      const { beat } = JSON.parse(written);
      land = () => void storage.set("polls", written.replace(`"beat":${beat}`, `"beat":${beat + 1}`));
      fail(first);
      throw new StorageError("set", new Error("no answer in time"));
    };
    await pass(25 * second);
    expect(next.lease.term()).toBe(1);
    first.before = async () => undefined;
    land();
    for (let passed = 0; passed < 60_000; passed += 50) {
      expect([first, next].filter(({ lease }) => lease.term() !== undefined).length).toBeLessThanOrEqual(1);
      await pass(50);
    }
  });

  test("over a claim that settles, makes that claim void", async () => {
    const process = start();
    void process.lease.begin();
    await pass(50);
    storage.set("polls", (storage.get("polls") ?? "").replace('"beat":1', '"beat":0'));
    await pass(100);
    expect(process.lease.term()).toBeUndefined();
  });

  test("is none of a process that has ended meanwhile", async () => {
    const process = await begin();
    const goOn = hold(process, "getMany");
    await pass(6 * second);
    const { writes } = process;
    const ended = process.lease.end({ release: false });
    goOn();
    await ended;
    await pass(20 * second);
    expect(process.writes).toBe(writes);
  });
});

describe("records that were changed", () => {
  test("by another process are told to the one that holds the lease, once", async () => {
    const first = await begin();
    const next = await begin();
    await next.lease.changed();
    await pass(5.5 * second);
    expect(first.changes).toBe(1);
    await pass(30 * second);
    expect(first.changes).toBe(1);
    await next.lease.changed();
    await pass(5.5 * second);
    expect(first.changes).toBe(2);
    expect(next.changes).toBe(0);
  });

  test("by the one that holds the lease cost nothing", async () => {
    const { lease } = await begin();
    const before = new Map(storage);
    await lease.changed();
    expect(storage).toEqual(before);
  });

  test("before a term are that term's beginning", async () => {
    const first = await begin();
    const next = await begin();
    await next.lease.changed();
    await first.lease.end({ release: true });
    await pass(30 * second);
    expect(next.terms).toEqual([1]);
    expect(next.changes).toBe(0);
  });

  test("while a claim settles are not missed", async () => {
    const claiming = start();
    void claiming.lease.begin();
    await pass(50);
    await start().lease.changed();
    await pass(6 * second);
    expect(claiming.terms).toEqual([1]);
    expect(claiming.changes).toBe(1);
  });

  test("on a storage that fails are an error for who changed them", async () => {
    const process = start();
    fail(process);
    await expect(process.lease.changed()).rejects.toThrow(StorageError);
  });
});
