import { rename, rm, stat } from "node:fs/promises";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { absent, type Storage, StorageError, type Table } from "../../src/storage/table.ts";
import { sized } from "../support/sized.ts";
import { spawnWithStorage } from "../support/storage-child.ts";
import { createSqliteFixture, type StorageFixture, storageKinds } from "../support/storage-fixtures.ts";
import { stored } from "../support/stored.ts";

type Value = Record<string, unknown>;

const log = { warn: () => undefined };
const RECOVERY = { timeout: 15_000, interval: 100 };
const LONGEST_FAILURE_MS = 12_000;

async function entriesOf<T>(table: Table<T>): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  for await (const [key, value] of table.entries()) found.set(key, value);
  return found;
}

const many = (count: number): [string, Value][] =>
  Array.from({ length: count }, (_, index) => [`key ${index}`, { index, text: `:${index}` }]);

function writes(storage: Storage, table: Table<Value>): Record<string, () => Promise<unknown>> {
  return {
    set: () => table.set("new", { a: 1 }),
    "set with a lifetime": () => table.set("new", { a: 1 }, { ttlMs: 60_000 }),
    setMany: () => table.setMany(many(600)),
    delete: () => table.delete("kept"),
    deleteMany: () => table.deleteMany(["kept", "other"]),
    clear: () => table.clear(),
    commit: () => storage.commit([table.put(absent("new"), { a: 1 })]),
  };
}

function reads(table: Table<Value>): Record<string, () => Promise<unknown>> {
  return {
    get: () => table.get("kept"),
    getMany: () => table.getMany(["kept", "none"]),
    entries: () => entriesOf(table),
    read: async () => (await table.read(["kept"])).map(({ value }) => value),
  };
}

const kept = { text: "kept" };
const truths: Record<string, unknown> = {
  get: kept,
  getMany: [kept, undefined],
  entries: new Map([["kept", kept]]),
  read: [kept],
};

async function outcomes(operations: Record<string, () => Promise<unknown>>): Promise<Map<string, unknown>> {
  const run = async ([name, operation]: [string, () => Promise<unknown>]) =>
    [name, await operation().catch((error: unknown) => error)] as const;
  return new Map(await Promise.all(Object.entries(operations).map(run)));
}

