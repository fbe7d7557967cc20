import { link, open, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { syncFile } from "../basics/sync-file.ts";
import { storageTimeoutMs } from "./backend.ts";
import { copyMark, newCopyMark } from "./data-record.ts";
import { openStorage } from "./open-storage.ts";
import { sideFileSuffixes } from "./sqlite-path.ts";
import type { WholeStorage } from "./table.ts";

/** Pages that SQLite copies in one transaction: all of them. With fewer it begins again at each write of another process. */
const allPages = 2 ** 31 - 1;

/**
 * Copies the database file `from`, as it stands at one moment, to the new file `to` (mode 0600), in a thread of Node's pool, also
 * while other processes write: they wait for nothing, and what they write meanwhile is not in it. The copy says of itself that it is
 * one, and when it was made. Rejects, and leaves no file, where `to` exists already.
 *
 * @param change changes the copy before it is there
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
  // An earlier attempt may have been cut short: SQLite would take its journal for this one's.
  await clear();
  await (await open(part, "wx", 0o600)).close();
  try {
    const copiedAt = Date.now();
    const source = new DatabaseSync(from, { timeout: storageTimeoutMs });
    try {
      await backup(source, part, { rate: allPages }).catch((error: unknown) => {
        // What is locked fails here in words, which backup() does not have for it.
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
    // Unlike a rename, a link never takes the place of another file.
    await link(part, to);
    await syncFile(dirname(to));
  } finally {
    await clear();
  }
}
