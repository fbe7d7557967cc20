import { z } from "zod";
import type { Storage } from "../table.ts";
import { anyTable, keysOf, moveIntoRecords } from "./move-rows.ts";

/**
 * Until version 4, the audit log had a row for each day and group of processes (key `20000.3`: day 20000, group 3). Now it has
 * a row for each day (key `20000`).
 */
const auditLogTable = { name: "trail", schema: z.array(z.tuple([z.number()], z.unknown())).catch([]), version: 2 };
/** Entries are shown for 90 days. */
const auditLogMs = 92 * 24 * 60 * 60_000;
/** Presses of the buttons to take an order. They are stored in the tables `takes:<server>` now. */
const presses: ReadonlySet<unknown> = new Set(["taken", "released", "handled"]);

async function auditLogToDays(storage: Storage, guildId: string): Promise<void> {
  const table = storage.table(auditLogTable, guildId);
  const parts = (await keysOf(table)).filter((key) => key.includes("."));
  for (const [day = "", keys] of Map.groupBy(parts, (key) => key.split(".", 1)[0])) {
    const deeds = (await table.read([day, ...keys])).flatMap(({ value }) => value ?? []);
    // After an interrupted run, some entries are both in the row of the day and in another row.
    const each = new Map(deeds.map((deed) => [JSON.stringify(deed), deed])).values();
    const kept = [...each].filter(([, , did]) => !presses.has(did)).sort(([one], [other]) => one - other);
    await table.set(day, kept, { ttlMs: auditLogMs });
    await table.deleteMany(keys);
  }
}

export async function tablesToRecords(storage: Storage): Promise<void> {
  await moveIntoRecords(storage, anyTable("remind"), { table: "guilds", field: "remind" });
  await moveIntoRecords(storage, anyTable("route-troubles"), { table: "trouble", field: "routes", isNew: true });
  for (const id of await keysOf(storage.table(anyTable("guilds")))) await auditLogToDays(storage, id);
}
