import { link, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { syncFile } from "../basics/sync-file.ts";
import { storageTimeoutMs } from "./backend.ts";
import { copyMark, newCopyMark } from "./data-record.ts";
import { openStorage } from "./open-storage.ts";
import { sideFileSuffixes } from "./sqlite-path.ts";
import type { WholeStorage } from "./table.ts";

/** SQLite copies all pages in one transaction. With fewer pages at a time it starts again at each write of another process. */
const allPages = 2 ** 31 - 1;

/**
 * Copies the database file `from` to the new file `to` (mode 0600), as it is at one moment. The work runs in a thread of Node's
 * pool. Other processes can write at the same time; their writes are not in the copy. The copy records that it is one, and when
 * it was made. Rejects if `to` exists, and then leaves no file behind.
 *
 * @param change changes the copy before it appears at `to`
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
  // An earlier attempt may have been interrupted: SQLite would take its journal for the journal of this one.
  await clear();
  await (await open(part, "wx", 0o600)).close();
  try {
    const copiedAt = Date.now();
    const source = new DatabaseSync(from, { timeout: storageTimeoutMs });
    try {
      await backup(source, part, { rate: allPages }).catch((error: unknown) => {
        // The error of a locked database has a message here; the error of `backup()` has none.
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
    // Unlike a rename, a link never replaces another file.
    await link(part, to);
    await syncFile(dirname(to));
  } finally {
    await clear();
  }
}