for (const { kind, installed, create, packages } of storageKinds) {
  if (!installed) console.warn(`The ${kind} tests are skipped. To run them: apt-get install ${packages}`);

  describe.skipIf(!installed)(`storage on ${kind}`, () => {
    let fixture: StorageFixture;
    let storage: Storage;
    let table: Table<Value>;

    beforeAll(async () => {
      fixture = await create();
    });
    afterAll(() => fixture.remove());
    beforeEach(async () => {
      storage = await openStorage(fixture.url, log);
      table = storage.table(stored("ledger:1"));
      await table.clear();
    });
    afterEach(() => storage.close());

    it("sets, replaces and deletes entries", async () => {
      expect(await table.get("a")).toBeUndefined();

      await table.set("a", { n: 1, nested: [null, { text: ":base64:x" }], empty: "" });
      expect(await table.get("a")).toEqual({ n: 1, nested: [null, { text: ":base64:x" }], empty: "" });

      await table.set("a", { n: 2 });
      expect(await table.get("a")).toEqual({ n: 2 });

      await table.delete("a");
      expect(await table.get("a")).toBeUndefined();

      await table.delete("a");
    });

    it("reads many entries in the requested order, including absent ones and duplicates", async () => {
      await table.setMany([
        ["a", { n: 1 }],
        ["b", { n: 2 }],
        ["a", { n: 3 }],
      ]);
      expect(await table.getMany(["b", "none", "a", "b"])).toEqual([{ n: 2 }, undefined, { n: 3 }, { n: 2 }]);
      expect(await table.getMany([])).toEqual([]);

      await table.setMany([]);
      await table.deleteMany([]);
    });

    it("sets, lists and deletes a thousand at once", async () => {
      const entries = many(1_000);
      await table.setMany(entries);
      expect(await entriesOf(table)).toEqual(new Map(entries));

      const keys = entries.map(([key]) => key);
      expect(await table.getMany(keys)).toEqual(entries.map(([, value]) => value));

      await table.deleteMany(keys.slice(1));
      expect(await entriesOf(table)).toEqual(new Map(entries.slice(0, 1)));
    });

    it("separates tables whose names and keys resemble each other", async () => {
      const names = ["ledger", "ledger:1", "ledger:11", "ledger:1:1", "ledger:1::", "Ledger:1"];
      const keys = ["1", ":1", "1:1", "ledger:1:1", "ledger:1", "shopbell:ledger:1/1", "/1", "::1"];
      for (const name of names) {
        await storage.table(stored<Value>(name)).clear();
        await storage.table(stored<Value>(name)).setMany(keys.map((key) => [key, { name, key }]));
      }
      const expected = (name: string) => new Map(keys.map((key) => [key, { name, key }]));
      await table.clear();
      for (const name of names) {
        const wanted = name === "ledger:1" ? new Map() : expected(name);
        expect(await entriesOf(storage.table(stored(name)))).toEqual(wanted);
      }
    });

    it("accepts only unambiguous table names", () => {
      for (const name of ["", "a/b", "a*", "a b", "[a]"])
        expect(() => storage.table(stored(name))).toThrow(StorageError);
    });

    it("changes no key into another", async () => {
      const key = fc.string({ minLength: 1, maxLength: 40, unit: "grapheme-ascii" });
      await fc.assert(
        fc.asyncProperty(fc.uniqueArray(key, { minLength: 1, maxLength: 20 }), async (keys) => {
          await table.clear();
          await table.setMany(keys.map((name) => [name, { name }]));
          expect(await table.getMany(keys)).toEqual(keys.map((name) => ({ name })));
          expect(await entriesOf(table)).toEqual(new Map(keys.map((name) => [name, { name }])));
        }),
        { numRuns: sized(20, 50) },
      );
    });

    it("stores any JSON value", async () => {
      await fc.assert(
        fc.asyncProperty(fc.jsonValue({ noUnicodeString: false }), async (value) => {
          const wanted = JSON.parse(JSON.stringify({ value }).replaceAll("\\u0000", ""));
          await table.set("json", wanted);
          expect(await table.get("json")).toEqual(wanted);
        }),
        { numRuns: sized(20, 50) },
      );
    });

    it("removes an entry when it expires", async () => {
      await table.set("short", { n: 1 }, { ttlMs: 400 });
      await table.set("long", { n: 2 }, { ttlMs: 60_000 });
      expect(await table.getMany(["short", "long"])).toEqual([{ n: 1 }, { n: 2 }]);

      await vi.waitFor(async () => expect(await table.get("short")).toBeUndefined(), RECOVERY);
      expect(await entriesOf(table)).toEqual(new Map([["long", { n: 2 }]]));
    });

    it("refuses values that it could not return", async () => {
      await expect(table.set("", {})).rejects.toThrow(StorageError);
      await expect(table.get("")).rejects.toThrow(StorageError);
      await expect(storage.table(stored<undefined>("ledger:1")).set("a", undefined)).rejects.toThrow(StorageError);
    });

    it("works with thousands of tables on the resources of one", async () => {
      const warned = vi.spyOn(process, "emitWarning");
      const tables = Array.from({ length: 2_500 }, (_, index) => storage.table(stored<Value>(`ledger:${index}`)));
      for (const one of tables.slice(0, 50)) await one.get("a");

      expect(warned).not.toHaveBeenCalled();

      warned.mockRestore();
    });

    it("rejects every operation after it was closed, and can be closed twice", async () => {
      await storage.close();
      for (const [name, outcome] of await outcomes({ ...writes(storage, table), ...reads(table) }))
        expect(outcome, name).toBeInstanceOf(StorageError);
      await storage.close();
    });

    it("does not open if there is no database", async () => {
      await expect(openStorage(fixture.nowhere, log)).rejects.toThrow(StorageError);
    });

    it("rejects while the database is broken, and works again afterwards", { timeout: 90_000 }, async () => {
      for (const breakage of fixture.breakages) {
        await table.clear();
        await table.set("kept", kept);
        await breakage.breakStore();
        const began = performance.now();
        const found = await outcomes({ ...reads(table), ...writes(storage, table) }).finally(breakage.mend);
        expect(performance.now() - began, breakage.name).toBeLessThan(LONGEST_FAILURE_MS);
        for (const [name, outcome] of found) {
          const label = `${name} when ${breakage.name}`;
          const mayAnswer = breakage.fails === "writes" && name in truths && !(outcome instanceof Error);
          if (mayAnswer) expect(outcome, label).toEqual(truths[name]);
          else expect(outcome, label).toBeInstanceOf(StorageError);
        }
        await vi.waitFor(() => table.get("kept"), RECOVERY);
        await table.set("after", { text: "after" });
        expect(await table.get("after"), breakage.name).toEqual({ text: "after" });
      }
    });
  });
}

