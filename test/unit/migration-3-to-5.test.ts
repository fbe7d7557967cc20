import { afterEach, beforeEach, expect, it } from "vitest";
import { auditLogTable } from "../../src/handling/audit-log.ts";
import { noticesTable } from "../../src/outbox/notices.ts";
import { toRowsOfServers } from "../../src/storage/migrations/3-to-4-polled-servers.ts";
import { tablesToRecords } from "../../src/storage/migrations/4-to-5-records.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { partitionOf, polledTable } from "../../src/storage/polled-servers.ts";
import type { WholeStorage } from "../../src/storage/table.ts";
import { cutShortAnywhere } from "../support/cut-short.ts";
import { keysIn, stored } from "../support/stored.ts";

const guilds = stored<object>("guilds");
const guild = (id: string) => ({ id, settings: { language: "en", privacy: "none" } });
const remind = { afterMs: 300_000, quiet: { from: 22, to: 8 } };

const told = { since: 5, told: true };

let storage: WholeStorage;
beforeEach(async () => {
  storage = await openStorage("sqlite://:memory:", { warn: () => undefined });
  await storage.table(stored("alerting")).set("ids", ["11", "12"]);
  await storage.table(guilds).set("11", guild("11"));
  await storage.table(guilds).set("12", guild("12"));
  await storage.table(stored("remind")).set("11", remind);
  await storage.table(stored("remind")).set("13", remind);
  await storage.table(stored("route-troubles")).set("11", { r1: told });
  await storage.table(stored("trouble")).set("11", { storeDown: told });
});
afterEach(() => storage.close());

it("every server that was polled has a row, its record says when it is reminded, and what was told is in one place", async () => {
  await cutShortAnywhere(storage, toRowsOfServers);
  await cutShortAnywhere(storage, tablesToRecords);

  for (const id of ["11", "12"]) {
    const row = await storage.table(polledTable, String(partitionOf(id))).get(id);
    expect(row?.mark).toEqual(expect.any(String));
  }
  expect(await storage.table(guilds).get("11")).toEqual({ ...guild("11"), remind });
  expect(await storage.table(guilds).get("12")).toEqual(guild("12"));
  expect(await storage.table(noticesTable).get("11")).toEqual({ problems: { storeDown: told, r1: told } });
  // The server was removed, so nothing else is kept of it.
  expect(await storage.table(guilds).get("13")).toBeUndefined();
  for (const table of ["alerting", "remind", "route-troubles"]) expect(await keysIn(storage, table)).toEqual([]);
});

it("the audit log of a day is one row, whichever processes wrote it", async () => {
  const log = storage.table(stored("trail:11", 2));
  await log.set("20000.3", [
    [3, "7", "connected", ""],
    [9, "7", "taken", "order"],
  ]);
  await log.set("20000.11", [[5, "8", "exported", "orders", 2, 4]]);
  await log.set("20001.0", [[6, "7", "alerts_off", ""]]);
  await cutShortAnywhere(storage, tablesToRecords);

  expect(await keysIn(storage, "trail:11")).toEqual(["20000", "20001"]);
  expect(await log.get("20000")).toEqual([
    [3, "7", "connected", ""],
    [5, "8", "exported", "orders", 2, 4],
  ]);
  expect((await storage.table(auditLogTable, "11").get("20001"))?.length).toBe(1);
});
