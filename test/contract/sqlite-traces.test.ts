import { copyFileSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage, Table } from "../../src/storage/table.ts";
import { createSqliteFixture } from "../support/storage-fixtures.ts";
import { stored } from "../support/stored.ts";

type Fixture = Awaited<ReturnType<typeof createSqliteFixture>>;

const secret = "CUSTOMER-OF-AN-ORDER";
const parts = ["", "-wal", "-shm"];

let fixture: Fixture;
let storage: Storage;
let table: Table<unknown>;
let warnings: string[];
const log = { warn: (_: object, message: string) => void warnings.push(message) };

const walBytes = (file = fixture.file) => statSync(`${file}-wal`).size;

async function entriesOf(of: Table<unknown>): Promise<(readonly [string, unknown])[]> {
  const found: (readonly [string, unknown])[] = [];
  for await (const entry of of.entries()) found.push(entry);
  return found;
}

/** The files that contain a text. */
function placesOf(text: string, file = fixture.file): string[] {
  return parts.filter((part) => readFileSync(file + part).includes(text));
}

beforeEach(async () => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"],
  });
  warnings = [];
  fixture = await createSqliteFixture();
  storage = await openStorage(fixture.url, log);
  table = storage.table(stored("ledger:1"));
  vi.advanceTimersByTime(0);
});
afterEach(async () => {
  await storage.close();
  vi.useRealTimers();
  await fixture.remove();
});

describe("the write-ahead log of SQLite", () => {
  it("keeps overwritten and deleted data for 10 s (0.1.0: until a clean stop)", async () => {
    await table.set("a", { customer: secret });
    await table.set("a", { customer: null });
    await table.set("b", { customer: secret });
    await table.delete("b");
    vi.advanceTimersByTime(9_999);
    expect(placesOf(secret)).toEqual(["-wal"]);

    vi.advanceTimersByTime(1);
    expect(walBytes()).toBe(0);
    expect(placesOf(secret)).toEqual([]);
    expect(await table.get("a")).toEqual({ customer: null });
  });

  it("does not keep them longer while writes go on", async () => {
    await table.set("a", { customer: secret });
    await table.delete("a");
    for (let ms = 0; ms < 9_600; ms += 800) {
      await table.set("other", { ms });
      expect(placesOf(secret), `${ms} ms`).toEqual(["-wal"]);
      vi.advanceTimersByTime(800);
    }
    await table.set("other", {});
    vi.advanceTimersByTime(400);

    expect(placesOf(secret)).toEqual([]);
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

  it("is emptied at once on opening the file, if a crash left it", async () => {
    await table.set("a", { customer: secret });
    await table.set("a", { customer: null });
    const crashed = join(dirname(fixture.file), "crashed", "shopbell.sqlite");
    mkdirSync(dirname(crashed));
    for (const part of ["", "-wal"]) copyFileSync(fixture.file + part, crashed + part);
    expect(readFileSync(`${crashed}-wal`).includes(secret)).toBe(true);

    const again = await openStorage(`sqlite://${crashed}`, log);
    vi.advanceTimersByTime(0);
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
    expect(warnings).toEqual(Array(2).fill("the write-ahead log could not be emptied"));

    writeFileSync(fixture.file, Buffer.alloc(8_192, 7));
    vi.advanceTimersByTime(10_000);
    // The bot leaves another file alone until an operation needs it, because the program that puts it there may not be finished.
    expect(warnings).toHaveLength(2);
    await expect(table.get("a")).rejects.toThrow();

    renameSync(aside, fixture.file);
    expect(await table.get("a")).toEqual({ n: 1 });

    await table.delete("b");
    vi.advanceTimersByTime(10_000);
    expect(placesOf(secret)).toEqual([]);
  });
});

describe("a SQLite file of version 0.1.0", () => {
  // The table as @keyv/sqlite 6.0.0-beta.4 made and used it.
  const schema = `CREATE TABLE IF NOT EXISTS "shopbell"(key VARCHAR(255) NOT NULL, value TEXT, namespace VARCHAR(255)
      NOT NULL DEFAULT '', expires BIGINT DEFAULT NULL, UNIQUE(key, namespace));
    CREATE INDEX IF NOT EXISTS "shopbell_expires_idx" ON "shopbell" (expires) WHERE expires IS NOT NULL`;
  const upsert = `INSERT INTO "shopbell" (key, value, namespace, expires) VALUES(?, ?, ?, ?), (?, ?, ?, ?)
    ON CONFLICT(key, namespace) DO UPDATE SET value=excluded.value, expires=excluded.expires;`;
  const select = 'SELECT key, value, namespace, expires FROM "shopbell" ORDER BY namespace, key';
  const later = Date.now() + 3_600_000;

  it("opens with all its rows, and each version reads the other's writes", async () => {
    const file = join(dirname(fixture.file), "old.sqlite");
    const old = new DatabaseSync(file);
    old.exec("PRAGMA journal_mode = WAL");
    old.exec(schema);
    old.prepare(upsert).run("1", '{"value":{"n":1}}', "ledger:7", null, "2", '{"value":{"n":2}}', "ledger:7", null);
    old
      .prepare(upsert)
      .run("s", `{"value":"t","expires":${later}}`, "lists", later, "gone", '{"value":1,"expires":5}', "lists", 5);

    const opened = await openStorage(`sqlite://${file}`, log);
    const ledger = opened.table(stored("ledger:7"));
    expect(await ledger.getMany(["2", "1", "3"])).toEqual([{ n: 2 }, { n: 1 }, undefined]);
    expect(await entriesOf(opened.table(stored("lists")))).toEqual([["s", "t"]]);

    await ledger.set("2", { n: 3 });
    await ledger.setMany([["3", ":text"]]);
    await ledger.delete("1");
    await opened.table(stored("lists")).set("u", { n: 4 }, { ttlMs: 60_000 });

    old
      .prepare(upsert)
      .run("3", '{"value":{"n":5}}', "ledger:7", null, "4", `{"value":6,"expires":${later}}`, "ledger:7", later);
    expect(await entriesOf(ledger)).toEqual([
      ["2", { n: 3 }],
      ["3", { n: 5 }],
      ["4", 6],
    ]);

    const rows = old.prepare(select).all();
    const expires = Number(rows.at(-1)?.expires);
    expect(Math.abs(expires - Date.now() - 60_000)).toBeLessThan(5_000);
    expect(rows.map((row) => ({ ...row }))).toEqual([
      { key: "2", value: '{"value":{"n":3},"v":1}', namespace: "ledger:7", expires: null },
      { key: "3", value: '{"value":{"n":5}}', namespace: "ledger:7", expires: null },
      { key: "4", value: `{"value":6,"expires":${later}}`, namespace: "ledger:7", expires: later },
      { key: "gone", value: '{"value":1,"expires":5}', namespace: "lists", expires: 5 },
      { key: "s", value: `{"value":"t","expires":${later}}`, namespace: "lists", expires: later },
      { key: "u", value: `{"value":{"n":4},"expires":${expires},"v":1}`, namespace: "lists", expires },
    ]);

    await opened.close();
    old.close();
  });
});
