import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { codeOf } from "../basics/reason.ts";
import { type Backend, storageTimeoutMs } from "./backend.ts";
import { storageOperation } from "./keyv-table.ts";
import { openBackend, storageOf } from "./open-storage.ts";
import { sqliteTables } from "./sqlite-backend.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { fileIdentity, hasTable } from "./sqlite-file.ts";
import { sideFiles, sqlitePath } from "./sqlite-path.ts";
import type { Storage } from "./table.ts";

const refuse = () => Promise.reject(new Error("this storage is only inspected"));

const readingStorage = (backend: Backend): Storage => storageOf({ ...backend, commit: refuse, clear: refuse });

const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size;

/**
 * Parameters with which SQLite changes nothing (https://sqlite.org/uri.html). Without its index, a write-ahead log cannot be
 * read in this way.
 */
async function parametersFor(path: string): Promise<string> {
  if (!(await sizeOf(`${path}-wal`))) return "immutable=1";
  if ((await sizeOf(`${path}-shm`)) !== undefined) return "readonly_shm=1";
  throw new Error("its write-ahead log (-wal) came without its index (-shm); the next start of the bot takes it in");
}

/** Opens the file for each read, because another program may write or replace it between reads. */
function readingConnection(path: string): SqliteConnection {
  return {
    async read(work) {
      fileIdentity(path);
      const address = pathToFileURL(resolve(path));
      address.search = await parametersFor(path);
      const database = new DatabaseSync(address, { readOnly: true, timeout: storageTimeoutMs });
      try {
        return work((sql, ...parameters) => database.prepare(sql).all(...parameters));
      } finally {
        database.close();
      }
    },
    write: refuse,
    close: () => Promise.resolve(),
  };
}

const may = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  );

/** The nearest directory above `path` that exists. The bot creates the missing ones at its start. */
async function existingDirectory(path: string): Promise<string> {
  const directory = dirname(resolve(path));
  const isTop = directory === dirname(directory);
  return isTop || (await sizeOf(directory)) !== undefined ? directory : existingDirectory(directory);
}

async function inspectSqlite(path: string) {
  const directory = await existingDirectory(path);
  const { bavail, bsize } = await statfs(directory);
  const freeBytes = bavail * bsize;
  const isThere = (await sizeOf(path)) !== undefined;
  const { R_OK, W_OK, X_OK } = constants;
  if (isThere && !(await may(path, R_OK))) throw new Error("this user may not read it");
  const closed = [];
  if (!(await may(directory, W_OK | X_OK))) closed.push(directory);
  for (const file of [path, ...sideFiles(path)]) {
    if ((await sizeOf(file)) !== undefined && !(await may(file, W_OK))) closed.push(file);
  }
  const problem =
    closed.length > 0
      ? `this user may not write to ${closed.join(", ")}; let the user of the bot write there (and run this as that user)`
      : undefined;
  if (!isThere) return { storage: undefined, problem, freeBytes };
  const connection = readingConnection(path);
  if (!(await connection.read(hasTable))) return { storage: undefined, problem, freeBytes };
  return { storage: readingStorage({ ...sqliteTables(connection), close: connection.close }), problem, freeBytes };
}

async function openServer(url: string): Promise<Backend | undefined> {
  // A failed request throws its error, so its warning is not needed.
  const quiet = { warn: () => undefined };
  try {
    return await openBackend(url, quiet, false);
  } catch (error) {
    // The first start of the bot creates the table.
    if (codeOf(error) === "42P01") return undefined;
    throw error;
  }
}

/**
 * Inspects a storage without any change, even while a bot works with it. Throws a `StorageError` if the storage cannot be
 * reached or read.
 *
 * @param url as in `openStorage`, but not `sqlite://:memory:`
 * @returns `storage`: its writes throw; undefined if there is no file or table yet. `problem`: as `Backend.problem`.
 * `freeBytes`: free space on the disk; undefined if the storage is no file
 */
export function inspectStorage(url: string) {
  return storageOperation("inspect", async () => {
    const path = sqlitePath(url);
    if (path !== undefined) return inspectSqlite(path);
    const backend = await openServer(url);
    return { storage: backend && readingStorage(backend), problem: await backend?.problem?.(), freeBytes: undefined };
  });
}
