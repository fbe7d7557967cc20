import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { PATIENCE_MS } from "./backend.ts";

export type Query = (sql: string, ...parameters: unknown[]) => Promise<unknown[]>;

/** One connection to one database file. Statements run one after another. */
export interface SqliteConnection {
  query: Query;
  /** Everything that `work` does with its own `query` is kept, or nothing is. */
  transaction<Result>(work: (query: Query) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

const MEMORY = ":memory:";
const RETRY_MS = 25;
// Primary result codes, https://sqlite.org/rescode.html
const BUSY = 5;
// READONLY, IOERR, CORRUPT, CANTOPEN, NOTADB: this connection may never work again, a new one may.
const BROKEN = new Set([8, 10, 11, 14, 26]);

function resultCode(error: unknown): number | undefined {
  const code = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof code === "number" ? code & 0xff : undefined;
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
  if (path === MEMORY) return MEMORY;
  const { dev, ino } = statSync(path);
  return `${dev}:${ino}`;
}

function connect(path: string): DatabaseSync {
  // Waiting for a lock happens between statements, below: inside SQLite it would hold up the whole process.
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = WAL");
    // With WAL, anything less may lose the last commits when the power fails (https://sqlite.org/pragma.html).
    database.exec("PRAGMA synchronous = FULL");
    // What was deleted for a server that left must not stay readable in free pages.
    database.exec("PRAGMA secure_delete = ON");
    // A page that stayed in memory would hide that the file has been overwritten, and writes would go to a ruin.
    database.exec("PRAGMA cache_size = 0");
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Opens the database file at `path` (or `:memory:`), and creates it with mode 0600 where there is none. A lock of
 * another process is waited for up to {@link PATIENCE_MS}. When the file is found broken, missing or replaced, every
 * statement rejects until there is a sound one in its place.
 */
export function createSqliteConnection(path: string): SqliteConnection {
  if (path !== MEMORY) createFile(path);
  let identity = fileIdentity(path);
  let open: DatabaseSync | undefined;
  let closed = false;
  let last: Promise<unknown> = Promise.resolve();

  const abandon = () => {
    if (path === MEMORY) return;
    const broken = open;
    open = undefined;
    try {
      broken?.close();
    } catch {
      // Already broken: there is nothing left to save in it.
    }
  };

  const database = (): DatabaseSync => {
    if (closed) throw new Error("the database is closed");
    // SQLite goes on reading and writing a file that was deleted or replaced under it, and all of that would be lost.
    const found = fileIdentity(path);
    if (found !== identity) abandon();
    identity = found;
    open ??= connect(path);
    return open;
  };

  const attempt = async <Result>(deadline: number, work: (database: DatabaseSync) => Result): Promise<Result> => {
    for (;;) {
      try {
        return work(database());
      } catch (error) {
        const code = resultCode(error);
        if (code !== undefined && BROKEN.has(code)) abandon();
        if (code !== BUSY || performance.now() >= deadline) throw error;
        await delay(RETRY_MS);
      }
    }
  };

  const inTurn = <Result>(work: (deadline: number) => Promise<Result>): Promise<Result> => {
    const deadline = performance.now() + PATIENCE_MS;
    const turn = last.then(
      () => work(deadline),
      () => work(deadline),
    );
    last = turn;
    return turn;
  };

  const queryBy =
    (deadline: number): Query =>
    (sql, ...parameters) =>
      attempt(deadline, (connection) => connection.prepare(sql).all(...(parameters as SQLInputValue[])));

  return {
    query: (sql, ...parameters) => inTurn((deadline) => queryBy(deadline)(sql, ...parameters)),
    transaction: (work) =>
      inTurn(async (deadline) => {
        const query = queryBy(deadline);
        await query("BEGIN IMMEDIATE");
        try {
          const result = await work(query);
          await query("COMMIT");
          return result;
        } catch (error) {
          // A full disk or a broken file has already ended the transaction.
          if (open?.isTransaction) open.exec("ROLLBACK");
          throw error;
        }
      }),
    close: () =>
      inTurn(async () => {
        closed = true;
        open?.close();
        open = undefined;
      }),
  };
}
