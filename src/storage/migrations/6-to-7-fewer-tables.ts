import { z } from "zod";
import { absent, type Storage, StorageError } from "../table.ts";

// Migrates data from version 6 to 7. The shapes below describe the data of that time and must not change.

/**
 * Tables that are removed. The rows of `takes:<server>` say which orders are taken, and the next failure of polls is recorded
 * in the server's row of `trouble`.
 */
const goneTables = ["taken", "health"];
/** Settings of digests, by server id. They move into the server's record. */
const digestsTable = {
  name: "digests",
  schema: z.object({ timezone: z.unknown(), plan: z.unknown() }).partial().optional().catch(undefined),
  version: 1,
};
const guildsTable = { name: "guilds", schema: z.looseObject({}).or(z.unknown()), version: 1 };

async function digestsToGuilds(storage: Storage): Promise<void> {
  const guilds = storage.table(guildsTable);
  const digests = storage.table(digestsTable);
  const ids: string[] = [];
  for await (const [id] of digests.entries()) ids.push(id);
  for (const id of ids) {
    const [guild = absent(id)] = await guilds.read([id]);
    const [digest = absent(id)] = await digests.read([id]);
    const isKept = guild.value instanceof Object && digest.value !== undefined;
    const record = isKept ? [guilds.put(guild, { ...guild.value, digest: digest.value })] : [];
    if (await storage.commit([...record, digests.remove(digest)])) continue;
    throw new StorageError("migrate", new Error("another process writes into this storage"));
  }
}

/** Removes and moves the tables. If it is interrupted, it can run again. Throws `StorageError`. */
export async function toFewerTables(storage: Storage): Promise<void> {
  await digestsToGuilds(storage);
  for (const name of goneTables) await storage.table({ name, schema: z.unknown(), version: 1 }).clear();
}
