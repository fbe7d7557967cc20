import { open } from "node:fs/promises";
import { backup, DatabaseSync } from "node:sqlite";
import { syncFile } from "../basics/sync-file.ts";
import { storageTimeoutMs } from "./backend.ts";
import { copyStamp, newCopyStamp } from "./data-record.ts";
import { openStorage } from "./open-storage.ts";
import { removeDatabase } from "./sqlite-path.ts";
import type { WholeStorage } from "./table.ts";

/** Makes SQLite copy all pages in one step. Between two steps, a write of another process would restart the copy. */
const allPages = 2 ** 31 - 1;

/**
 * Copies the database file `from` as it is now to the new file `to` (mode 0600), in another thread, and calls `change` with the
 * copy. It has a stamp (`copyStamp`). Only the caller may know `to`, because the file is incomplete at first. A failed copy
 * leaves no files.
 */
export async function copySqlite(
  from: string,
  to: string,
  change?: (copy: WholeStorage) => Promise<void>,
): Promise<void> {
  await (await open(to, "wx", 0o600)).close();
  try {
    const copiedAt = Date.now();
    const source = new DatabaseSync(from, { timeout: storageTimeoutMs });
    try {
      await backup(source, to, { rate: allPages }).catch((error: unknown) => {
        // The error of `backup()` has no message. If the database is locked, this statement throws an error with a message.
        source.prepare("SELECT 1 FROM sqlite_master LIMIT 1").all();
        throw error;
      });
    } finally {
      source.close();
    }
    const copy = await openStorage(`sqlite://${to}`, { warn: () => undefined });
    await change?.(copy);
    await copyStamp.write(copy, newCopyStamp(await copyStamp.read(copy), copiedAt));
    await copy.close();
    await syncFile(to);
  } catch (error) {
    await removeDatabase(to);
    throw error;
  }
}
