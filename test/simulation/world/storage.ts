import type { Stats } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { currentOwner, type Owner } from "../virtual-time.ts";

/** The simulated disk. */
export interface Disk {
  /**
   * Called before each statement. Returns undefined if the disk has no fault.
   *
   * @param writes whether the statement would change the file
   */
  fault(writes: boolean): "full" | "broken" | "busy" | undefined;
  /** Called after each statement that changes the file. */
  wrote(sql: string, values: readonly SQLInputValue[]): void;
}

let disk: Disk | undefined;
const opened = new Map<Owner, Set<DatabaseSync>>();
/** The result of `stat` for each path. Cached, because the bot reads only the file's identity, which a restored copy keeps. */
const looked = new Map<string, Stats>();

export function useDisk(next: Disk): void {
  disk = next;
  looked.clear();
}

/** Closes the connections of a killed process, and undoes its open transactions, as the system does. */
export function closeFilesOf(owner: Owner): void {
  for (const database of opened.get(owner) ?? []) {
    if (!database.isOpen) continue;
    if (database.isTransaction) database.exec("ROLLBACK");
    database.close();
  }
  opened.delete(owner);
}

// https://sqlite.org/rescode.html
const codes = { busy: 5, broken: 10, full: 13 } as const;

function failIfBroken(writes: boolean): void {
  const fault = currentOwner() === undefined ? undefined : disk?.fault(writes);
  if (fault === undefined) return;
  throw Object.assign(new Error(`the disk is ${fault}`), { code: "ERR_SQLITE_ERROR", errcode: codes[fault] });
}

// These statements are skipped. A RAM disk has no power failure, nobody reads deleted data, and a file is replaced only
// while no process runs.
const needless = new Set(["PRAGMA synchronous = FULL", "PRAGMA secure_delete = ON", "PRAGMA cache_size = 0"]);
/** Empties the write-ahead log. This statement is skipped, too, because SQLite empties the log by itself at times. */
const emptyLog = "PRAGMA wal_checkpoint(TRUNCATE)";

const walMode = "PRAGMA journal_mode = WAL";

/** A process that is alone with a file keeps the file locked (EXCLUSIVE), so it need not lock the file for each statement. */
function lock(database: DatabaseSync, mode: "EXCLUSIVE" | "NORMAL"): void {
  // SQLite changes its lock only at the next read, so a read comes before and after the statement.
  database.exec(`SELECT 1 FROM sqlite_master; PRAGMA locking_mode = ${mode}; SELECT 1 FROM sqlite_master`);
}

const changes = /^\s*(?:insert|update|delete|create|drop|replace|begin immediate)/i;
const traced = /^\s*(?:insert|update|delete|replace)/i;

/**
 * Replaces Node's SQLite class. Each process has its own connections, writes are recorded, and the disk can fail. Call
 * it before importing anything that opens a database.
 */
export function installStorage(): void {
  const load = createRequire(import.meta.url);
  const sqlite = load("node:sqlite") as { DatabaseSync: typeof DatabaseSync };
  const Real = sqlite.DatabaseSync;
  class SimulatedDatabase extends Real {
    private readonly isAlone: boolean;

    constructor(...given: ConstructorParameters<typeof DatabaseSync>) {
      super(...given);
      const others = [...opened.values()].flatMap((databases) => [...databases]).filter(({ isOpen }) => isOpen);
      for (const other of others) lock(other, "NORMAL");
      this.isAlone = others.length === 0;
      super.exec("PRAGMA synchronous = OFF");
      const owner = currentOwner();
      if (owner === undefined) return;
      const all = opened.get(owner) ?? new Set();
      opened.set(owner, all.add(this));
    }
    override exec(sql: string): void {
      if (!needless.has(sql)) super.exec(sql);
      if (sql === walMode && this.isAlone && currentOwner() !== undefined) lock(this, "EXCLUSIVE");
    }
    override prepare(sql: string): ReturnType<DatabaseSync["prepare"]> {
      const statement = super.prepare(sql === emptyLog ? "SELECT 0 AS busy" : sql);
      const all = statement.all.bind(statement) as (...values: SQLInputValue[]) => ReturnType<typeof statement.all>;
      const isWriting = changes.test(sql);
      const isTraced = traced.test(sql);
      statement.all = (...values: unknown[]) => {
        // In a transaction this process has the lock already.
        failIfBroken(isWriting && !this.isTransaction);
        const rows = all(...(values as SQLInputValue[]));
        if (isTraced) disk?.wrote(sql, values as SQLInputValue[]);
        return rows;
      };
      return statement;
    }
  }
  sqlite.DatabaseSync = SimulatedDatabase;
  const fs = load("node:fs") as { statSync: (path: string, options?: object) => Stats };
  const { statSync } = fs;
  fs.statSync = (path, options) => {
    if (options !== undefined || !path.endsWith(".sqlite")) return statSync(path, options);
    const found = looked.get(path) ?? statSync(path);
    looked.set(path, found);
    return found;
  };
  syncBuiltinESMExports();
}
