import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createImportKeys, ImportRecords, importedTable } from "../../../src/reports/import-records.ts";
import { countsOf, type ImportRow, runImport } from "../../../src/reports/run-import.ts";
import type { Backend } from "../../../src/storage/backend.ts";
import { openBackend, storageOf } from "../../../src/storage/open-storage.ts";
import { type Storage, StorageError } from "../../../src/storage/table.ts";
import type { NewProduct } from "../../../src/store-api/schemas.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import { importDone } from "../../../src/views/reports/import.ts";
import { createKiller, type Killer, killAt, killAtEachStep, killableBackend } from "../../support/engine/killer.ts";
import { sized } from "../../support/sized.ts";
import { product } from "../../support/store-client.ts";
import { useFixture } from "../../support/use-fixture.ts";
import { textOf } from "../../support/views-support.ts";
import { withTable } from "../../support/with-table.ts";

const minute = 60_000;
/** Two equal rows become two products. */
const titles = ["a", "b", "a", "c"];

function rowsOf(names: readonly string[]): ImportRow[] {
  const keyOf = createImportKeys();
  return names
    .map((title) => ({ ...product, info: { title } }))
    .map((one, at) => ({ row: at + 2, key: keyOf(one), product: one }));
}

/** To one creation. */
type Answer = "yes" | "lost" | "unseen" | "busy" | "down";

/** After these answers, every answer is `yes`. After `down`, products cannot be listed. */
function createShop(answers: readonly Answer[]) {
  const left = [...answers];
  const made: { id: string; title: string; at: number }[] = [];
  const sent: string[] = [];
  return { left, made, sent, isDown: false };
}

interface Life {
  readonly backend: Backend;
  readonly shop: ReturnType<typeof createShop>;
  readonly now: number;
  /** Each commit, creation and search has a step before it and one after it. */
  readonly killer?: Killer;
  readonly rows?: readonly ImportRow[];
}

/** A press on **Create**, in a process of its own. */
async function press({ backend, shop, now, killer = createKiller(), rows = rowsOf(titles) }: Life) {
  const records = new ImportRecords({
    storage: storageOf(killableBackend(backend, killer)),
    mayKeep: async () => [],
    now: () => now,
  });
  const keys = rows.map(({ key }) => key);
  async function create({ info }: NewProduct): Promise<{ id: string }> {
    shop.sent.push(info.title);
    const answer = shop.left.shift() ?? "yes";
    if (answer === "busy") throw new StoreError("unavailable", "product");
    const id = `id-${shop.made.length}`;
    if (answer !== "unseen") shop.made.push({ id, title: info.title, at: now });
    if (answer === "down") shop.isDown = true;
    if (answer !== "yes") throw new StoreError("ambiguous", "product");
    return { id };
  }
  async function around<T>(work: () => Promise<T> | T): Promise<T> {
    killer.step();
    const result = await work();
    killer.step();
    return result;
  }
  const life = async () => {
    const run = await records.begin("1", "store", keys);
    return runImport(rows, {
      run,
      records: await records.of("1", keys),
      create: (one) => around(() => create(one)),
      find: async ({ info }, since, not) =>
        around(() => {
          if (shop.isDown) throw new StoreError("unavailable", "products");
          return shop.made.find(({ id, title, at }) => title === info.title && at >= since && !not.has(id));
        }),
      waitMs: () => 0,
      watcher: { show: async () => undefined },
      until: performance.now() + minute,
      ending: new AbortController().signal,
      now: () => now,
      timing: { beatMs: 60_000, showEveryBeats: 3, pauseMs: 1 },
    }).finally(() => run.end().catch(() => undefined));
  };
  const came = await life().catch((error: unknown) => {
    if (!killer.killed) throw error;
  });
  return came === undefined || killer.killed ? "killed" : came;
}

const inMemory = () => openBackend("sqlite://:memory:", { warn: () => undefined });
const backend = useFixture(inMemory, (opened) => opened.close());
const storage = useFixture(() => storageOf(backend));

