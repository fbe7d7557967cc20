import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { describe, expect, it, vi } from "vitest";
import { createConcurrencyLimit } from "../../../src/basics/limits/concurrency-limit.ts";
import { HeldPartitions } from "../../../src/polling/held-partitions.ts";
import { PartitionTaker } from "../../../src/polling/partition-taker.ts";
import { createLeaseObserver, createProcessLease, leasesTable, type Self } from "../../../src/polling/process-lease.ts";
import { partitions as allPartitions, partitionCount } from "../../../src/storage/polled-servers.ts";
import { type Step, type Storage, StorageError } from "../../../src/storage/table.ts";
import { silentLog } from "../../support/recorded-log.ts";
import { stored } from "../../support/stored.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";
import { useStorage } from "../../support/use-storage.ts";
import { withTable } from "../../support/with-table.ts";

const nothing = () => undefined;
const storage = useStorage();

interface Circumstances {
  readonly of?: Storage;
  readonly now?: () => number;
  /** Those that the queue gives this worker. Without them, it gets every job. */
  readonly jobs?: ReadonlySet<number>;
  readonly settlesMs?: number;
  readonly hasQueue?: boolean;
}

function newWorker(host: string, circumstances: Circumstances = {}) {
  const { of = storage, now, jobs, settlesMs = 0, hasQueue = true } = circumstances;
  const membership = createProcessLease({ storage: of, shares: true, self: { host, pid: 1 }, ...(now && { now }) });
  let held = 0;
  let mostJobs = partitionCount;
  const share = (most: number) => {
    mostJobs = most;
  };
  const partitions = new HeldPartitions({
    storage: of,
    membership,
    log: silentLog,
    signal: new AbortController().signal,
    onServers: nothing,
    onChanged: nothing,
    onLost: nothing,
  });
  const taker = new PartitionTaker({
    membership,
    partitions,
    queue: hasQueue ? { has: (partition) => jobs?.has(partition) ?? true, share } : undefined,
    assertPrepared: async () => undefined,
    onHeld: () => void held++,
    roundAt: nothing,
    async settles() {
      if (settlesMs > 0) await new Promise((resolve) => setTimeout(resolve, settlesMs));
      return true;
    },
    log: silentLog,
  });
  return {
    taker,
    count: () => partitions.numbers.length,
    numbers: () => partitions.numbers,
    heldTimes: () => held,
    mostJobs: () => mostJobs,
  };
}

/** Some commits fail. */
const failing = (isHit: (steps: readonly Step[]) => boolean): Storage => ({
  ...storage,
  async commit(steps) {
    if (isHit(steps)) throw new StorageError("commit", new Error("the connection was reset"));
    return storage.commit(steps);
  },
});

/** Like a PostgreSQL that is far away: it answers each call after a second, and the pool has ten connections. */
function tenAtATime(of: Storage): Storage {
  const connections = createConcurrencyLimit(10, 60_000);
  async function called<Result>(call: () => Promise<Result>): Promise<Result> {
    const leave = await connections.take(false, new AbortController().signal);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    leave?.();
    return call();
  }
  const slow = withTable(of, ({ get, read, rows }) => ({
    get: (key) => called(() => get(key)),
    read: (keys) => called(() => read(keys)),
    async *rows() {
      yield* await called(async () => rows());
    },
  }));
  return { ...slow, commit: (steps) => called(() => of.commit(steps)) };
}

async function pass(ms: number) {
  for (let passed = 0; passed < ms; passed += 500) await vi.advanceTimersByTimeAsync(500);
}

