import { z } from "zod";
import type { Storage } from "../table.ts";
import { anyTable, moveIntoRecords } from "./move-rows.ts";

// The shapes below describe the data of version 6 and must not change.

/**
 * Nothing is lost with `taken`: the tables `takes:<server>` have the same content. `trouble` replaces `health`, and the next
 * failed poll writes the server's row.
 */
const goneTables = ["taken", "health"];
const digestSchema = z.object({ timezone: z.unknown(), plan: z.unknown() }).partial().nullable().catch(null);

export async function toFewerTables(storage: Storage): Promise<void> {
  const digests = { ...anyTable("digests"), schema: digestSchema };
  await moveIntoRecords(storage, digests, { table: "guilds", field: "digest" });
  for (const name of goneTables) await storage.table(anyTable(name)).clear();
}
