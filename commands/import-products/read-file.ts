import { createHash } from "node:crypto";
import type { Caller } from "../../src/discord/commands/caller.ts";
import type { Upload } from "../../src/discord/commands/uploads.ts";
import type { Guild } from "../../src/guilds/guild.ts";
import { importKeys } from "../../src/reports/import-row-keys.ts";
import type { ImportRow } from "../../src/reports/run-import.ts";
import type { Services } from "../../src/services.ts";
import { habitsOf } from "../../src/store-queries/price.ts";
import { type ReadFile, readProducts } from "./rows.ts";

/** A file as the bot understood it. `digest` is a digest of everything that would be sent to the store. */
type UnderstoodFile = Omit<ReadFile, "rows"> & { readonly rows: readonly ImportRow[]; readonly digest: string };

/**
 * Calls `use` with the products of a file, and returns its result. Throws a `ProblemError` if the file is not valid, or
 * ("import_readings_full") if too many files are in use.
 */
export async function withFile<T>(
  file: Upload,
  { guild, caller, services }: { readonly guild: Guild; readonly caller: Caller; readonly services: Services },
  use: (read: UnderstoodFile) => Promise<T>,
): Promise<T> {
  const leave = services.readingLimit.acquire(caller);
  try {
    const read = await readProducts(await services.uploads.readText(file, "import"), habitsOf(guild.settings));
    const keys = importKeys(read.rows.map(({ product }) => product));
    const rows = read.rows.map((row, at) => ({ ...row, key: keys[at] ?? "" }));
    return await use({ ...read, rows, digest: createHash("sha256").update(keys.join(" ")).digest("base64url") });
  } finally {
    leave();
  }
}
