import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRoster, rosterTable } from "../../src/alerts/roster.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { type Storage, StorageError, type Table } from "../../src/storage/table.ts";
import { createAlertWorld } from "../support/alert-world.ts";

type Ids = readonly string[];

describe("the list of servers that are polled", () => {
  let storage: Storage;

  beforeEach(async () => {
    storage = await openStorage("sqlite://:memory:", { warn: () => undefined });
  });
  afterEach(() => storage.close());

  /** The storage as one process sees it; `wrap` changes what its table does. */
  const seenBy = (wrap: (table: Table<Ids>) => Partial<Table<Ids>>): Storage => ({
    table: <T>() => {
      const table = storage.table(rosterTable);
      return { ...table, ...wrap(table) } as unknown as Table<T>;
    },
    commit: storage.commit,
    close: async () => undefined,
  });
  const kept = async () => [...(await createRoster(storage).ids())].sort();

  /** Storages of so many processes none of which writes before all of them have read once. */
  function inStep(processes: number): Storage[] {
    const allRead = Promise.withResolvers<void>();
    let reads = 0;
    return Array.from({ length: processes }, () => {
      let isFirst = true;
      return seenBy((table) => ({
        async get(key) {
          const ids = await table.get(key);
          if (!isFirst) return ids;
          isFirst = false;
          if (++reads === processes) allRead.resolve();
          await allRead.promise;
          return ids;
        },
      }));
    });
  }

  it("loses none that two processes add in the same moment", async () => {
    const rosters = inStep(2).map((storage) => createRoster(storage));
    await Promise.all(rosters.map((roster, index) => roster.add([`new-${index}`])));
    expect(await kept()).toEqual(["new-0", "new-1"]);
  });

  it("keeps both changes where one process adds and another one removes in the same moment", async () => {
    await createRoster(storage).add(["left"]);
    const [one, other] = inStep(2).map((storage) => createRoster(storage));
    await Promise.all([one?.add(["new"]), other?.remove("left")]);
    expect(await kept()).toEqual(["new"]);
  });

  it("loses none of 100 that two processes add one after the other", async () => {
    const [one, other] = [createRoster(storage), createRoster(storage)];
    for (let round = 0; round < 50; round++) await Promise.all([one.add([`a${round}`]), other.add([`b${round}`])]);
    expect(await kept()).toHaveLength(100);
  });

  it("has again within seconds what one process adds and another one undid, which wrote late", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      await createRoster(storage).add(["left"]);
      const mayWrite = Promise.withResolvers<void>();
      const hasRead = Promise.withResolvers<void>();
      let isFirst = true;
      const slow = seenBy((table) => ({
        async set(key, ids) {
          hasRead.resolve();
          if (isFirst) await mayWrite.promise;
          isFirst = false;
          await table.set(key, ids);
        },
      }));
      const late = createRoster(slow).add(["late"]);
      await hasRead.promise;
      const roster = createRoster(storage);
      await roster.add(["new"]);
      mayWrite.resolve();
      await late;
      expect(await kept()).toEqual(["late", "left"]);

      await vi.advanceTimersByTimeAsync(15_000);

      await vi.waitFor(async () => expect(await kept()).toEqual(["late", "left", "new"]));
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([true, false])("has again what was added right after another one, which stays: %s", async (stays) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const roster = createRoster(storage);
      await roster.add(["early"]);
      if (!stays) await roster.remove("early");
      await vi.advanceTimersByTimeAsync(9_000);
      await roster.add(["new"]);
      await vi.advanceTimersByTimeAsync(3_000);
      // Another process writes what it had read before.
      await storage.table(rosterTable).set("ids", ["early"]);
      await vi.advanceTimersByTimeAsync(15_000);

      await vi.waitFor(async () => expect(await kept()).toEqual(["early", "new"]));
    } finally {
      vi.useRealTimers();
    }
  });

  it("leaves out what another process has taken out since, and in what another one has put there since", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const [one, other] = [createRoster(storage), createRoster(storage)];
      await one.add(["on and off"]);
      await one.remove("on and off");
      await one.add(["off and on"]);
      await one.remove("off and on");
      await other.add(["off and on"]);
      await vi.advanceTimersByTimeAsync(15_000);
      await vi.waitFor(async () => expect(await kept()).toEqual(["off and on"]));
    } finally {
      vi.useRealTimers();
    }
  });

  it("does not put back what is taken out while it looks again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const isLooking = Promise.withResolvers<void>();
      const mayRead = Promise.withResolvers<void>();
      let isSlow = false;
      const roster = createRoster(
        seenBy((table) => ({
          async get(key) {
            if (isSlow) {
              isSlow = false;
              isLooking.resolve();
              await mayRead.promise;
            }
            return table.get(key);
          },
        })),
      );
      await roster.add(["stays", "left"]);
      isSlow = true;
      await vi.advanceTimersByTimeAsync(15_000);
      await isLooking.promise;
      await roster.remove("left");
      mayRead.resolve();
      await vi.advanceTimersByTimeAsync(15_000);
      await roster.add(["later"]);

      expect(await kept()).toEqual(["later", "stays"]);
    } finally {
      vi.useRealTimers();
    }
  });

  it("keeps nothing of what it put there once it has looked again", async () => {
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const ids = Array.from({ length: 100_000 }, (_, index) => String(10n ** 17n + BigInt(index)));
      await createRoster(storage).add(ids);
      const roster = createRoster(storage);
      const used = async () => {
        await vi.advanceTimersByTimeAsync(15_000);
        // What the look reads comes to memory.
        await roster.ids();
        roster.forgetMemory();
        collect();
        return process.memoryUsage().heapUsed;
      };
      const before = await used();
      await roster.add(ids);

      // Each of them takes 40 bytes and more.
      expect((await used()) - before).toBeLessThan(2e6);
      expect(await roster.ids()).toHaveLength(ids.length);
    } finally {
      vi.useRealTimers();
    }
  });

  it("takes as many at once as the largest bots have", async () => {
    const ids = Array.from({ length: 150_000 }, (_, index) => String(10n ** 17n + BigInt(index)));
    const world = await createAlertWorld();
    const { alerts } = world.start();
    await alerts.adopt(ids);
    expect(await alerts.guildIds()).toHaveLength(ids.length);
    await world.storage.close();
  });

  it("says that a change failed which is overwritten each time, after 5 writes", async () => {
    let writes = 0;
    const overwritten = seenBy(() => ({
      async set() {
        writes++;
      },
    }));
    await expect(createRoster(overwritten).add(["new"])).rejects.toBeInstanceOf(StorageError);
    expect(writes).toBe(5);
  });

  it("writes nothing where nothing changes", async () => {
    await createRoster(storage).add(["known"]);
    const roster = createRoster(seenBy(() => ({ set: () => Promise.reject(new Error("written")) })));
    await roster.add(["known"]);
    await roster.remove("unknown");

    expect(await roster.ids()).toEqual(["known"]);
  });

  it.each(["adds one", "is told of another process's change"])(
    "does not remember what it read before the process %s",
    async (event) => {
      const isRead = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      let isFirst = true;
      const roster = createRoster(
        seenBy((table) => ({
          async get(key) {
            const ids = await table.get(key);
            if (!isFirst) return ids;
            isFirst = false;
            isRead.resolve();
            await released.promise;
            return ids;
          },
        })),
      );
      const early = roster.ids();
      await isRead.promise;
      if (event === "adds one") await roster.add(["new"]);
      else {
        await createRoster(storage).add(["new"]);
        roster.forgetMemory();
      }
      released.resolve();
      await early;

      expect(await roster.ids()).toEqual(["new"]);
    },
  );

  it("is read once, and again when told", async () => {
    let reads = 0;
    const roster = createRoster(
      seenBy((table) => ({
        get(key) {
          reads++;
          return table.get(key);
        },
      })),
    );
    await roster.ids();
    await roster.ids();
    expect(reads).toBe(1);

    await createRoster(storage).add(["new"]);
    roster.forgetMemory();
    expect(await roster.ids()).toEqual(["new"]);
    expect(reads).toBe(2);
  });

  it("tells of a server that is in it already, too: whoever put it there may have failed to tell", async () => {
    const told: string[] = [];
    const failing = createRoster(storage, () => Promise.reject(new StorageError("tell", new Error("no answer"))));
    await expect(failing.add(["new"])).rejects.toThrow(StorageError);
    expect(await kept()).toEqual(["new"]);

    await createRoster(storage, async () => void told.push("changed")).add(["new"]);
    expect(told).toEqual(["changed"]);
  });

  it("tells once of many that are added together", async () => {
    let told = 0;
    await createRoster(storage, async () => void told++).add(["a", "b", "c"]);
    expect(await kept()).toEqual(["a", "b", "c"]);
    expect(told).toBe(1);
  });
});
