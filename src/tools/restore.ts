import { existsSync } from "node:fs";
import { chmod, chown, copyFile, link, mkdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { reasonOf } from "../basics/reason.ts";
import { partitionsTable } from "../polling/partitions.ts";
import { leasesTable } from "../polling/process-lease.ts";
import { storageTimeoutMs } from "../storage/backend.ts";
import { type CopyMark, copyMark, dataRecord } from "../storage/data-record.ts";
import { openStorage } from "../storage/open-storage.ts";
import { assertKnown } from "../storage/prepare-data.ts";
import { isCorrupt } from "../storage/sqlite-file.ts";
import { sideFileSuffixes, sqlitePath } from "../storage/sqlite-path.ts";
import { syncFile } from "../storage/sync-file.ts";
import { StorageError } from "../storage/table.ts";
import { keepBotsOut, runTool, type Tool, ToolError } from "./run-tool.ts";

const otherTools = `Nothing was done: this program puts SQLite files back. Use pg_restore or psql for PostgreSQL, a copy of its files for Redis, or "npm run import -- FILE" with what "npm run export" wrote.`;

/** Why a file is no whole database of Shopbell's; undefined where it is one. */
function faultOf(path: string): string | undefined {
  try {
    const database = new DatabaseSync(path, { timeout: storageTimeoutMs });
    try {
      const [found] = database.prepare("PRAGMA integrity_check(1)").all();
      if (found?.integrity_check !== "ok") return "it is damaged";
      const tables = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'shopbell'").all();
      return tables.length === 0 ? "it is of another program" : undefined;
    } finally {
      database.close();
    }
  } catch (error) {
    return error instanceof Error ? error.message : reasonOf(error);
  }
}

/** What is written into a copy before it is put in place; it gives the mark that the copy then has. */
async function prepare(path: string, log: Tool["log"]): Promise<CopyMark> {
  const storage = await openStorage(`sqlite://${path}`, log);
  try {
    assertKnown(await dataRecord.read(storage));
    const found = await copyMark.read(storage);
    // A file that was copied by hand does not say when that was.
    const mark = found !== undefined && found.restoredAt === undefined ? found : { copiedAt: 0 };
    await copyMark.write(storage, mark);
    // Whoever polled when the copy was made does not do so now.
    await storage.table(leasesTable).clear();
    await storage.table(partitionsTable).clear();
    return mark;
  } finally {
    await storage.close();
  }
}

/** A copy made by root would be closed to the bot's user: it gets the owner of what it replaces, or of the directory. */
async function giveOwner(next: string, path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(path).catch(() => stat(dirname(path)));
  await chown(next, uid, gid);
}

const nobodyKnows = (path: string, why: string) =>
  `${path} ${why}, so nobody can tell whether a bot works with it: be sure that none does.`;

/** Throws a {@link ToolError} while the database is in use. Closing it as its only user takes its log away. */
async function assertUnused({ config, log, say }: Tool, path: string): Promise<void> {
  try {
    const storage = await openStorage(config.storageUrl, log);
    try {
      const keptOut = await keepBotsOut(storage, say);
      // It stays in the file: nobody claims it for another 15 s, of which the exchange takes a moment.
      await keptOut.end({ release: false });
    } finally {
      await storage.close();
    }
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    if (!isCorrupt(error.cause)) {
      const reason = error.cause instanceof Error ? error.cause.message : reasonOf(error.cause);
      throw new ToolError(
        `${path} cannot be worked with now (${reason}), so nobody can tell whether a bot does. Nothing was changed. End what uses it, see to its disk and its permissions, then do this again.`,
      );
    }
    say(nobodyKnows(path, "cannot be read"));
    return;
  }
  if (existsSync(`${path}-wal`)) {
    throw new ToolError(`Another program has ${path} open. Nothing was changed. End it, then do this again.`);
  }
}

/** Keeps what is there under a name of its own, and puts the other database in its place in one step. */
async function exchange(path: string, next: string): Promise<string | undefined> {
  const isThere = existsSync(path);
  const logs = sideFileSuffixes.filter((end) => existsSync(path + end));
  const aside = `${path}.${new Date().toISOString().slice(0, 23).replaceAll(/[:.]/g, "-")}`;
  if (isThere) await link(path, aside);
  // Of a database that cannot be read, or is gone, the log has the newest entries. It must not meet the copy.
  for (const end of logs) await rename(path + end, aside + end);
  await rename(next, path);
  await syncFile(dirname(path));
  return isThere || logs.length > 0 ? aside : undefined;
}

/** Throws a {@link ToolError} unless what is in place now is read as the copy that was put there. */
async function assertInPlace(path: string, { copiedAt }: CopyMark, log: Tool["log"]): Promise<void> {
  let fault = faultOf(path);
  if (fault === undefined) {
    const storage = await openStorage(`sqlite://${path}`, log);
    const found = await copyMark.read(storage).finally(() => storage.close());
    if (found?.copiedAt !== copiedAt) fault = "another program has written to it";
  }
  if (fault === undefined) return;
  throw new ToolError(
    `The backup was put in place, but ${path} is not sound there: ${fault}. Do not start the bot. What was there before is kept beside it. End whatever else uses it, then do this again.`,
  );
}

async function restore(tool: Tool): Promise<string> {
  const { config, file, log } = tool;
  const path = sqlitePath(config.storageUrl);
  if (path === undefined) throw new ToolError(otherTools);
  const next = `${path}.restoring`;
  const clear = async () => {
    for (const end of ["", ...sideFileSuffixes]) await rm(next + end, { force: true });
  };
  await clear();
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  try {
    // Of a database that was copied by hand while it was in use, the log belongs to it.
    for (const end of ["", "-wal"]) if (existsSync(file + end)) await copyFile(file + end, next + end);
    await chmod(next, 0o600);
    const fault = faultOf(next);
    if (fault !== undefined) {
      throw new ToolError(`${file} is no sound backup: ${fault}. Nothing was changed. Use another backup.`);
    }
    const mark = await prepare(next, log);
    await giveOwner(next, path);
    await syncFile(next);
    if (existsSync(path)) await assertUnused(tool, path);
    else if (existsSync(`${path}-wal`)) tool.say(nobodyKnows(path, "is gone, and left a log behind"));
    const aside = await exchange(path, next);
    await assertInPlace(path, mark, log);
    const { copiedAt } = mark;
    const asOf = copiedAt === 0 ? "of unknown age" : `as of ${new Date(copiedAt).toISOString()}`;
    const kept = aside === undefined ? "" : ` What was there before is kept as ${aside}.`;
    return `${path} is the backup ${asOf}.${kept} It needs the keys of that time (data/secret.key or SECRET_KEYS). Start the bot: before it posts an order that came before now, it looks in the channel whether that was posted already.`;
  } finally {
    await clear();
  }
}

await runTool(
  {
    name: "restore",
    does: "Puts FILE, which npm run backup made, in the place of the SQLite database, and keeps what was there beside it. The bot must not run meanwhile.",
    file: "read",
  },
  restore,
);