describe("storage on sqlite, the file", () => {
  let fixture: Awaited<ReturnType<typeof createSqliteFixture>>;

  beforeAll(async () => {
    fixture = await createSqliteFixture();
  });
  afterAll(() => fixture.remove());

  it("is created with its directory, for its owner only", async () => {
    const storage = await openStorage(fixture.url, log);
    await storage.table(stored<Value>("a")).set("a", {});
    for (const suffix of ["", "-wal", "-shm"]) expect((await stat(fixture.file + suffix)).mode & 0o777).toBe(0o600);
    await storage.close();
  });

  it("works with the file that replaces it", async () => {
    const storage = await openStorage(fixture.url, log);
    const table = storage.table(stored<Value>("replaced"));
    await table.set("before", { n: 1 });
    const other = new DatabaseSync(fixture.file);
    other.prepare("VACUUM INTO ?").run(`${fixture.file}.copy`);
    other.close();
    await table.set("lost", { n: 2 });
    await rename(`${fixture.file}.copy`, fixture.file);
    for (const suffix of ["-wal", "-shm"]) await rm(fixture.file + suffix);
    await table.set("after", { n: 3 });
    await storage.close();
    const reopened = await openStorage(fixture.url, log);
    const wanted = new Map([
      ["after", { n: 3 }],
      ["before", { n: 1 }],
    ]);

    expect(await entriesOf(reopened.table(stored<Value>("replaced")))).toEqual(wanted);

    await reopened.close();
  });

  it("has all of a setMany or nothing", async () => {
    const storage = await openStorage(fixture.url, log);
    const table = storage.table(stored<Value>("atomic"));
    const other = new DatabaseSync(fixture.file);
    other.exec(`CREATE TRIGGER refuse BEFORE INSERT ON shopbell WHEN NEW.key = 'key 900'
      BEGIN SELECT RAISE(ABORT, 'refused'); END`);
    await expect(table.setMany(many(1_000))).rejects.toThrow(StorageError);
    expect(await entriesOf(table)).toEqual(new Map());

    other.exec("DROP TRIGGER refuse");
    other.close();
    await table.setMany(many(1_000));
    expect((await entriesOf(table)).size).toBe(1_000);

    await storage.close();
  });

  it("does not treat an unreadable entry as absent", async () => {
    const storage = await openStorage(fixture.url, log);
    const table = storage.table(stored<Value>("torn"));
    const other = new DatabaseSync(fixture.file);
    for (const text of ["{", "{}", "null", "5", '"text"']) {
      await table.set("a", {});
      other.prepare("UPDATE shopbell SET value = ? WHERE namespace = 'torn'").run(text);
      for (const [name, outcome] of await outcomes({
        get: () => table.get("a"),
        getMany: () => table.getMany(["a"]),
        entries: () => entriesOf(table),
      }))
        expect(outcome, `${name} of ${text}`).toBeInstanceOf(StorageError);
    }
    other.close();
    await storage.close();
  });

  it("has every acknowledged write after kill -9", async () => {
    const child = spawnWithStorage(
      fixture.url,
      `
      const table = storage.table(stored("crash"));
      for (let n = 1; ; n += 1) {
        await table.set(String(n), { n });
        console.log(n);
      }`,
    );
    let acknowledged = 0;
    for await (const line of createInterface(child.stdout)) {
      acknowledged = Number(line);
      if (acknowledged === 200) child.kill("SIGKILL");
    }
    const storage = await openStorage(fixture.url, log);
    const found = await entriesOf(storage.table(stored<Value>("crash")));

    expect(acknowledged).toBeGreaterThanOrEqual(200);
    for (let n = 1; n <= acknowledged; n += 1) expect(found.get(String(n))).toEqual({ n });

    await storage.close();
  });

  it("rejects writes while the disk is full, and accepts them again afterwards", async () => {
    // A limit on file size makes writes fail as a full disk does, but only in one process.
    const child = spawnWithStorage(
      fixture.url,
      `
      import { execFileSync } from "node:child_process";
      const limit = (bytes) => execFileSync("prlimit", ["--pid", String(process.pid), "--fsize=" + bytes + ":unlimited"]);
      const table = storage.table(stored("full"));
      await table.set("kept", { n: 1 });
      limit(4096);
      for (const write of [
        () => table.set("new", {}), () => table.setMany([["new", {}], ["more", {}]]),
        () => table.delete("kept"), () => table.deleteMany(["kept"]), () => table.clear(),
        () => storage.commit([table.put(absent("new"), {}), table.put(absent("more"), {})]),
      ]) console.log(await write().then(() => "done", (error) => error.name));
      limit("unlimited");
      await table.set("after", { n: 2 });
      console.log(JSON.stringify(await table.getMany(["kept", "new", "more", "after"])));
      await storage.close();`,
    );
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) lines.push(line);
    expect(lines).toEqual([...Array(6).fill("StorageError"), '[{"n":1},null,null,{"n":2}]']);
  });

  it("can be in memory, and refuses other kinds of addresses", async () => {
    const storage = await openStorage("sqlite://:memory:", log);
    await storage.table(stored<Value>("a")).set("a", { n: 1 });
    expect(await storage.table(stored<Value>("a")).get("a")).toEqual({ n: 1 });

    await storage.close();
    await expect(openStorage("mysql://localhost/x", log)).rejects.toThrow(StorageError);
    await expect(openStorage("data/shopbell.sqlite", log)).rejects.toThrow(StorageError);
  });
});
