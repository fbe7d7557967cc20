import { createHash } from "node:crypto";
import type { Caller } from "../../src/discord/commands/caller.ts";
import { type Upload, UploadError, type UploadErrorCode } from "../../src/discord/commands/uploads.ts";
import type { Guild } from "../../src/guilds/guild.ts";
import { importKeys } from "../../src/reports/import-records.ts";
import type { ImportRow } from "../../src/reports/run-import.ts";
import type { Services } from "../../src/services.ts";
import { habitsOf } from "../../src/store-queries/price.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import { type ReadFile, readProducts } from "./rows.ts";

const maxBytes = 1_048_576;

const uploadProblems = {
  foreign_host: "import_unread",
  unreadable: "import_unread",
  too_large: "import_too_large",
  not_text: "import_not_text",
} as const satisfies Record<UploadErrorCode, string>;

async function textOf(file: Upload, { uploads }: Services): Promise<string> {
  try {
    return await uploads.readText(file, maxBytes);
  } catch (error) {
    throw error instanceof UploadError ? new ProblemError({ code: uploadProblems[error.code] }) : error;
  }
}

/** A file as it was understood, and a digest of all that is sent of it. */
type UnderstoodFile = Omit<ReadFile, "rows"> & { readonly rows: readonly ImportRow[]; readonly digest: string };

/**
 * What `use` makes of the products of a file. Few files are in use at a time: throws a `ProblemError` for what is no such file,
 * and ("import_readings_full") where there are others.
 */
export async function withFile<T>(
  file: Upload,
  { guild, caller, services }: { readonly guild: Guild; readonly caller: Caller; readonly services: Services },
  use: (read: UnderstoodFile) => Promise<T>,
): Promise<T> {
  const leave = services.readingLimit.acquire(caller);
  try {
    const read = await readProducts(await textOf(file, services), habitsOf(guild.settings));
    const keys = importKeys(read.rows.map(({ product }) => product));
    const rows = read.rows.map((row, at) => ({ ...row, key: keys[at] ?? "" }));
    return await use({ ...read, rows, digest: createHash("sha256").update(keys.join(" ")).digest("base64url") });
  } finally {
    leave();
  }
}
