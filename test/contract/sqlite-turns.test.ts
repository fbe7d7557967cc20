import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createSqliteConnection, type SqliteConnection } from "../../src/storage/sqlite-connection.ts";
import type { Storage, Table } from "../../src/storage/table.ts";
import { countTurns } from "../support/event-loop-turns.ts";
import { stored } from "../support/stored.ts";
import { createSqliteFixture } from "./storage-fixtures.ts";

const mebibyte = 1024 ** 2;
const log = { warn: (fields: object) => expect.unreachable(JSON.stringify(fields)) };

describe("pieces of work on one connection", () => {
  let connection: SqliteConnection;
  let heart: ReturnType<typeof countTurns>;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance"] });
    connection = createSqliteConnection(":memory:", log);
    heart = countTurns();
  });
  afterEach(async () => {
    heart.end();
    await connection.close();
    vi.useRealTimers();
  });

  /** Pretends to work for some ms. Resolves to the turn in which this happened. */
  const piece = (ms: number) =>
    connection.read(() => {
      vi.advanceTimersByTime(ms);
      return heart.turns();
    });
  const pieces = (count: number, ms: number) => Promise.all(Array.from({ length: count }, () => piece(ms)));

  it("share a turn of the event loop if they are short, and have one each if they take long (0.1.0: all had one)", async () => {
    expect(new Set(await pieces(3, 0)).size).toBe(1);
    const turns = await pieces(20, 5);
    expect(turns).toEqual([...new Set(turns)].sort((a, b) => a - b));
  });

  it("do not share a turn with long work on their results (0.1.0: did)", async () => {
    const turns = new Set<number>();
    for (let n = 0; n < 5; n++) {
      turns.add(await piece(0));
      vi.advanceTimersByTime(5);
    }
    expect(turns.size).toBe(5);
  });

  it("take at most 20 ms of a turn if they are short, no matter how long the rest of the turn takes", async () => {
    let isOver = false;
    const elsewhere = () => {
      if (isOver) return;
      vi.advanceTimersByTime(200);
      setImmediate(elsewhere);
    };
    elsewhere();
    const inEach = Map.groupBy(await pieces(200, 1), (turn) => turn);
    isOver = true;
    expect(Math.max(...[...inEach.values()].map(({ length }) => length))).toBe(20);
  });
});

describe("large values in SQLite", () => {
  let fixture: Awaited<ReturnType<typeof createSqliteFixture>>;
  let storage: Storage;
  let table: Table<string>;

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    fixture = await createSqliteFixture();
    storage = await openStorage(fixture.url, log);
    table = storage.table(stored("drafts:1"));
  });
  afterEach(async () => {
    await storage.close();
    vi.useRealTimers();
    await fixture.remove();
  });

  const fill = async (count: number, bytes: number) => {
    for (let n = 0; n < count; n++) await table.set(`draft ${n}`, "x".repeat(bytes), { ttlMs: 86_400_000 });
  };
  const walBytes = () => statSync(`${fixture.file}-wal`).size;

  it("are cleared one in each turn, and the log stays at some MiB (0.1.0: all in one turn, 24 MB)", async () => {
    await fill(24, mebibyte);
    await storage.table(stored("drafts:2")).set("of another server", 1);
    const heart = countTurns();
    await table.clear();

    expect(heart.end()).toBeGreaterThanOrEqual(23);
    expect(walBytes()).toBeLessThan(8 * mebibyte);
    expect(await table.get("draft 0")).toBeUndefined();
    expect(await storage.table(stored("drafts:2")).get("of another server")).toBe(1);
  });

  it("that have expired are removed one in each turn, and the log stays at some MiB (0.1.0: 24 MB at once)", async () => {
    await fill(24, mebibyte);
    const other = new DatabaseSync(fixture.file);
    other.exec("UPDATE shopbell SET expires = 5 WHERE key <> 'draft 7'; PRAGMA wal_checkpoint(TRUNCATE)");
    const keys = () => other.prepare("SELECT key FROM shopbell").all().length;
    vi.advanceTimersByTime(10 * 60_000);
    await nextTurn();
    const seen = new Set<number>();
    for (let turn = 0; turn < 100 && keys() > 1; turn++) {
      seen.add(keys());
      await nextTurn();
    }

    expect(seen.size).toBeGreaterThanOrEqual(20);
    expect(keys()).toBe(1);
    expect(walBytes()).toBeLessThan(8 * mebibyte);
    expect(await table.get("draft 7")).toHaveLength(mebibyte);

    other.close();
  });
});