/** Presses minutes apart until nothing is left, as a person who reads the answers. */
async function pressOn(life: Omit<Life, "now">, from: number): Promise<void> {
  for (let times = 1; times <= 10; times += 1) {
    const came = await press({ ...life, now: from + times * 2 * minute });
    if (came !== "killed" && [...came.outcomes.values()].every(({ state }) => state !== "unclear")) {
      if (came.outcomes.size === titles.length) return;
    }
  }
  throw new Error("ten presses were not enough");
}

const madeTitles = ({ made }: ReturnType<typeof createShop>) => made.map(({ title }) => title).sort();

it("does not say that a product is missing if the store cannot be asked any more", async () => {
  const shop = createShop(["yes", "down"]);
  const came = await press({ backend, shop, now: minute });
  if (came === "killed") throw new Error("nobody killed it");
  const { end, outcomes } = came;
  const csv = { name: "some.csv", contentType: "text/csv", data: Buffer.from("x") };
  const result = importDone("session", { ...countsOf(rowsOf(titles), outcomes), end }, csv, "en");
  expect(madeTitles(shop)).toEqual(["a", "b"]);
  expect(textOf(result)).toContain(
    "1 was sent, but the store did not confirm it: it **may or may not be in the store**.",
  );
});

describe("an import that is killed", () => {
  const answers: readonly (readonly Answer[])[] = [
    ["yes", "lost", "unseen"],
    ["busy", "lost"],
    ["unseen", "yes", "lost"],
  ];
  it.each(answers.map((given) => [given]))(
    "at any step creates each row once when it is continued, with answers %j",
    async (given) => {
      await killAtEachStep(sized(3, 1), async (killer, label) => {
        const backend = await inMemory();
        const shop = createShop(given);
        await press({ backend, shop, now: 10 * minute, killer });
        await pressOn({ backend, shop }, 20 * minute);
        expect(madeTitles(shop), label).toEqual([...titles].sort());
        await backend.close();
      });
    },
  );

  it("again and again, at random steps and with random answers, creates each row once", () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Answer>("yes", "lost", "unseen", "busy"), { maxLength: 10 }),
        fc.array(fc.integer({ min: 0, max: 45 }), { maxLength: 6 }),
        async (given, lives) => {
          const backend = await inMemory();
          const shop = createShop(given);
          let now = 10 * minute;
          for (const diesAt of lives) {
            await press({ backend, shop, now, killer: killAt(diesAt) });
            now += 2 * minute;
          }
          await pressOn({ backend, shop }, now);
          expect(madeTitles(shop)).toEqual([...titles].sort());
          await backend.close();
        },
      ),
      { numRuns: sized(40, 5_000) },
    ));

  it("is not continued while it may still be alive", async () => {
    const shop = createShop([]);
    expect(await press({ backend, shop, now: 10 * minute, killer: killAt(15) })).toBe("killed");
    await expect(press({ backend, shop, now: 10 * minute + 29_999 })).rejects.toMatchObject({ code: "import_running" });
    expect(await press({ backend, shop, now: 10 * minute + 30_000 })).toMatchObject({ end: "whole" });
  });
});

describe("a row whose answer never came", () => {
  it("is not sent again by the same import, nor within a minute by another one", async () => {
    const shop = createShop(["unseen"]);
    const rows = rowsOf(["a"]);
    const unclear = { end: "whole", outcomes: new Map([[rows[0]?.key, { state: "unclear" }]]) };
    expect(await press({ backend, shop, rows, now: minute })).toEqual(unclear);
    expect(await press({ backend, shop, rows, now: 2 * minute - 1 })).toEqual(unclear);
    expect(shop.sent).toHaveLength(1);
    expect(await press({ backend, shop, rows, now: 2 * minute })).toMatchObject({ end: "whole" });
    expect(madeTitles(shop)).toEqual(["a"]);
  });

  it("ends the import after three such rows", async () => {
    const shop = createShop(Array(5).fill("unseen"));
    const came = await press({ backend, shop, rows: rowsOf(["a", "b", "c", "d", "e"]), now: minute });
    expect(came).toMatchObject({ end: "unclear" });
    expect(shop.sent).toEqual(["a", "b", "c"]);
  });
});

