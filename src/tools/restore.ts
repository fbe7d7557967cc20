import { existsSync } from "node:fs";
import { chmod, chown, copyFile, link, mkdir, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { syncDirectory, syncFile } from "../basics/sync-file.ts";
import { partitionsTable } from "../polling/held-partitions.ts";
import { leasesTable } from "../polling/process-lease.ts";
import { storageTimeoutMs } from "../storage/backend.ts";
import { copyStamp, dataRecord } from "../storage/data-record.ts";
import { openStorage } from "../storage/open-storage.ts";
import { assertKnown } from "../storage/prepare-data.ts";
import { isCorrupt } from "../storage/sqlite-file.ts";
import { removeDatabase, sideFiles, sqlitePath } from "../storage/sqlite-path.ts";
import { StorageError } from "../storage/table.ts";
import { clearAtSignal } from "./file-argument.ts";
import { lockOutBotsOrThrow, messageOf, runTool, type Tool } from "./run-tool.ts";
import { ToolError } from "./tool-error.ts";

const otherTools = `Nothing was done: this program puts SQLite files back. Use pg_restore or psql for PostgreSQL, a copy of its files for Redis, or "npm run import -- FILE" with what "npm run export" wrote.`;

function damageOf(path: string): string | undefined {
  try {
    const database = new DatabaseSync(path, { timeout: storageTimeoutMs });
    try {
      const [found] = database.prepare("PRAGMA integrity_check(1)").all();
      if (found?.integrity_check !== "ok") return "it is damaged";
      const table = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'shopbell'").get();
      return table === undefined ? "it is of another program" : undefined;
    } finally {
      database.close();
    }
  } catch (error) {
    return messageOf(error);
  }
}

async function reserve(next: string): Promise<void> {
  const file = await open(next, "wx", 0o600).catch((error: unknown) => {
    throw new ToolError(
      `${next} cannot be made (${messageOf(error)}). Nothing was changed. Another restore may be under way: let it end. Where none runs, delete that file, then do this again.`,
    );
  });
  await file.close();
}

/** Gives the database `next` a copy stamp. Returns the time of the data in `next` (epoch ms; 0 if unknown). */
async function prepare(next: string, log: Tool["log"]): Promise<number> {
  const storage = await openStorage(`sqlite://${next}`, log);
  try {
    assertKnown(await dataRecord.read(storage));
    const found = await copyStamp.read(storage);
    // A file copied by hand has no stamp, or the stamp of an earlier restore.
    const stamp = found !== undefined && found.restoredAt === undefined ? found : { copiedAt: 0 };
    await copyStamp.write(storage, stamp);
    await storage.table(leasesTable).clear();
    await storage.table(partitionsTable).clear();
    return stamp.copiedAt;
  } finally {
    await storage.close();
  }
}

/** A copy that root made belongs to root, so the user of the bot could not open it. */
async function giveOwner(next: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(path).catch(() => stat(dirname(path)));
  await chown(next, uid, gid);
}

/** Closing an unused database also removes its write-ahead log. */
async function assertUnused({ config, log }: Tool, path: string): Promise<void> {
  const uncertain = (why: string) =>
    console.log(`${path} ${why}, so it is not certain that no bot works with it: make sure that none does.`);
  const hasLog = () => existsSync(`${path}-wal`);
  if (!existsSync(path)) {
    if (hasLog()) uncertain("is gone, and left a log behind");
    return;
  }
  try {
    const storage = await openStorage(config.storageUrl, log);
    try {
      // The lockout is not ended: the lease stays in the file for 15 s, so no bot polls while the files are exchanged.
      await lockOutBotsOrThrow(storage);
    } finally {
      await storage.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (isCorrupt(error.cause)) return uncertain("cannot be read");
    throw new ToolError(
      `${path} cannot be worked with now (${messageOf(error.cause)}), so it is not certain that no bot does. Nothing was changed. End what uses it, see to its disk and its permissions, then do this again.`,
    );
  }
  if (hasLog()) {
    throw new ToolError(`Another program has ${path} open. Nothing was changed. End it, then do this again.`);
  }
}

/** Puts `next` in the place of the database in one step. */
async function exchange(path: string, next: string): Promise<string | undefined> {
  const isThere = existsSync(path);
  const logs = sideFiles(path).filter(existsSync);
  const aside = `${path}.${new Date().toISOString().slice(0, 23).replaceAll(/[:.]/g, "-")}`;
  // A disk with FAT or exFAT has no links.
  if (isThere) await link(path, aside).catch(() => copyFile(path, aside));
  // A missing or unreadable database may have left its write-ahead log, which has the newest entries. If the log kept its name,
  // SQLite would apply it to the restored file.
  for (const log of logs) await rename(log, aside + log.slice(path.length));
  await rename(next, path);
  syncDirectory(dirname(path));
  return isThere || logs.length > 0 ? aside : undefined;
}

async function restore(tool: Tool): Promise<string> {
  const { config, file, log } = tool;
  const path = sqlitePath(config.storageUrl);
  if (path === undefined) throw new ToolError(otherTools);
  const next = `${path}.restoring`;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await reserve(next);
  clearAtSignal(next);
  try {
    for (const file of sideFiles(next)) await rm(file, { force: true });
    // A backup that was copied by hand while the bot ran includes a write-ahead log.
    for (const suffix of ["", "-wal"]) if (existsSync(file + suffix)) await copyFile(file + suffix, next + suffix);
    await chmod(next, 0o600);
    const damage = damageOf(next);
    if (damage !== undefined) {
      throw new ToolError(`${file} is no sound backup: ${damage}. Nothing was changed. Use another backup.`);
    }
    const copiedAt = await prepare(next, log);
    await giveOwner(next, path);
    await syncFile(next);
    await assertUnused(tool, path);
    const aside = await exchange(path, next);
    const asOf = copiedAt === 0 ? "of unknown age" : `as of ${new Date(copiedAt).toISOString()}`;
    const kept = aside === undefined ? "" : ` What was there before is kept as ${aside}.`;
    return `${path} is the backup ${asOf}.${kept} It needs the keys of that time (data/secret.key or SECRET_KEYS). Start the bot: before it posts an order that came before now, it looks in the channel whether that was posted already.`;
  } finally {
    await removeDatabase(next);
  }
}

await runTool(
  {
    name: "restore",
    does: "Puts FILE, which npm run backup made, in the place of the SQLite database, and keeps what was there next to it. The bot must not run meanwhile.",
    file: "read",
  },
  restore,
);