describe("every partition is polled by one of the processes", () => {
  useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });

  it("what could not be given back because the storage failed is polled by the other worker", async () => {
    let isDown = false;
    const flaky = failing((steps) => isDown && steps.every(({ table }) => table === "partitions"));
    const [one, other] = [newWorker("one", { of: flaky }), newWorker("other")];
    await one.taker.begin();
    expect(one.count()).toBe(partitionCount);
    await other.taker.begin();
    isDown = true;
    await pass(6_000);
    expect(one.count() + other.count()).toBeLessThan(partitionCount);
    isDown = false;
    await pass(20_000);
    expect([one.count(), other.count()]).toEqual([partitionCount / 2, partitionCount / 2]);
  });

  it("the queue gives a worker no job beyond its share: the worker would poll that partition, and soon give it back", async () => {
    const [one, other] = [newWorker("one"), newWorker("other")];
    await one.taker.begin();
    await other.taker.begin();
    await pass(6_000);
    expect([one.mostJobs(), other.mostJobs()]).toEqual([partitionCount / 2, partitionCount / 2]);
    await other.taker.end();
    const late = newWorker("late");
    await late.taker.end();
    await late.taker.begin();
    await pass(6_000);
    expect(one.mostJobs(), "a worker that ended before it began has no share").toBe(partitionCount);
  });

  it("a process that polls all servers does not read again and again who polls them, until another process comes", async () => {
    const one = newWorker("one");
    await one.taker.begin();
    using reads = vi.spyOn(HeldPartitions.prototype, "owned");
    await pass(60_000);
    expect(reads).not.toHaveBeenCalled();
    const other = newWorker("other");
    await other.taker.begin();
    await pass(20_000);
    expect([one.count(), other.count()]).toEqual([partitionCount / 2, partitionCount / 2]);
  });

  it("a process whose storage fails while it ends has ended, and its servers are polled when its lease is over", async () => {
    let isDown = false;
    const one = newWorker("one", { of: failing(() => isDown) });
    const other = newWorker("other");
    await one.taker.begin();
    isDown = true;
    await one.taker.end();
    await other.taker.begin();
    await pass(20_000);
    expect([one.count(), other.count()]).toEqual([0, partitionCount]);
  });

  it("what a worker takes while another one starts is not taken from it", async () => {
    const one = newWorker("one");
    let isBegun = false;
    const late = withTable(
      storage,
      ({ read }) => ({
        async read(keys) {
          if (!isBegun) await one.taker.begin();
          isBegun = true;
          return read(keys);
        },
      }),
      "partitions",
    );
    const other = newWorker("other", { of: late });
    await other.taker.begin();
    expect(one.count() + other.count()).toBeLessThanOrEqual(partitionCount);
    await pass(10_000);
    expect([one.count(), other.count()]).toEqual([partitionCount / 2, partitionCount / 2]);
  });

  it("what a worker held whose lease expired while another one started is polled again", async () => {
    let skewMs = 0;
    const one = newWorker("one", { now: () => Date.now() + skewMs });
    const other = newWorker("other");
    await one.taker.begin();
    skewMs = 20_000;
    await other.taker.begin();
    await pass(20_000);
    expect([one.count(), other.count()]).toEqual([partitionCount / 2, partitionCount / 2]);
  });

  it("what a suspended worker held is taken when its lease is over, and not a renewal later", async () => {
    let isSuspended = false;
    const of = failing((steps) => isSuspended && steps.some(({ table }) => table === "members"));
    const one = newWorker("one", { of });
    const other = newWorker("other");
    await one.taker.begin();
    await pass(1_000);
    await other.taker.begin();
    await pass(5_000);
    isSuspended = true;
    await pass(2_000);
    other.taker.hurry();
    await pass(14_000);
    expect(other.count()).toBe(partitionCount);
  });

  it("a free partition is taken by the worker that has its job, and what it holds without jobs goes to others", async () => {
    const share = Math.ceil(partitionCount / 3);
    const jobs = new Set(allPartitions.slice(0, share));
    const one = newWorker("one", { jobs });
    const two = newWorker("two", { jobs: new Set(allPartitions.slice(share, 2 * share)) });
    const three = newWorker("three", { jobs: new Set(allPartitions.slice(2 * share)) });
    for (const { taker } of [one, two, three]) await taker.begin();
    await pass(6_000);
    expect(one.numbers().length + two.numbers().length + three.numbers().length).toBe(partitionCount);
    await newWorker("four", { jobs: new Set() }).taker.begin();
    await three.taker.end();
    jobs.clear();
    jobs.add(partitionCount - 1);
    await pass(11_000);
    expect(one.numbers()).toContain(partitionCount - 1);
    expect(one.count()).toBe(share);
  });

  it("a process that stands by is ready, but not while its storage fails", async () => {
    let isDown = false;
    const one = newWorker("one", { hasQueue: false });
    const other = newWorker("other", { of: failing(() => isDown), hasQueue: false });
    await one.taker.begin();
    await other.taker.begin();
    await pass(16_000);
    expect(other.count()).toBe(0);
    expect(other.taker.notReady()).toBeUndefined();
    isDown = true;
    await pass(16_000);
    expect(other.taker.notReady()).toBe("polls: this process has no lease; perhaps the storage does not answer");
  });

  it("while the queue gives jobs to nobody, workers take all partitions, each its share, although messages settle slowly", async () => {
    const slowly = { jobs: new Set<number>(), settlesMs: 700 };
    const [one, other] = [newWorker("one", slowly), newWorker("other", slowly)];
    await one.taker.begin();
    await pass(500);
    await other.taker.begin();
    await pass(20_000);
    for (let seconds = 0; seconds < 20; seconds++) {
      await pass(1_000);
      expect([one.count(), other.count()]).toEqual([partitionCount / 2, partitionCount / 2]);
    }
  });

  it("a worker that is so busy that each read takes a second takes all partitions within its lease", async () => {
    const slow = withTable(
      storage,
      ({ rows }) => ({
        async *rows() {
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          yield* rows();
        },
      }),
      "polled",
    );
    const one = newWorker("one", { of: slow });
    void one.taker.begin();
    await pass(4_000);
    expect(one.count()).toBe(partitionCount);
  });

  it("a worker whose storage takes a second for each call, ten at a time, takes all partitions and keeps its lease", async () => {
    const slow = tenAtATime(storage);
    const one = newWorker("one", { of: slow });
    void one.taker.begin();
    for (let seconds = 0; seconds < 60; seconds++) {
      await pass(1_000);
      if (seconds > 5) expect(one.taker.notReady()).toBeUndefined();
    }
    expect(one.count()).toBe(partitionCount);
    expect(one.heldTimes()).toBe(1);
  });

  it("what a worker took before its lease ended, and whose servers it reads later, belongs to the worker that took it since", async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let isDown = false;
    const late = withTable(
      failing(() => isDown),
      ({ rows }) => ({
        async *rows() {
          await answered;
          yield* rows();
        },
      }),
      "polled",
    );
    const [one, other] = [newWorker("one", { of: late }), newWorker("other")];
    void one.taker.begin();
    await pass(1_000);
    isDown = true;
    await other.taker.begin();
    await pass(20_000);
    expect(other.count()).toBe(partitionCount);
    isDown = false;
    await pass(7_000);
    answer();
    await pass(500);
    expect(one.count() + other.count()).toBeLessThanOrEqual(partitionCount);
    await pass(20_000);
    expect([one.count(), other.count()]).toEqual([partitionCount / 2, partitionCount / 2]);
  });

  it("a worker whose taking was cut short goes on with it, and says once that it polls", async () => {
    let reads = 0;
    const flaky = withTable(
      storage,
      ({ rows }) => ({
        rows() {
          if (++reads === 11) throw new StorageError("entries", new Error("the connection was reset"));
          return rows();
        },
      }),
      "polled",
    );
    const one = newWorker("one", { of: flaky });
    await one.taker.begin();
    expect(one.count()).toBe(partitionCount - 1);
    await pass(10_000);
    expect(one.count()).toBe(partitionCount);
    expect(one.heldTimes()).toBe(1);
  });
});

