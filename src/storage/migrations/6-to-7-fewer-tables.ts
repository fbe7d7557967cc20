import { z } from "zod";
import type { Storage } from "../table.ts";
import { anyTable, moveIntoRecords } from "./move-rows.ts";

// Migrates data from version 6 to 7. The shapes below describe the data of version 6 and must not change.

/**
 * Tables that are removed. Nothing is lost with `taken`: the tables `takes:<server>` have the same content. `trouble` replaces
 * `health`, and the next failed poll writes the server's row.
 */
const goneTables = ["taken", "health"];
/** Settings of digests, by server id. A malformed row reads as null. */
const digestSchema = z.object({ timezone: z.unknown(), plan: z.unknown() }).partial().nullable().catch(null);

/** Removes and moves the tables. If it is interrupted, it can run again. Throws `StorageError`. */
export async function toFewerTables(storage: Storage): Promise<void> {
  const digests = { ...anyTable("digests"), schema: digestSchema };
  await moveIntoRecords(storage, digests, { table: "guilds", field: "digest" });
  for (const name of goneTables) await storage.table(anyTable(name)).clear();
}
