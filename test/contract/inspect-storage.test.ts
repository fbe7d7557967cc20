import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { inspectStorage } from "../../src/storage/inspect-storage.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { absent, StorageError } from "../../src/storage/table.ts";
import { runSql } from "../support/database-server.ts";
import { createSqliteFixture, type StorageFixture, storageKinds } from "../support/storage-fixtures.ts";
import { keysIn, stored } from "../support/stored.ts";

const log = { warn: () => undefined };
const shape = stored<{ text: string }>("table");

describe.each(storageKinds)("an inspection of $kind", ({ installed, create, packages, kind }) => {
  if (!installed) return void it.skip(`needs ${packages}: apt-get install ${packages}`);
  let fixture: StorageFixture;
  beforeAll(async () => {
    fixture = await create();
  });
  afterAll(() => fixture.remove());

  if (kind === "postgres") {
    it("creates no table", async () => {
      expect((await inspectStorage(fixture.url)).storage).toBeUndefined();
      // The first statement fails if the table exists.
      await runSql(fixture.url, "CREATE TABLE public.shopbell(); DROP TABLE public.shopbell");
    });
  }

  it("reads the data, even while a bot writes, and refuses every write", async () => {
    const open = await openStorage(fixture.url, log);
    await open.table(shape).set("one", { text: "1" });
    const { storage, problem } = await inspectStorage(fixture.url);
    expect(problem).toBeUndefined();
    const table = storage?.table(shape);
    expect(await table?.get("one")).toEqual({ text: "1" });
    await open.table(shape).set("two", { text: "2" });
    expect(await table?.getMany(["two", "three"])).toEqual([{ text: "2" }, undefined]);
    expect(storage && (await keysIn(storage, "table")).sort()).toEqual(["one", "two"]);
    const writes = [
      () => table?.set("one", { text: "x" }),
      () => table?.setMany([["one", { text: "x" }]]),
      () => table?.delete("one"),
      () => table?.deleteMany(["one"]),
      () => table?.clear(),
      () => storage?.commit([storage.table(shape).put(absent("three"), { text: "x" })]),
    ];
    for (const write of writes) await expect(write()).rejects.toBeInstanceOf(StorageError);
    expect(await open.table(shape).get("one")).toEqual({ text: "1" });
    await storage?.close();
    await open.close();
  });

  it("fails if there can be no storage, or no server answers", async () => {
    const found = await inspectStorage(fixture.nowhere).catch((error: unknown) => error);
    if (kind !== "sqlite") expect(found).toBeInstanceOf(StorageError);
    else expect(found).toMatchObject({ storage: undefined, problem: "this user may not write to /dev/null" });
  });
});

describe("an inspection of a storage that is not there yet", () => {
  it("creates neither a file nor a directory, and reports the free space", async () => {
    const directory = await mkdtemp(join(tmpdir(), "shopbell-look-"));
    const { storage, freeBytes } = await inspectStorage(`sqlite://${directory}/data/shopbell.sqlite`);
    expect(storage).toBeUndefined();
    expect(freeBytes).toBeGreaterThan(0);
    expect(await readdir(directory)).toEqual([]);
    await rm(directory, { recursive: true });
  });
});

describe("an inspection of a SQLite file", () => {
  let fixture: Awaited<ReturnType<typeof createSqliteFixture>>;
  beforeEach(async () => {
    fixture = await createSqliteFixture();
    const storage = await openStorage(fixture.url, log);
    await storage.table(shape).set("one", { text: "1" });
    await storage.close();
  });
  afterEach(() => fixture.remove());

  it("leaves no other file in the directory of a database whose bot has ended", async () => {
    const before = (await stat(fixture.file)).mtimeMs;
    const { storage } = await inspectStorage(fixture.url);
    expect(await storage?.table(shape).get("one")).toEqual({ text: "1" });
    expect(await readdir(dirname(fixture.file))).toEqual(["shopbell.sqlite"]);
    expect((await stat(fixture.file)).mtimeMs).toBe(before);
  });

  it("throws if the file is no database, or belongs to another program", async () => {
    await writeFile(fixture.file, "not a database at all, but long enough to be looked at as one".repeat(100));
    await expect(inspectStorage(fixture.url)).rejects.toBeInstanceOf(StorageError);
  });
});
