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

export function useDisk(next: Disk): void {
  disk = next;
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

const changes = /^\s*(?:insert|update|delete|create|drop|replace|begin immediate)/i;
const traced = /^\s*(?:insert|update|delete|replace)/i;

/**
 * Puts a class of its own in the place of Node's, so that each process has its own connections, writes are seen, and the disk
 * can fail. To be called before anything that opens a file is imported.
 */
export function installStorage(): void {
  const sqlite = createRequire(import.meta.url)("node:sqlite") as { DatabaseSync: typeof DatabaseSync };
  const Real = sqlite.DatabaseSync;
  class SimulatedDatabase extends Real {
    constructor(...given: ConstructorParameters<typeof DatabaseSync>) {
      super(...given);
      super.exec("PRAGMA synchronous = OFF");
      const owner = currentOwner();
      if (owner === undefined) return;
      const all = opened.get(owner) ?? new Set();
      opened.set(owner, all.add(this));
    }
    override exec(sql: string): void {
      if (!needless.has(sql)) super.exec(sql);
    }
    override prepare(sql: string): ReturnType<DatabaseSync["prepare"]> {
      const statement = super.prepare(sql);
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
  syncBuiltinESMExports();
}
