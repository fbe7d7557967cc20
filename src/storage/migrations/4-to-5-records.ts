import { z } from "zod";
import type { Storage } from "../table.ts";

/** Reminder settings, by server id. */
const remindTable = { name: "remind", schema: z.unknown(), version: 1 };
/** Notices about rules, and all other notices, by server id. */
const routeNoticesTable = { name: "route-troubles", schema: z.unknown(), version: 1 };
const noticesTable = { name: "trouble", schema: z.unknown(), version: 1 };
const guildsTable = { name: "guilds", schema: z.looseObject({}).or(z.unknown()), version: 1 };
/**
 * The audit log. Until version 4, a row was one day and one group of processes (`20000.3`). From version 5 on, a row is one day
 * (`20000`).
 */
const auditLogTable = { name: "trail", schema: z.array(z.tuple([z.number()], z.unknown())).catch([]), version: 2 };
/** How long migrated rows stay: 90 days after the day of the migration, and a bit more. */
const auditLogMs = 92 * 24 * 60 * 60_000;
/** Acts that were in the audit log before they were stored with their orders: presses of the buttons to take an order. */
const presses: ReadonlySet<unknown> = new Set(["taken", "released", "handled"]);

async function auditLogToDays(storage: Pick<Storage, "table">, guildId: string): Promise<void> {
  const table = storage.table(auditLogTable, guildId);
  const parts: string[] = [];
  for await (const [key] of table.entries()) if (key.includes(".")) parts.push(key);
  for (const [day = "", keys] of Map.groupBy(parts, (key) => key.split(".", 1)[0])) {
    const deeds = (await table.getMany([day, ...keys])).flatMap((rows) => rows ?? []);
    // After an interrupted run, both rows have some acts.
    const each = new Map(deeds.map((deed) => [JSON.stringify(deed), deed])).values();
    const kept = [...each].filter(([, , did]) => !presses.has(did)).sort(([one], [other]) => one - other);
    await table.set(day, kept, { ttlMs: auditLogMs });
    for (const key of keys) await table.delete(key);
  }
}

/**
 * Moves a server's reminder settings into its record, its notices about rules into the record of all notices, and the audit log
 * of a day into one row. Throws `StorageError`.
 */
export async function tablesToRecords(storage: Pick<Storage, "table">): Promise<void> {
  const guilds = storage.table(guildsTable);
  const remind = storage.table(remindTable);
  for await (const [id, settings] of remind.entries()) {
    const guild = await guilds.get(id);
    if (settings && guild instanceof Object) await guilds.set(id, { ...guild, remind: settings });
  }
  const notices = storage.table(noticesTable);
  const ofRules = storage.table(routeNoticesTable);
  for await (const [id, routes] of ofRules.entries()) {
    await notices.set(id, { ...Object(await notices.get(id)), routes });
  }
  await ofRules.clear();
  await remind.clear();
  const ids: string[] = [];
  for await (const [id] of guilds.entries()) ids.push(id);
  for (const id of ids) await auditLogToDays(storage, id);
}
