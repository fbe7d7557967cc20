import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from "node:sqlite";

/** Runs one statement and gives its rows. It holds up the whole process for as long as it takes. */
export type Run = (sql: string, ...parameters: SQLInputValue[]) => Record<string, SQLOutputValue>[];

/** One database file, opened again whenever that is needed. Nothing in it waits. */
export interface SqliteFile {
  /** Throws when the file is missing or broken, or another process holds it; then nothing of a transaction is kept. */
  run<Result>(work: (run: Run) => Result): Result;
  /** As {@link SqliteFile.run}, but everything that `work` does is kept, or nothing is. */
  transaction<Result>(work: (run: Run) => Result): Result;
  /** Copies the write-ahead log into the file and cuts it to nothing; false where another process is in the way. Opens nothing. */
  emptyLog(): boolean;
  close(): void;
}

const inMemory = ":memory:";
// Primary result codes, https://sqlite.org/rescode.html
const busyCode = 5;
// READONLY, IOERR, CORRUPT, CANTOPEN, NOTADB: this connection may never work again, a new one may.
const brokenCodes = new Set([8, 10, 11, 14, 26]);
// CORRUPT, NOTADB
const unsoundCodes = new Set([11, 26]);

function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
}

/** Whether it failed because another process holds the file: it may work a moment later. */
export const isBusy = (error: unknown): boolean => resultCode(error) === busyCode;

/** Whether it failed because the file is damaged, or no database: no later attempt can read it. */
export function isCorrupt(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && unsoundCodes.has(code);
}

function createFile(path: string): void {
  const directory = dirname(path);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  chmodSync(path, 0o600);
  const handle = openSync(directory, "r");
  fsyncSync(handle);
  closeSync(handle);
}

function fileIdentity(path: string): string {
  if (path === inMemory) return inMemory;
  const { dev, ino } = statSync(path);
  return `${dev}:${ino}`;
}

interface Connection {
  readonly database: DatabaseSync;
  readonly run: Run;
}

function connect(path: string): Connection {
  // Waiting for a lock happens between statements: inside SQLite it would hold up the whole process.
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = WAL");
    // With WAL, anything less may lose the last commits when the power fails (https://sqlite.org/pragma.html).
    database.exec("PRAGMA synchronous = FULL");
    // What was deleted for a server that left must not stay readable in free pages.
    database.exec("PRAGMA secure_delete = ON");
    // A page that stayed in memory would hide that the file has been overwritten, and writes would be lost.
    database.exec("PRAGMA cache_size = 0");
  } catch (error) {
    database.close();
    throw error;
  }
  // One for each text of a statement: there are about a dozen, and none contains data.
  const statements = new Map<string, StatementSync>();
  const run: Run = (sql, ...parameters) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    return statement.all(...parameters);
  };
  return { database, run };
}

/**
 * The database file at `path` (or `:memory:`), created with mode 0600 where there is none. When it is found broken,
 * missing or replaced, everything throws until there is a sound one in its place.
 *
 * @param onOpen called each time that it was opened, which may have found the log of a process that crashed
 */
export function openSqliteFile(path: string, onOpen: () => void): SqliteFile {
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
      // Already broken: there is nothing left to save in it.
    }
  };

  const connected = (): Connection => {
    if (closed) throw new Error("the database is closed");
    // SQLite goes on reading and writing a file that was deleted or replaced: all of that would be lost.
    const found = fileIdentity(path);
    if (found !== identity) abandon();
    identity = found;
    if (open === undefined) {
      open = connect(path);
      onOpen();
    }
    return open;
  };

  const using = <Result>(work: (connection: Connection) => Result, connection = connected): Result => {
    try {
      return work(connection());
    } catch (error) {
      const code = resultCode(error);
      if (code !== undefined && brokenCodes.has(code)) abandon();
      // A full disk or a broken file has already ended the transaction.
      else if (open?.database.isTransaction) open.database.exec("ROLLBACK");
      throw error;
    }
  };

  return {
    run: (work) => using(({ run }) => work(run)),
    transaction: (work) =>
      using(({ run }) => {
        run("BEGIN IMMEDIATE");
        const result = work(run);
        run("COMMIT");
        return result;
      }),
    emptyLog() {
      // Another program puts a new file in its place in steps. So the identity is checked once only: a second check may see the
      // new file, and would open it next to the log of the old one.
      const current = open;
      if (current === undefined || fileIdentity(path) !== identity) return true;
      return using(
        ({ run }) => run("PRAGMA wal_checkpoint(TRUNCATE)")[0]?.busy !== 1,
        () => current,
      );
    },
    close() {
      closed = true;
      open?.database.close();
      open = undefined;
    },
  };
}
