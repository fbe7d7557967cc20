import { DatabaseSync } from "node:sqlite";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openStorage } from "../../src/storage/open-storage.ts";
import { type Storage, StorageError } from "../../src/storage/table.ts";
import { createSqliteFixture } from "../support/storage-fixtures.ts";
import { stored } from "../support/stored.ts";

let fixture: Awaited<ReturnType<typeof createSqliteFixture>>;
let storage: Storage;
let other: DatabaseSync;

beforeEach(async () => {
  fixture = await createSqliteFixture();
  storage = await openStorage(fixture.url, { warn: () => undefined });
  other = new DatabaseSync(fixture.file);
});
afterEach(async () => {
  other.close();
  await storage.close();
  await fixture.remove();
});

it("a lock that lasts is waited for once: later writes fail at once, reads are answered, and the end of the lock is noticed", async () => {
  const table = storage.table(stored<number>("one"));
  await table.set("a", 1);
  other.exec("BEGIN EXCLUSIVE");
  await expect(table.set("a", 2)).rejects.toThrow(StorageError);

  const began = performance.now();
  for (let n = 0; n < 3; n++) {
    await expect(table.set("a", 3)).rejects.toThrow(StorageError);
    expect(await table.get("a")).toBe(1);
  }
  expect(performance.now() - began).toBeLessThan(4_000);

  other.exec("ROLLBACK");
  await table.set("a", 4);
  expect(await table.get("a")).toBe(4);

  // Work waits for a new lock again.
  other.exec("BEGIN EXCLUSIVE");
  const patient = table.set("a", 5);
  await setImmediate();
  await setImmediate();
  other.exec("ROLLBACK");
  await patient;
  expect(await table.get("a")).toBe(5);
}, 30_000);
