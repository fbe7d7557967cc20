import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { holdLease } from "../../src/polling/lease.ts";
import { StorageError } from "../../src/storage/table.ts";
import {
  createLeaseWorld,
  fail,
  hold,
  hour,
  type LeaseWorld,
  pass,
  second,
  secondsUntilHeld,
  storageOver,
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

describe("a lease that nobody holds", () => {
  test("is held at once, and stays held in the same term", async () => {
    const { lease, terms } = await world.begin();
    const signal = lease.signal();

    await pass(600 * second);

    expect(lease.term()).toBe(1);
    expect(lease.signal()).toBe(signal);
    expect(signal.aborted).toBe(false);
    expect(terms).toEqual([1]);
  });

  test("is not held before it is claimed, and no signal of it can be used", () => {
    const { lease } = world.start();
    expect(lease.term()).toBeUndefined();
    expect(lease.signal().aborted).toBe(true);
  });

  test("that several claim in the same moment is held by one of them", async () => {
    const all = [world.start(), world.start(), world.start()];

    for (const { lease } of all) void lease.begin();
    await pass(200);

    expect(all.filter(({ lease }) => lease.term() !== undefined)).toHaveLength(1);
  });

  test("is not held by a process that ends while it claims it", async () => {
    const claiming = world.start();
    const { lease, terms } = claiming;
    const goOn = hold(claiming, "commit");

    void lease.begin();
    await pass(50);
    const ended = lease.end({ release: true });
    goOn();
    await ended;
    await pass(20 * second);

    expect(lease.term()).toBeUndefined();
    expect(terms).toEqual([]);
  });
});

describe("a process that finds the lease held", () => {
  test("says so once, and stands by while the other one renews it", async () => {
    const first = await world.begin();
    const next = await world.begin();

    await pass(600 * second);

    expect(first.lease.term()).toBe(1);
    expect(next.lease.term()).toBeUndefined();
    expect(next.lines).toEqual([
      "another process polls on this storage already: this one sends no alerts until that one ends",
    ]);
  });

  test("takes over soon when it is released", async () => {
    const first = await world.begin();
    const next = await world.begin();

    await first.lease.end({ release: true });

    expect(await secondsUntilHeld(next)).toBeLessThan(5.5);
    expect(next.terms).toEqual([1]);
    expect(next.lines).toContain("this process sends the alerts from now on");
  });

  test("takes over 15 to 20 s after the last renewal when it is not", async () => {
    const first = await world.begin();
    const next = await world.begin();
    await pass(12 * second);
    await first.lease.end({ release: false });

    const seconds = await secondsUntilHeld(next);

    expect(seconds).toBeGreaterThan(12);
    expect(seconds).toBeLessThan(20);
  });

  test("takes over at once from a process of this machine that was killed", async () => {
    const { pid } = spawnSync("true");
    world.storage.set("polls", JSON.stringify({ id: "x", host: hostname(), pid, beat: 3 }));

    const { lease } = await world.begin({ host: hostname(), pid: process.pid });

    expect(lease.term()).toBe(1);
  });
});

describe("a record with the time of another machine's clock,", () => {
  test("three hours ahead, of a process that is dead, keeps nobody waiting (0.1.0: for three hours)", async () => {
    world.storage.set("polls", JSON.stringify({ id: "x", host: "other", pid: 1, at: Date.now() + 3 * hour }));
    const seconds = await secondsUntilHeld(await world.begin());

    expect(seconds).toBeGreaterThan(14);
    expect(seconds).toBeLessThan(16);
  });

  test("three hours behind, of a process that lives, is respected (0.1.0: it was pushed aside)", async () => {
    const renew = () => {
      world.storage.set("polls", JSON.stringify({ id: "x", host: "other", pid: 1, at: Date.now() - 3 * hour }));
    };
    renew();
    const renewing = setInterval(renew, 5 * second);
    const process = await world.begin();

    await pass(120 * second);
    clearInterval(renewing);

    expect(process.lease.term()).toBeUndefined();
    expect(await secondsUntilHeld(process)).toBeLessThan(21);
  });

  test("that cannot be read is believed while it changes", async () => {
    world.storage.set("polls", JSON.stringify("something else"));
    const seconds = await secondsUntilHeld(await world.begin());

    expect(seconds).toBeGreaterThan(14);
    expect(seconds).toBeLessThan(16);
  });
});

describe("a record with this process's own host name and pid", () => {
  const container = { host: "container", pid: 1 };

  test("is that of a container before its restart: it is taken after 6 s (0.1.0: after 15 s)", async () => {
    world.storage.set("polls", JSON.stringify({ id: "x", ...container, at: Date.now() - second }));
    const seconds = await secondsUntilHeld(await world.begin(container));

    expect(seconds).toBeGreaterThan(5);
    expect(seconds).toBeLessThan(7);
  });

  test("in another pid namespace is respected while it is renewed, though no such pid runs here", async () => {
    const largestPid = 2 ** 22;
    const first = await world.begin({ host: "container", pid: largestPid + 1, pids: "pid:[1]" });
    const next = await world.begin({ host: "container", pid: 9, pids: "pid:[2]" });

    await pass(60 * second);

    expect([first.lease.term(), next.lease.term()]).toEqual([1, undefined]);
  });

  test("is respected while it is renewed: it is that of another container", async () => {
    const first = await world.begin(container);
    const next = await world.begin(container);

    await pass(120 * second);

    expect(first.terms).toEqual([1]);
    expect(next.terms).toEqual([]);
  });
});

describe("changed records", () => {
  test("of another process are told to the one that holds the lease, once", async () => {
    const first = await world.begin();
    const next = await world.begin();

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

  test("of the one that holds the lease cost nothing", async () => {
    const { lease } = await world.begin();
    const before = new Map(world.storage);

    await lease.changed();

    expect(world.storage).toEqual(before);
  });

  test("from before a term are not told: the beginning of the term stands for them", async () => {
    const first = await world.begin();
    const next = await world.begin();

    await next.lease.changed();
    await first.lease.end({ release: true });
    await pass(30 * second);

    expect(next.terms).toEqual([1]);
    expect(next.changes).toBe(0);
  });

  test("while it is claimed are not missed", async () => {
    const claiming = world.start();
    const goOn = hold(claiming, "commit");

    void claiming.lease.begin();
    await pass(50);
    await world.start().lease.changed();
    goOn();
    await pass(6 * second);

    expect(claiming.terms).toEqual([1]);
    expect(claiming.changes).toBe(1);
  });

  test("are an error for whoever changed them where the storage fails", async () => {
    const process = world.start();
    fail(process);

    await expect(process.lease.changed()).rejects.toThrow(StorageError);
  });
});

describe("a program that is no bot", () => {
  const storage = () => storageOver(() => world.storage);

  test("holds the lease and renews it: no bot begins a term until it ends", async () => {
    const holding = holdLease(storage());
    await pass(second);
    const lease = await holding;
    const bot = await world.begin();

    await pass(60 * second);

    expect(lease?.term()).toBe(1);
    expect(bot.terms).toEqual([]);
    expect(bot.lease.standsBy()).toBe(true);

    await lease?.end({ release: true });
    await secondsUntilHeld(bot);
    expect(bot.terms).toEqual([1]);
  });

  test("leaves a living bot in its term, and is told that there is one", async () => {
    const bot = await world.begin();

    const holding = holdLease(storage());
    await pass(10 * second);

    expect(await holding).toBeUndefined();
    expect(bot.lease.term()).toBe(1);
    await pass(60 * second);
    expect(bot.terms).toEqual([1]);
  });

  test("takes over from a bot of another machine that was killed, 15 s later", async () => {
    const bot = await world.begin();
    await bot.lease.end({ release: false });

    const holding = holdLease(storage());
    await pass(20 * second);
    const lease = await holding;

    expect(lease?.term()).toBe(1);
    await lease?.end({ release: true });
  });

  test("is told at once what the storage does not do", async () => {
    const down = storageOver(
      () => world.storage,
      async (operation) => {
        if (operation === "commit") throw new StorageError("set", new Error("full"));
      },
    );

    const holding = expect(holdLease(down)).rejects.toThrow(StorageError);
    await pass(second);

    await holding;
  });
});

test("no term begins while what has to be looked at before it is not well, and it is looked at again", async () => {
  const process = world.start();
  let isWell = false;
  process.beforeTerm = async () => {
    if (!isWell) throw new Error("half an import");
  };
  void process.lease.begin();

  await pass(60 * second);
  expect(process.terms).toEqual([]);

  isWell = true;
  await secondsUntilHeld(process);
  expect(process.terms).toEqual([1]);
});
