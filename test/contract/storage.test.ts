import { chmod, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { inspectStorage } from "../../src/storage/inspect-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { absent, type Storage, StorageError, type Table } from "../../src/storage/table.ts";
import { sized } from "../support/sized.ts";
import { stored, valuesOf } from "../support/stored.ts";
import { spawnWithStorage } from "./storage-child.ts";
import { createSqliteFixture, type StorageFixture, storageKinds } from "./storage-fixtures.ts";

type Value = Record<string, unknown>;

const log = { warn: () => undefined };
const RECOVERY = { timeout: 60_000, interval: 100 };

async function entriesOf<T>(table: Table<T>): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  for await (const { key, value } of table.rows()) found.set(key, value);
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
    entries: () => entriesOf(table),
    read: async () => (await table.read(["kept"])).map(({ value }) => value),
  };
}

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
      await table.set("a", { n: 1 });
      await table.set("a", { n: 2 });
      expect(await table.get("a")).toEqual({ n: 2 });
      await table.delete("a");
      await table.delete("a");
      expect(await table.get("a")).toBeUndefined();
    });

    it("sets, lists and deletes a thousand at once, and reads them in the requested order", async () => {
      const entries = many(1_000);
      await table.setMany([["key 5", { n: "replaced by a later one" }], ...entries]);
      expect(await entriesOf(table)).toEqual(new Map(entries));

      const keys = entries.map(([key]) => key).toReversed();
      expect(await valuesOf(table, ["none", ...keys, "key 5"])).toEqual([
        undefined,
        ...entries.map(([, value]) => value).toReversed(),
        entries[5]?.[1],
      ]);

      await table.deleteMany(keys.slice(1));
      expect([...(await entriesOf(table)).keys()]).toEqual(["key 999"]);
      await table.setMany([]);
      await table.deleteMany([]);
      expect(await valuesOf(table, [])).toEqual([]);
    });

    it("separates tables whose names and keys resemble each other, and accepts only unambiguous names", async () => {
      const names = ["ledger", "ledger:1", "ledger:11", "ledger:1:1", "ledger:1::", "Ledger:1"];
      const keys = ["1", ":1", "1:1", "ledger:1:1", "ledger:1", "shopbell:ledger:1/1", "/1", "::1"];
      for (const name of names) {
        await storage.table(stored<Value>(name)).clear();
        await storage.table(stored<Value>(name)).setMany(keys.map((key) => [key, { name, key }]));
      }
      await table.clear();
      for (const name of names) {
        const wanted = name === "ledger:1" ? new Map() : new Map(keys.map((key) => [key, { name, key }]));
        expect(await entriesOf(storage.table(stored(name)))).toEqual(wanted);
      }
      for (const name of ["", "a/b", "a*", "a b", "[a]"])
        expect(() => storage.table(stored(name))).toThrow(StorageError);
      await expect(table.get("")).rejects.toThrow(StorageError);
    });

    it("changes no key and no JSON value", async () => {
      const key = fc.string({ minLength: 1, maxLength: 40, unit: "grapheme-ascii" });
      const pairs = fc.uniqueArray(fc.tuple(key, fc.jsonValue({ noUnicodeString: false })), {
        minLength: 1,
        maxLength: 20,
        selector: ([name]) => name,
      });
      await fc.assert(
        fc.asyncProperty(pairs, async (drawn) => {
          // PostgreSQL stores no NUL.
          const text = JSON.stringify(drawn.map(([name, value]) => [name, { value }])).replaceAll("\\u0000", "");
          const entries: [string, Value][] = JSON.parse(text);
          await table.clear();
          await table.setMany(entries);
          expect(
            await valuesOf(
              table,
              entries.map(([name]) => name),
            ),
          ).toEqual(entries.map(([, value]) => value));
          expect(await entriesOf(table)).toEqual(new Map(entries));
          // The database computes the same versions as this process.
          const rows = await table.read(entries.map(([name]) => name));
          expect(await storage.commit(rows.map((row) => table.expect(row)))).toBe(true);
          const listed = new Set<unknown>();
          for await (const row of table.rows()) listed.add(row);
          expect(listed).toEqual(new Set(rows));
        }),
        { numRuns: sized(30, 50) },
      );
    });

    it("lists no entry that has expired", async () => {
      await table.set("short", { n: 1 }, { ttlMs: 1 });
      await table.set("long", { n: 2 }, { ttlMs: 60_000 });
      await vi.waitFor(async () => expect([...(await entriesOf(table)).keys()]).toEqual(["long"]), RECOVERY);
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

    it("rejects while the database is broken, and works again afterwards", async () => {
      for (const breakage of fixture.breakages) {
        await table.clear();
        await table.set("kept", {});
        await breakage.breakStore();
        const found = await outcomes({ ...reads(table), ...writes(storage, table) }).finally(breakage.mend);
        for (const [name, outcome] of found) {
          expect(outcome, `${name} when ${breakage.name}`).toBeInstanceOf(StorageError);
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

  it("is readable by its owner only", async () => {
    const storage = await openStorage(fixture.url, log);
    await storage.table(stored<Value>("a")).set("a", {});
    for (const suffix of ["", "-wal", "-shm"]) expect((await stat(fixture.file + suffix)).mode & 0o777).toBe(0o600);
    await storage.close();
  });

  it("keeps its mode if it was there already", async () => {
    const file = `${fixture.file}.existing`;
    await writeFile(file, "");
    await chmod(file, 0o640);
    await (await openStorage(`sqlite://${file}`, log)).close();
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  it("is left as it is if it is of another program, or no regular file", async () => {
    const file = `${fixture.file}.other`;
    const other = new DatabaseSync(file);
    other.exec("CREATE TABLE theirs (id); INSERT INTO theirs VALUES (1)");
    other.close();
    const before = await readFile(file);

    for (const [path, message] of [
      [file, "it is the database of another program"],
      [dirname(file), "it is no file"],
    ] as const) {
      const failure = expect.objectContaining({ cause: expect.objectContaining({ message }) });
      await expect(openStorage(`sqlite://${path}`, log)).rejects.toEqual(failure);
      await expect(inspectStorage(`sqlite://${path}`)).rejects.toEqual(failure);
    }
    expect(await readFile(file)).toEqual(before);
    expect((await readdir(dirname(file))).filter((name) => name.includes("other"))).toEqual([basename(file)]);
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

  it("waits 5 s with a write for a lock of another process, while reads are answered", async () => {
    const storage = await openStorage(fixture.url, log);
    const table = storage.table(stored<Value>("locked"));
    await table.set("a", { n: 1 });
    const other = new DatabaseSync(fixture.file);
    const clock = vi.spyOn(performance, "now").mockReturnValue(0);
    other.exec("BEGIN EXCLUSIVE");
    const refused = expect(table.set("a", { n: 2 })).rejects.toThrow(StorageError);
    expect(await table.get("a")).toEqual({ n: 1 });
    clock.mockReturnValue(5_000);
    await refused;

    const patient = table.set("a", { n: 3 });
    expect(await table.get("a")).toEqual({ n: 1 });
    other.exec("ROLLBACK");
    clock.mockReturnValue(9_999);
    await patient;
    expect(await table.get("a")).toEqual({ n: 3 });

    clock.mockRestore();
    other.close();
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
        read: () => table.read(["a"]),
        entries: () => entriesOf(table),
      }))
        expect(outcome, `${name} of ${text}`).toBeInstanceOf(StorageError);
    }
    other.close();
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
      console.log(JSON.stringify((await table.read(["kept", "new", "more", "after"])).map(({ value }) => value)));
      await storage.close();`,
    );
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) lines.push(line);
    expect(lines).toEqual([...Array(6).fill("StorageError"), '[{"n":1},null,null,{"n":2}]']);
  });
});
