import { z } from "zod";
import { newMark, partitionOf, polledTable } from "./polled-servers.ts";
import type { Storage } from "./table.ts";
import { textsSchema } from "./texts-schema.ts";

/** One list of all servers that are polled. */
const listTable = { name: "alerting", schema: textsSchema, version: 1 };
/** Which process polls. */
const leaseTable = { name: "lease", schema: z.unknown(), version: 1 } as const;
/** When servers want to be reminded, by their ids. */
const remindTable = { name: "remind", schema: z.unknown(), version: 1 };
/** What was told of rules, by the ids of servers, and of everything else. */
const routeNoticesTable = { name: "route-troubles", schema: z.unknown(), version: 1 };
const noticesTable = { name: "trouble", schema: z.unknown(), version: 1 };
const guildsTable = { name: "guilds", schema: z.looseObject({}).or(z.unknown()), version: 1 };
/** Who did what in a server, a row for each day and lane of processes (`20000.3`), and from version 5 on for each day (`20000`). */
const auditLogTable = { name: "trail", schema: z.array(z.tuple([z.number()], z.unknown())).catch([]), version: 2 };
/** Notes of that day go after it and 90 days. */
const auditLogMs = 92 * 24 * 60 * 60_000;
/** Presses on orders stood there before they were kept with their orders. */
const presses: ReadonlySet<unknown> = new Set(["taken", "released", "handled"]);
/** Servers written at a time. */
const sliceSize = 500;

/** The migration from data of version 3 to 4: the list of the servers that are polled becomes a row for each. Throws `StorageError`. */
export async function toRowsOfServers(storage: Pick<Storage, "table">): Promise<void> {
  const list = storage.table(listTable);
  const ids = (await list.get("ids")) ?? [];
  for (const [partition, some] of Map.groupBy(new Set(ids), partitionOf)) {
    const table = storage.table(polledTable, String(partition));
    for (let start = 0; start < some.length; start += sliceSize) {
      await table.setMany(some.slice(start, start + sliceSize).map((id) => [id, newMark()] as const));
    }
  }
  await list.clear();
  await storage.table(leaseTable).clear();
}

async function auditLogToDays(storage: Pick<Storage, "table">, guildId: string): Promise<void> {
  const table = storage.table(auditLogTable, guildId);
  const parts: string[] = [];
  for await (const [key] of table.entries()) if (key.includes(".")) parts.push(key);
  for (const [day = "", keys] of Map.groupBy(parts, (key) => key.split(".", 1)[0])) {
    const deeds = (await table.getMany([day, ...keys])).flatMap((rows) => rows ?? []);
    // Cut short before, it finds some of them in both.
    const each = new Map(deeds.map((deed) => [JSON.stringify(deed), deed])).values();
    const kept = [...each].filter(([, , did]) => !presses.has(did)).sort(([one], [other]) => one - other);
    await table.set(day, kept, { ttlMs: auditLogMs });
    for (const key of keys) await table.delete(key);
  }
}

/**
 * The migration from data of version 4 to 5: when a server wants to be reminded stands in its record, what was told of its rules
 * in the record of all that was told, and the audit log of a day in one row. Throws `StorageError`.
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
