import { existsSync } from "node:fs";
import { chmod, copyFile, link, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { leaseTable } from "../alerts/lease.ts";
import { reasonOf } from "../basics/reason.ts";
import { sync } from "../storage/copy-sqlite.ts";
import { type CopyMark, copyMark, dataRecord } from "../storage/data-record.ts";
import { openStorage } from "../storage/open-storage.ts";
import { assertKnown } from "../storage/prepare-data.ts";
import { sqlitePath } from "../storage/sqlite-path.ts";
import { StorageError } from "../storage/table.ts";
import { assertNoBot, runTool, type Tool, ToolError } from "./run-tool.ts";

const otherTools = `Nothing was done: this program puts SQLite files back. Use pg_restore or psql for PostgreSQL, a copy of its files for Redis, or "npm run import -- FILE" with what "npm run export" wrote.`;

/** Throws a {@link ToolError} unless the file is a whole database of Shopbell's. */
function assertSound(path: string, name: string): void {
  try {
    const database = new DatabaseSync(path);
    try {
      const [found] = database.prepare("PRAGMA integrity_check(1)").all();
      if (found?.integrity_check !== "ok") throw new Error("it is damaged");
      const tables = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'shopbell'").all();
      if (tables.length === 0) throw new Error("it is of another program");
    } finally {
      database.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : reasonOf(error);
    throw new ToolError(`${name} is no sound backup: ${reason}. Nothing was changed. Use another backup.`);
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
    await storage.table(leaseTable).clear();
    return mark;
  } finally {
    await storage.close();
  }
}

/** Throws a {@link ToolError} while the database is in use. Closing it as its only user empties its log into the file. */
async function assertUnused({ config, log, say }: Tool, path: string): Promise<void> {
  try {
    const storage = await openStorage(config.storageUrl, log);
    await assertNoBot(storage, say).finally(() => storage.close());
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    say(`${path} cannot be read, so nobody can tell whether a bot works with it: be sure that none does.`);
    return;
  }
  const left = await stat(`${path}-wal`).catch(() => undefined);
  if (left && left.size > 0) {
    throw new ToolError(`Another program has ${path} open. Nothing was changed. End it, then do this again.`);
  }
}

/** Keeps the present database under a name of its own, and puts the other one in its place in one step. */
async function exchange(path: string, next: string): Promise<string | undefined> {
  let aside: string | undefined;
  if (existsSync(path)) {
    aside = `${path}.${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}`;
    await link(path, aside);
    // Of one that cannot be read, the log has the newest entries; of any other one it is empty. It must not meet the copy.
    for (const end of ["-wal", "-shm"]) {
      if (existsSync(path + end)) await rename(path + end, aside + end);
    }
  }
  await rename(next, path);
  await sync(dirname(path));
  return aside;
}

async function restore(tool: Tool): Promise<string> {
  const { config, file, log } = tool;
  const path = sqlitePath(config.storageUrl);
  if (path === undefined) throw new ToolError(otherTools);
  if (!existsSync(file)) throw new ToolError(`There is no file ${file}. Nothing was changed.`);
  const next = `${path}.restoring`;
  const clear = async () => {
    for (const end of ["", "-wal", "-shm"]) await rm(next + end, { force: true });
  };
  await clear();
  try {
    // Of a database that was copied by hand while it was in use, the log belongs to it.
    for (const end of ["", "-wal"]) if (existsSync(file + end)) await copyFile(file + end, next + end);
    await chmod(next, 0o600);
    assertSound(next, file);
    const { copiedAt } = await prepare(next, log);
    await sync(next);
    if (existsSync(path)) await assertUnused(tool, path);
    const aside = await exchange(path, next);
    const asOf = copiedAt === 0 ? "of unknown age" : `as of ${new Date(copiedAt).toISOString()}`;
    const kept = aside === undefined ? "" : ` What was there before is kept as ${aside}.`;
    return `${path} is the backup ${asOf}.${kept} It needs the keys of that time (data/secret.key or SECRET_KEYS). Start the bot: before it posts an order that came before now, it looks in the channel whether that was posted already.`;
  } finally {
    await clear();
  }
}

await runTool("restore", restore);
