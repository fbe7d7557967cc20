import { z } from "zod";
import type { Storage } from "../table.ts";
import { anyTable, moveIntoRecords } from "./move-rows.ts";

// The shapes below describe the data of version 6 and must not change.

/**
 * The tables `takes:<server>` have the content of `taken`. `trouble` replaces `health`. Nothing is copied, because the next
 * failed poll of a server writes its row in `trouble`.
 */
const goneTables = ["taken", "health"];
const digestSchema = z.object({ timezone: z.unknown(), plan: z.unknown() }).partial().nullable().catch(null);

export async function toFewerTables(storage: Storage): Promise<void> {
  const digests = { ...anyTable("digests"), schema: digestSchema };
  await moveIntoRecords(storage, digests, { table: "guilds", field: "digest" });
  for (const name of goneTables) await storage.table(anyTable(name)).clear();
}
