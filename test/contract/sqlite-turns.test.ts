import { statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createSqliteConnection } from "../../src/storage/sqlite-connection.ts";
import type { Storage, Table } from "../../src/storage/table.ts";
import { countTurns } from "../support/event-loop-turns.ts";
import { createSqliteFixture } from "../support/storage-fixtures.ts";
import { stored } from "../support/stored.ts";

const mebibyte = 1024 ** 2;
const log = { warn: (fields: object) => expect.unreachable(JSON.stringify(fields)) };

describe("pieces of work on one connection", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
  afterEach(() => void vi.useRealTimers());

  /** Pretends to work for some ms. */
  const workFor = (ms: number) => vi.advanceTimersByTime(ms);
  const connection = () => createSqliteConnection(":memory:", log);

  it("have a turn of the event loop each if they take long (0.1.0: all had one turn)", async () => {
    const { read, close } = connection();
    const heart = countTurns();
    const turns = await Promise.all(
      Array.from({ length: 20 }, () =>
        read(() => {
          workFor(5);
          return heart.turns();
        }),
      ),
    );
    heart.end();

    expect(new Set(turns).size).toBe(20);
    expect(turns).toEqual(turns.toSorted((a, b) => a - b));

    await close();
  });

  it("share a turn if they are short, but not with long work on their results (0.1.0: did)", async () => {
    const { read, close } = connection();
    const heart = countTurns();
    const short = await Promise.all(Array.from({ length: 3 }, () => read(() => heart.turns())));
    expect(new Set(short).size).toBe(1);

    await nextTurn();
    const turns: number[] = [];
    for (let n = 0; n < 5; n++) {
      turns.push(await read(() => heart.turns()));
      workFor(5);
    }
    heart.end();
    expect(new Set(turns).size).toBe(5);

    await close();
  });

  it("take at most 20 ms of a turn if they are short, no matter how long the rest of the turn takes", async () => {
    const { read, close } = connection();
    let isOver = false;
    const elsewhere = () => {
      if (isOver) return;
      workFor(200);
      setImmediate(elsewhere);
    };
    elsewhere();
    const heart = countTurns();
    const piece = () => {
      workFor(1);
      return heart.turns();
    };
    const turns = await Promise.all(Array.from({ length: 200 }, () => read(piece)));
    heart.end();
    isOver = true;

    const inEach = [...Map.groupBy(turns, (turn) => turn).values()].map(({ length }) => length);
    expect(Math.max(...inEach)).toBe(20);

    await close();
  });

  it("begin and end before the next turn if no work precedes them", async () => {
    const { read, close } = connection();
    for (let n = 0; n < 3; n++) {
      await read(() => workFor(5));
      await nextTurn();
      const heart = countTurns();
      await read(() => 0);
      expect(heart.end()).toBe(0);
    }
    await close();
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
    vi.advanceTimersByTime(3_600_000);
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
