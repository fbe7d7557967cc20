import type { Stats } from "node:fs";
import { createRequire, syncBuiltinESMExports } from "node:module";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { currentOwner, type Owner } from "../virtual-time.ts";

/** What the disk does now; `undefined`: all is well. Asked for each statement. */
export interface Disk {
  /** @param writes whether the statement would change the file */
  fault(writes: boolean): "full" | "broken" | "busy" | undefined;
  /** Each statement that changes the file. */
  wrote(sql: string, values: readonly SQLInputValue[]): void;
}

let disk: Disk | undefined;
const opened = new Map<Owner, Set<DatabaseSync>>();
/** What the system says of the files that a history has, by path: none is put in the place of another. */
const looked = new Map<string, Stats>();

export function useDisk(next: Disk): void {
  disk = next;
  looked.clear();
}

/** Ends the connections of a process as the system does when it is killed: what was not committed is undone. */
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

// A RAM disk has no power that fails, nobody reads what was deleted, and a file is replaced only while no process runs.
const needless = new Set(["PRAGMA synchronous = FULL", "PRAGMA secure_delete = ON", "PRAGMA cache_size = 0"]);
/** Empties the log, which SQLite also does by itself from time to time. */
const emptyLog = "PRAGMA wal_checkpoint(TRUNCATE)";

const walMode = "PRAGMA journal_mode = WAL";

/** Whoever is alone with a file holds it until somebody else opens it, and locks nothing for each statement. */
function lock(database: DatabaseSync, mode: "EXCLUSIVE" | "NORMAL"): void {
  // Only a lock of the other kind that was taken before can be given back, and it is taken and given back by what reads.
  database.exec(`SELECT 1 FROM sqlite_master; PRAGMA locking_mode = ${mode}; SELECT 1 FROM sqlite_master`);
}

const changes = /^\s*(?:insert|update|delete|create|drop|replace|begin immediate)/i;
const traced = /^\s*(?:insert|update|delete|replace)/i;

/**
 * Puts a class of its own in the place of Node's, so that each process has its own connections, writes are seen, and the disk
 * can fail. To be called before anything that opens a file is imported.
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
        // Within a transaction, the file is this process's already.
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
