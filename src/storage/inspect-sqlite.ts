import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { type Backend, storageTimeoutMs } from "./backend.ts";
import { SqliteTable } from "./sqlite-backend.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** A database file as it stands, and where it stands. */
export interface SqliteInspection {
  /** Reads; undefined where there is no such file. */
  readonly backend: Pick<Backend, "tableStore" | "close"> | undefined;
  /** What keeps this user from writing; a sentence without a stop. */
  readonly problem: string | undefined;
  /** Bytes that the disk has left for this user. */
  readonly freeBytes: number;
}

const sizeOf = async (path: string) => (await stat(path).catch(() => undefined))?.size;

/**
 * How SQLite reads the file without writing to anything beside it (https://sqlite.org/uri.html): where there is a log, with
 * the index to it as it stands, of which it makes a copy in memory if nobody keeps it; otherwise as a file that is whole.
 */
async function parametersFor(path: string): Promise<string> {
  if (!(await sizeOf(`${path}-wal`))) return "immutable=1";
  if ((await sizeOf(`${path}-shm`)) !== undefined) return "readonly_shm=1";
  throw new Error("its write-ahead log (-wal) came without its index (-shm); the next start of the bot takes it in");
}

/** Opens the file for each piece of work: it may be written to, emptied or replaced in between. */
function readingConnection(path: string): SqliteConnection {
  return {
    async read(work) {
      const address = pathToFileURL(resolve(path));
      address.search = await parametersFor(path);
      const database = new DatabaseSync(address, { readOnly: true, timeout: storageTimeoutMs });
      try {
        return work((sql, ...parameters) => database.prepare(sql).all(...parameters));
      } finally {
        database.close();
      }
    },
    write: () => Promise.reject(new Error("this storage is only looked at")),
    close: () => Promise.resolve(),
  };
}

const may = (path: string, mode: number) =>
  access(path, mode).then(
    () => true,
    () => false,
  );

/** The nearest directory that is there: the start makes those that lack. */
async function placeOf(path: string): Promise<string> {
  const directory = dirname(resolve(path));
  return (await sizeOf(directory)) === undefined && directory !== dirname(directory) ? placeOf(directory) : directory;
}

/** Looks at the database file at `path` and changes nothing. Throws where a file is there and cannot be read. */
export async function inspectSqlite(path: string): Promise<SqliteInspection> {
  const place = await placeOf(path);
  const { bavail, bsize } = await statfs(place);
  const freeBytes = bavail * bsize;
  const isThere = (await sizeOf(path)) !== undefined;
  const { R_OK, W_OK, X_OK } = constants;
  if (isThere && !(await may(path, R_OK))) throw new Error("this user may not read it");
  const closed = [];
  if (!(await may(place, W_OK | X_OK))) closed.push(place);
  for (const file of [path, `${path}-wal`, `${path}-shm`]) {
    if ((await sizeOf(file)) !== undefined && !(await may(file, W_OK))) closed.push(file);
  }
  const problem = closed.length > 0 ? `this user may not write to ${closed.join(", ")}` : undefined;
  if (!isThere) return { backend: undefined, problem, freeBytes };
  const connection = readingConnection(path);
  await connection.read((run) => run("SELECT 1 FROM shopbell LIMIT 1"));
  return {
    backend: {
      tableStore: (name, shape) => new SqliteTable(connection, name, shape),
      close: connection.close,
    },
    problem,
    freeBytes,
  };
}
