import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRoster, rosterTable } from "../../src/polling/roster.ts";
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

  /** Storages of so many processes, none of which writes before all of them have read once. */
  function inStep(processes: number): Storage[] {
    const allRead = Promise.withResolvers<void>();
    let reads = 0;
    return Array.from({ length: processes }, () => {
      let isFirst = true;
      return seenBy((table) => ({
        async read(keys) {
          const rows = await table.read(keys);
          if (!isFirst) return rows;
          isFirst = false;
          if (++reads === processes) allRead.resolve();
          await allRead.promise;
          return rows;
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

  it("takes as many at once as the largest bots have", async () => {
    const ids = Array.from({ length: 150_000 }, (_, index) => String(10n ** 17n + BigInt(index)));
    const world = await createAlertWorld();
    const { alerts } = world.start();
    await alerts.adopt(ids);
    expect(await alerts.guildIds()).toHaveLength(ids.length);
    await world.storage.close();
  });

  it("writes nothing where nothing changes", async () => {
    await createRoster(storage).add(["known"]);
    const roster = createRoster({ ...storage, commit: () => Promise.reject(new Error("written")) });
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