// If a process left its lease behind, only the common kernel of both processes can say at once that it ended.

/** No process here has this pid any more. */
const ended = spawnSync(process.execPath, ["--version"]).pid;

/** As a process of this machine writes itself down. */
async function ofThisMachine(): Promise<Self> {
  const lease = createProcessLease({ storage, shares: true });
  await lease.renew(undefined);
  const row = await storage.table(leasesTable).get(lease.id);
  await lease.leave();
  if (row === undefined) throw new Error("no lease was written");
  return { host: row.host, pid: row.pid, pids: row.pids };
}

/** How long (ms) this process believes the lease of another one, `later` after it saw the lease first. */
async function believedMs(self: Self, later = 0) {
  await createProcessLease({ storage, shares: true, self }).renew(undefined);
  let at = 0;
  const processes = createLeaseObserver(
    () => storage.table(leasesTable).rows(),
    () => at,
  );
  await processes();
  at = later;
  const [other] = await processes();
  return other?.believedMs;
}

describe("a lease that was left behind", () => {
  it("is over at once where the process ended on this machine", async () => {
    expect(await believedMs({ ...(await ofThisMachine()), pid: ended })).toBe(0);
  });

  it("holds while its row changes, although the row is malformed, and is over 15 s later", async () => {
    let at = 0;
    const rows = storage.table(stored<{ readonly beat: string }>("members"));
    const lease = createProcessLease({ storage, shares: true, monotonic: () => at });
    const believed: unknown[] = [];
    for (const [now, beat] of [
      [0, "one"],
      [14_000, "two"],
      [28_000, "two"],
      [29_000, "two"],
    ] as const) {
      at = now;
      await rows.set("malformed", { beat });
      const [other] = await lease.others();
      believed.push(other?.believedMs);
      if (other?.believedMs === 0) await lease.removeDead(other);
    }
    expect(believed).toEqual([15_000, 15_000, 1_000, 0]);
    expect(await rows.get("malformed")).toBeUndefined();
  });

  it("holds where the process still runs", async () => {
    expect(await believedMs({ ...(await ofThisMachine()), pid: process.ppid })).toBe(15_000);
  });

  it.each([
    [
      "another boot of this machine, or a machine that is its copy",
      (pids: string) => pids.replace(/^\S+/, "f".repeat(36)),
    ],
    ["another container of this machine", (pids: string) => pids.replace(/\d+(?=\]$)/, "1")],
    ["an earlier version, which wrote down no boot", (pids: string) => pids.replace(/^\S+ /, "")],
    ["a system that says nothing of its boot", () => undefined],
  ])("holds for 15 s where a process with this host name was of %s", async (_, changed) => {
    const { pids = "" } = await ofThisMachine();
    const other = { host: hostname(), pid: ended, pids: changed(pids) };
    expect(await believedMs(other, 14_000)).toBe(1_000);
  });
});
