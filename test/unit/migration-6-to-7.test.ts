import { expect, it } from "vitest";
import { toFewerTables } from "../../src/storage/migrations/6-to-7-fewer-tables.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { keysIn, stored } from "../support/stored.ts";

it("nothing is left of the tables that are gone", async () => {
  const storage = await openStorage("sqlite://:memory:", { warn: () => undefined });
  await storage.table(stored("taken")).set("11", [["order", "1", 5]]);
  await storage.table(stored("health")).set("11", { isFailing: false });
  await toFewerTables(storage);
  expect(await keysIn(storage, "taken")).toEqual([]);
  expect(await keysIn(storage, "health")).toEqual([]);
  await storage.close();
});
