import { ConflictError } from "../orders/conflict-error.ts";
import { absent, type Row, type Step, type Storage, type Table } from "../storage/table.ts";
import type { Lease } from "./lease.ts";

/** What every commit expects, and what is done where one was refused. */
export interface Fence {
  /** Throws `ConflictError` where the lease is over. */
  expected(): readonly Step[];
  refused(): Promise<void>;
}

/**
 * @param isAnyway also where another process has changed what is kept for the server meanwhile
 * @param isAsked whether a person waits for what is written now: that needs no lease
 */
export const fenceOf = (lease: Lease, isAnyway: boolean, isAsked = () => false): Fence => ({
  expected() {
    const steps = lease.fence(isAnyway) ?? (isAsked() ? [] : undefined);
    if (steps === undefined) throw new ConflictError();
    return steps;
  },
  refused: () => lease.refused(),
});

/** A class: there are a dozen for each server that is polled. */
class FencedTable<T> implements Table<T> {
  private readonly table: Table<T>;
  private readonly commit: (steps: readonly Step[]) => Promise<boolean>;

  constructor(table: Table<T>, commit: (steps: readonly Step[]) => Promise<boolean>) {
    this.table = table;
    this.commit = commit;
  }

  /** Whatever was there before. */
  private async write(keys: readonly string[], step: (row: Row<unknown>) => Step): Promise<void> {
    if (keys.length === 0) return;
    for (;;) {
      const rows = await this.table.versions(keys);
      if (await this.commit(keys.map((key, index) => step(rows[index] ?? absent(key))))) return;
    }
  }

  get(key: string) {
    return this.table.get(key);
  }

  getMany(keys: readonly string[]) {
    return this.table.getMany(keys);
  }

  entries() {
    return this.table.entries();
  }

  set(key: string, value: T, options?: Parameters<Table<T>["set"]>[2]) {
    return this.write([key], (row) => this.table.put(row, value, options));
  }

  setMany(entries: Parameters<Table<T>["setMany"]>[0]) {
    const values = new Map(entries);
    return this.write([...values.keys()], (row) => this.table.put(row, values.get(row.key) as T));
  }

  delete(key: string) {
    return this.deleteMany([key]);
  }

  deleteMany(keys: readonly string[]) {
    return this.write(keys, (row) => (row.version === undefined ? this.table.expect(row) : this.table.remove(row)));
  }

  clear() {
    return this.table.clear();
  }

  read(keys: readonly string[]) {
    return this.table.read(keys);
  }

  versions(keys: readonly string[]) {
    return this.table.versions(keys);
  }

  expect(row: Row<unknown>) {
    return this.table.expect(row);
  }

  put(...args: Parameters<Table<T>["put"]>) {
    return this.table.put(...args);
  }

  remove(row: Row<unknown>) {
    return this.table.remove(row);
  }

  written(step: Step) {
    return this.table.written(step);
  }
}

/**
 * The storage as one server's poller writes to it: a process that has lost the lease records nothing. Writes throw
 * `ConflictError` then.
 *
 * @param commits what every commit expects
 * @param writes what every other write expects, which says nothing of what else is kept
 */
export function fencedStorage(storage: Storage, commits: Fence, writes: Fence): Storage {
  const commitBy = (fence: Fence) => async (steps: readonly Step[]) => {
    const isCommitted = await storage.commit([...fence.expected(), ...steps]);
    if (!isCommitted) await fence.refused();
    return isCommitted;
  };
  const write = commitBy(writes);
  return {
    table: (shape, part) => new FencedTable(storage.table(shape, part), write),
    commit: commitBy(commits),
    close: () => storage.close(),
  };
}
