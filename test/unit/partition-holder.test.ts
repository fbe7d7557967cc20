import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { PartitionHolder } from "../../src/polling/partition-holder.ts";
import { Partitions } from "../../src/polling/partitions.ts";
import { createProcessLease } from "../../src/polling/process-lease.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { partitionCount } from "../../src/storage/polled-servers.ts";
import { type Step, type Storage, StorageError, type WholeStorage } from "../../src/storage/table.ts";

// Every partition is polled by one of the processes, whatever failed while they shared or took them.

const nothing = () => undefined;
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

let storage: WholeStorage;
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance", "Date"] });
  storage = await openStorage("sqlite://:memory:", log);
});
afterEach(async () => {
  vi.useRealTimers();
  await storage.close();
});

/** A worker to which the queue gives every job. */
function newWorker(host: string, of: Storage = storage, now?: () => number) {
  const membership = createProcessLease({ storage: of, shares: true, self: { host, pid: 1 }, ...(now && { now }) });
  let held = 0;
  const partitions = new Partitions({
    storage: of,
    membership,
    log,
    onServers: nothing,
    onChanged: nothing,
    onLost: nothing,
  });
  const holder = new PartitionHolder({
    membership,
    partitions,
    wanted: () => true,
    shares: true,
    assertPrepared: async () => undefined,
    onHeld: () => void held++,
    roundAt: nothing,
    settles: async () => true,
    log,
  });
  return { holder, count: () => partitions.numbers.length, heldTimes: () => held };
}

/** The storage, of which some commits fail. */
const failing = (isHit: (steps: readonly Step[]) => boolean): Storage => ({
  ...storage,
  table: (shape, part) => storage.table(shape, part),
  async commit(steps) {
    if (isHit(steps)) throw new StorageError("commit", new Error("the connection was reset"));
    return storage.commit(steps);
  },
});

async function pass(ms: number) {
  for (let passed = 0; passed < ms; passed += 500) await vi.advanceTimersByTimeAsync(500);
}

it("what could not be given back because the storage failed is polled by the other worker", async () => {
  let isDown = false;
  const flaky = failing((steps) => isDown && steps.every(({ table }) => table === "partitions"));
  const [one, other] = [newWorker("one", flaky), newWorker("other")];
  await one.holder.begin();
  expect(one.count()).toBe(partitionCount);
  await other.holder.begin();
  isDown = true;
  await pass(6_000);
  expect(one.count() + other.count()).toBeLessThan(partitionCount);
  isDown = false;
  await pass(20_000);
  expect([one.count(), other.count()]).toEqual([partitionCount / 2, partitionCount / 2]);
});

it("what a worker held whose lease expired while another one started is polled again", async () => {
  let skewMs = 0;
  const one = newWorker("one", storage, () => Date.now() + skewMs);
  const other = newWorker("other");
  await one.holder.begin();
  skewMs = 20_000;
  await other.holder.begin();
  await pass(20_000);
  expect([one.count(), other.count()]).toEqual([partitionCount / 2, partitionCount / 2]);
});

it("a worker that is so busy that each read takes a second takes all partitions within its lease", async () => {
  const slow: Storage = {
    ...failing(() => false),
    table(shape, part) {
      const table = storage.table(shape, part);
      if (shape.name !== "polled") return table;
      return Object.assign(Object.create(table), {
        async *entries() {
          await new Promise((resolve) => setTimeout(resolve, 1_000));
          yield* table.entries();
        },
      });
    },
  };
  const one = newWorker("one", slow);
  void one.holder.begin();
  await pass(4_000);
  expect(one.count()).toBe(partitionCount);
});

it("a worker whose taking was cut short goes on with it, and says once that it polls", async () => {
  let reads = 0;
  const flaky: Storage = {
    ...failing(() => false),
    table(shape, part) {
      const table = storage.table(shape, part);
      if (shape.name !== "polled") return table;
      return Object.assign(Object.create(table), {
        entries() {
          if (++reads === 11) throw new StorageError("entries", new Error("the connection was reset"));
          return table.entries();
        },
      });
    },
  };
  const one = newWorker("one", flaky);
  await one.holder.begin();
  expect(one.count()).toBe(partitionCount - 1);
  await pass(10_000);
  expect(one.count()).toBe(partitionCount);
  expect(one.heldTimes()).toBe(1);
});
