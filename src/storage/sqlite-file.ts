import { closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";
import { syncDirectory } from "../basics/sync-file.ts";

/** Runs one statement. It blocks the whole process. */
export type Run = (sql: string, ...parameters: SQLInputValue[]) => Record<string, SQLOutputValue>[];

const inMemory = ":memory:";
// Primary result codes, https://sqlite.org/rescode.html
const busyCode = 5;
// READONLY, IOERR, CORRUPT, CANTOPEN, NOTADB. After such an error, the connection may stay broken. A new connection may work.
const brokenCodes = new Set([8, 10, 11, 14, 26]);
// CORRUPT, NOTADB
const unsoundCodes = new Set([11, 26]);

function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

export const isBusy = (error: unknown): boolean => resultCode(error) === busyCode;

export function isCorrupt(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && unsoundCodes.has(code);
}

/** The mode of an existing file stays, because its owner has chosen it. */
function createFile(path: string): void {
  if (existsSync(path)) return;
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  syncDirectory(directory);
}

/** Returns a text that changes if another file replaces this one. Throws if the file is missing, a directory or a device. */
export function fileIdentity(path: string): string {
  if (path === inMemory) return inMemory;
  const found = statSync(path);
  if (!found.isFile()) throw new Error("it is no file");
  return `${found.dev}:${found.ino}`;
}

/** Throws if another program made the database. */
export function hasTable(run: Run): boolean {
  const [found] = run("SELECT count(*) AS any, count(*) FILTER (WHERE name = 'shopbell') AS own FROM sqlite_master");
  if (found?.own === 0 && found.any !== 0) throw new Error("it is the database of another program");
  return found?.own !== 0;
}

type Connection = ReturnType<typeof connect>;

function connect(path: string) {
  // If SQLite waited for a lock, it would block the whole process. So the caller waits.
  const database = new DatabaseSync(path, { timeout: 0 });
  // SQL texts contain no data, so there are only about a dozen different statements.
  const statements = new Map<string, StatementSync>();
  const run: Run = (sql, ...parameters) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...parameters);
  };
  try {
    hasTable(run);
    database.exec("PRAGMA journal_mode = WAL");
    // With WAL, anything less than FULL may lose the last commits in a power failure (https://sqlite.org/pragma.html).
    database.exec("PRAGMA synchronous = FULL");
    // Deleted data must not stay readable in free pages.
    database.exec("PRAGMA secure_delete = ON");
    // With a cache, SQLite would not notice that another program overwrote the file, and writes would be lost.
    database.exec("PRAGMA cache_size = 0");
  } catch (error) {
    database.close();
    throw error;
  }
  return { database, run };
}

/**
 * Opens a database file, and opens it again if it was replaced or an error broke the connection. The methods do not
 * wait for a lock: they throw if the file is missing, broken or locked.
 */
export function openSqliteFile(path: string) {
  if (path !== inMemory) createFile(path);
  let identity = fileIdentity(path);
  let open: Connection | undefined;
  let closed = false;

  const abandon = () => {
    if (path === inMemory) return;
    const broken = open;
    open = undefined;
    try {
      broken?.database.close();
    } catch {
      // A broken connection has nothing to save.
    }
  };

  const connected = (): Connection => {
    if (closed) throw new Error("the database is closed");
    // If the file was replaced, SQLite would still write to the old file, and these writes would be lost.
    const found = fileIdentity(path);
    if (found !== identity) abandon();
    identity = found;
    open ??= connect(path);
    return open;
  };

  const using = <Result>(work: (connection: Connection) => Result, connection = connected): Result => {
    try {
      return work(connection());
    } catch (error) {
      const code = resultCode(error);
      if (code !== undefined && brokenCodes.has(code)) abandon();
      // After some errors, for example a full disk, SQLite itself has ended the transaction.
      else if (open?.database.isTransaction) open.database.exec("ROLLBACK");
      throw error;
    }
  };

  return {
    run: <Result>(work: (run: Run) => Result): Result => using(({ run }) => work(run)),
    transaction: <Result>(work: (run: Run) => Result): Result =>
      using(({ run }) => {
        run("BEGIN IMMEDIATE");
        const result = work(run);
        run("COMMIT");
        return result;
      }),
    /** Moves the write-ahead log into the file. Returns false if another process prevents this. */
    emptyLog(): boolean {
      // Here the identity is checked only once. While another program replaces the file, a second check could find the new file
      // next to the old log. SQLite would then use the old log for the new file.
      const current = open;
      if (current === undefined || fileIdentity(path) !== identity) return true;
      return using(
        ({ run }) => run("PRAGMA wal_checkpoint(TRUNCATE)")[0]?.busy !== 1,
        () => current,
      );
    },
    close(): void {
      closed = true;
      open?.database.close();
      open = undefined;
    },
  };
}