it("a row that the store certainly did not create is sent again as soon as the import is continued", async () => {
  const shop = createShop(["busy", "busy", "busy"]);
  const rows = rowsOf(["a"]);
  expect(await press({ backend, shop, rows, now: minute })).toMatchObject({ end: { failed: "unavailable" } });
  expect(await press({ backend, shop, rows, now: minute })).toMatchObject({ end: "whole" });
  expect(madeTitles(shop)).toEqual(["a"]);
});

const diskIsFull = () => new StorageError("write", new Error("the disk is full"));

it("a storage that fails ends the import before anything else is sent", async () => {
  const shop = createShop([]);
  let writes = 0;
  const full: Backend = {
    ...backend,
    async commit(steps) {
      if (steps.some(({ table }) => table === `${importedTable.name}:1`) && ++writes === 4) throw diskIsFull();
      return backend.commit(steps);
    },
  };
  expect(await press({ backend: full, shop, now: minute })).toMatchObject({ end: { failed: "storage" } });
  expect(shop.made).toHaveLength(2);
  await pressOn({ backend, shop }, minute);
  expect(madeTitles(shop)).toEqual([...titles].sort());
});

const recordsIn = (where: Storage) => new ImportRecords({ storage: where, mayKeep: async () => [], now: () => minute });

it("an import that could not make room for its records is not running", async () => {
  let isFull = true;
  const full = withTable(
    storage,
    ({ deleteMany }) => ({ deleteMany: (keys) => (isFull ? Promise.reject(diskIsFull()) : deleteMany(keys)) }),
    importedTable.name,
  );
  const records = recordsIn(full);
  await expect(records.begin("1", "store", ["a"])).rejects.toThrow(StorageError);
  isFull = false;
  await (await records.begin("1", "store", ["a"])).end();
});

it("what was imported is remembered for 5,000 rows of a server", async () => {
  const records = recordsIn(storage);
  const keysOf = (batch: number) => Array.from({ length: 1_000 }, (_, at) => `${batch}-${at}`);
  for (let batch = 0; batch < 5; batch += 1) {
    const rows = keysOf(batch).map((key) => [key, { state: "created", id: key, store: "store", at: batch }] as const);
    await storage.table(importedTable, "1").setMany(rows);
  }
  // A run that was cancelled before its first row leaves no records, and removes only as many as it needs room for.
  await (await records.begin("1", "store", keysOf(4))).end();
  const known = async () => [...(await records.of("1", [0, 1, 2, 3, 4].flatMap(keysOf))).keys()];
  expect(await known()).toHaveLength(5_000);

  const run = await records.begin("1", "store", keysOf(5));
  expect((await known()).toSorted()).toEqual([1, 2, 3, 4].flatMap(keysOf).toSorted());
  expect(run.ids.size).toBe(4_000);
  await run.end();
});

it("a server can still import 500 rows if other servers have imported as many as may be remembered", async () => {
  const records = recordsIn(storage);
  const keys = Array.from({ length: 5_000 }, (_, at) => `row ${at}`);
  for (let server = 1; server <= 10; server += 1) await (await records.begin(String(server), "store", keys)).end();
  await expect(records.begin("11", "store", keys.slice(0, 501))).rejects.toMatchObject({ problem: { code: "full" } });
  await (await records.begin("11", "store", keys.slice(0, 500))).end();
});

it("of two processes that begin an import of one server at the same moment one does, and a stop reaches it", async () => {
  const processes = [recordsIn(storage), recordsIn(storage)];
  for (let round = 0; round < 10; round += 1) {
    const begun = await Promise.allSettled(processes.map((records) => records.begin("1", "store", ["a"])));
    const runs = begun.flatMap((one) => (one.status === "fulfilled" ? one.value : []));
    expect(runs).toHaveLength(1);
    const stopped = await Promise.all([runs[0]?.isWanted(), processes[1]?.stop("1", runs[0]?.name ?? "")]);
    expect(stopped[1]).toBe(true);
    expect(await runs[0]?.isWanted()).toBe(false);
    await runs[0]?.end();
  }
});
