import fs, { copyFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { openSqliteFile } from "../../src/storage/sqlite-file.ts";
import type { Storage, Table } from "../../src/storage/table.ts";
import { stored } from "../support/stored.ts";
import { createSqliteFixture } from "./storage-fixtures.ts";

type Fixture = Awaited<ReturnType<typeof createSqliteFixture>>;

const secret = "CUSTOMER-OF-AN-ORDER";
const parts = ["", "-wal", "-shm"];

let fixture: Fixture;
let storage: Storage;
let table: Table<unknown>;
let warnings: string[];
const log = { warn: (_: object, message: string) => void warnings.push(message) };

const walBytes = (file = fixture.file) => statSync(`${file}-wal`).size;

function placesOf(text: string, file = fixture.file): string[] {
  return parts.filter((part) => readFileSync(file + part).includes(text));
}

/** Calls `next` once, right after the next `statSync` of this process. */
function afterNextStat(next: () => void): void {
  const { statSync } = fs;
  const replaceBy = (replacement: (path: string) => unknown) => {
    Object.assign(fs, { statSync: replacement });
    syncBuiltinESMExports();
  };
  replaceBy((path) => {
    replaceBy(statSync);
    const found = statSync(path);
    next();
    return found;
  });
}

beforeEach(async () => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  warnings = [];
  fixture = await createSqliteFixture();
  storage = await openStorage(fixture.url, log);
  table = storage.table(stored("ledger:1"));
});
afterEach(async () => {
  await storage.close();
  vi.useRealTimers();
  await fixture.remove();
});

describe("the write-ahead log of SQLite", () => {
  it("keeps overwritten and deleted data for 10 s, also while writes go on (0.1.0: until a clean stop)", async () => {
    await table.set("a", { customer: secret });
    await table.set("a", { customer: null });
    await table.set("b", { customer: secret });
    await table.delete("b");
    for (let ms = 0; ms < 9_600; ms += 800) {
      await table.set("other", { ms });
      vi.advanceTimersByTime(800);
    }
    vi.advanceTimersByTime(399);
    expect(placesOf(secret)).toEqual(["-wal"]);

    vi.advanceTimersByTime(1);
    expect(walBytes()).toBe(0);
    expect(placesOf(secret)).toEqual([]);
    expect(await table.get("a")).toEqual({ customer: null });
  });

  it("is emptied later if another process reads, and no operation is affected", async () => {
    await table.set("a", { customer: secret });
    const reader = new DatabaseSync(fixture.file);
    reader.exec("BEGIN");
    reader.prepare("SELECT * FROM shopbell").all();
    await table.delete("a");
    vi.advanceTimersByTime(10_000);
    expect(placesOf(secret)).not.toEqual([]);

    await table.set("b", { n: 1 });
    expect(await table.get("b")).toEqual({ n: 1 });

    reader.exec("COMMIT");
    vi.advanceTimersByTime(10_000);
    expect(placesOf(secret)).toEqual([]);
    expect(warnings).toEqual([]);

    reader.close();
  });

  it("is emptied 10 s after the file was opened, if a crash left it", async () => {
    await table.set("a", { customer: secret });
    await table.set("a", { customer: null });
    const crashed = join(dirname(fixture.file), "crashed", "shopbell.sqlite");
    mkdirSync(dirname(crashed));
    for (const part of ["", "-wal"]) copyFileSync(fixture.file + part, crashed + part);
    expect(readFileSync(`${crashed}-wal`).includes(secret)).toBe(true);

    const again = await openStorage(`sqlite://${crashed}`, log);
    vi.advanceTimersByTime(10_000);
    expect(walBytes(crashed)).toBe(0);
    expect(placesOf(secret, crashed)).toEqual([]);
    expect(await again.table(stored("ledger:1")).get("a")).toEqual({ customer: null });

    await again.close();
  });

  it("is emptied when the storage is closed, even if another process goes on with the file", async () => {
    const other = new DatabaseSync(fixture.file);
    other.prepare("SELECT * FROM shopbell").all();
    await table.set("a", { customer: secret });
    await table.delete("a");
    expect(placesOf(secret)).toEqual(["-wal"]);

    await storage.close();
    expect(placesOf(secret)).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);

    other.close();
  });

  it("does not end the process when its file is missing or broken, and works with the file that replaces it", async () => {
    const aside = `${fixture.file}.aside`;
    await table.set("a", { n: 1 });
    vi.advanceTimersByTime(10_000);
    await table.set("b", { customer: secret });
    renameSync(fixture.file, aside);
    vi.advanceTimersByTime(20_000);
    expect(warnings).toEqual(Array(2).fill("could not empty the write-ahead log"));

    writeFileSync(fixture.file, Buffer.alloc(8_192, 7));
    vi.advanceTimersByTime(10_000);
    // The bot does not touch another file until an operation needs it, because the program that puts it there may not be done.
    expect(warnings).toHaveLength(2);
    await expect(table.get("a")).rejects.toThrow();

    renameSync(aside, fixture.file);
    expect(await table.get("a")).toEqual({ n: 1 });

    await table.delete("b");
    vi.advanceTimersByTime(10_000);
    expect(placesOf(secret)).toEqual([]);
  });

  it("is not written into a new file that replaces the file right after the check", () => {
    const path = join(dirname(fixture.file), "other.sqlite");
    const file = openSqliteFile(path);
    file.run((run) => run("CREATE TABLE shopbell (name TEXT)"));
    file.run((run) => run("VACUUM INTO ?", `${path}.copy`));
    file.run((run) => run("INSERT INTO shopbell VALUES ('lost')"));

    afterNextStat(() => renameSync(`${path}.copy`, path));
    file.emptyLog();
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });

    expect(file.run((run) => run("SELECT * FROM shopbell"))).toEqual([]);
    file.close();
  });
});
