import { open, rm } from "node:fs/promises";
import { backup, DatabaseSync } from "node:sqlite";
import { nameFile, syncFile } from "../basics/sync-file.ts";
import { storageTimeoutMs } from "./backend.ts";
import { copyMark, newCopyMark } from "./data-record.ts";
import { openStorage } from "./open-storage.ts";
import { sideFileSuffixes } from "./sqlite-path.ts";
import type { WholeStorage } from "./table.ts";

/** Makes SQLite copy all pages in one step. Between two steps, a write of another process would restart the copy. */
const allPages = 2 ** 31 - 1;

/**
 * Copies the database file `from` as it is now to the new file `to` (mode 0600), in another thread. The copy has a mark
 * (`copyMark`). Rejects if `to` exists. A failed copy leaves no files.
 *
 * @param change changes the copy before the copy appears at `to`
 */
export async function copySqlite(
  from: string,
  to: string,
  change?: (copy: WholeStorage) => Promise<void>,
): Promise<void> {
  const part = `${to}.part`;
  const clear = async () => {
    for (const suffix of ["", ...sideFileSuffixes]) await rm(part + suffix, { force: true });
  };
  // Files of an interrupted attempt are removed, because SQLite would use their journal for this copy.
  await clear();
  await (await open(part, "wx", 0o600)).close();
  try {
    const copiedAt = Date.now();
    const source = new DatabaseSync(from, { timeout: storageTimeoutMs });
    try {
      await backup(source, part, { rate: allPages }).catch((error: unknown) => {
        // The error of `backup()` has no message. If the database is locked, this statement throws an error with a message.
        source.prepare("SELECT 1 FROM sqlite_master LIMIT 1").all();
        throw error;
      });
    } finally {
      source.close();
    }
    const copy = await openStorage(`sqlite://${part}`, { warn: () => undefined });
    await change?.(copy);
    await copyMark.write(copy, newCopyMark(await copyMark.read(copy), copiedAt));
    await copy.close();
    await syncFile(part);
    await nameFile(part, to);
  } finally {
    await clear();
  }
}
