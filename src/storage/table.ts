import type { z } from "zod";

export interface WriteOptions {
  /** Milliseconds after which the entry expires. If undefined, the entry never expires. */
  readonly ttlMs?: number;
}

/** What a read found at a key: an entry, or none. A commit compares the row's version with the stored one. */
export interface Row<T> {
  readonly key: string;
  /** Undefined if there is no entry. */
  readonly value: T | undefined;
  /** A hash of the stored text. Undefined if there is no entry. "any" always matches, even if there is no entry. */
  readonly version: string | undefined;
}

/** Returns the row of a key without an entry. */
export const absent = (key: string): Row<never> => ({ key, value: undefined, version: undefined });

/** Returns a row whose version always matches. */
export const anyVersion = (key: string): Row<never> => ({ key, value: undefined, version: "any" });

/** One part of a commit: the version that a row must have, and the change of the row. Tables create steps. */
export interface Step {
  readonly table: string;
  readonly key: string;
  /** The version that the row must have, as in {@link Row}. */
  readonly version: string | undefined;
  /** The change of the row. Undefined if there is none. If `raw` is undefined, the row is removed. `expires` is epoch ms. */
  readonly write: { readonly raw: string | undefined; readonly expires: number | undefined } | undefined;
}

/**
 * One named set of entries. Every method throws a {@link StorageError} if the database fails. So if a read returns undefined,
 * there is no such entry.
 */
export interface Table<T> {
  get(key: string): Promise<T | undefined>;
  getMany(keys: readonly string[]): Promise<(T | undefined)[]>;
  set(key: string, value: T, options?: WriteOptions): Promise<void>;
  setMany(entries: readonly (readonly [key: string, value: T])[]): Promise<void>;
  delete(key: string): Promise<void>;
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Yields every entry as `read` returns it. It reads the whole table, so polls may use it only for small tables. */
  rows(): AsyncIterable<Row<T> & { readonly value: T }>;
  clear(): Promise<void>;
  /** Returns the rows of these keys, in the same order. The steps of a commit are made from rows. */
  read(keys: readonly string[]): Promise<Row<T>[]>;
  /** Returns a step that only checks that the row has not changed since it was read. */
  expect(row: Row<unknown>): Step;
  /** Returns a step that checks the row as `expect` does, and writes a value. */
  put(row: Row<unknown>, value: T, options?: WriteOptions): Step;
  /** Returns a step that checks the row as `expect` does, and removes the row. */
  remove(row: Row<unknown>): Step;
  /** Returns the row as it is after the commit of a step of this table. */
  written(step: Step): Row<T>;
}

export interface TableShape<T> {
  readonly name: string;
  /**
   * Parses every value that is read. Any Shopbell from 0.1.0 on may have written it. A read throws a {@link StorageError} for a
   * value that does not match, unless the schema replaces the value (`.catch`). A stored text that is no entry has the value
   * undefined.
   */
  readonly schema: z.ZodType<T>;
  /**
   * Version of the values that are written now. A read of a value of a later version throws a {@link StorageError}. Raise the
   * version if an earlier Shopbell would misread new values. Values of Shopbell 0.1.0 have version 0.
   */
  readonly version: number;
}

/**
 * Maximum number of steps in one commit. A commit of 1,000 rows of 1 kB took SQLite 44 ms, which blocks the process. It took
 * Redis 21 ms and PostgreSQL 81 ms (the fastest of 20 commits, on two busy cores).
 */
export const maxCommitSteps = 1_000;

export interface Storage {
  /** Returns the table `name`, or `name:part` if there are several tables of a kind (for example, one per server). */
  table<T>(shape: TableShape<T>, part?: string): Table<T>;
  /**
   * Executes all steps and returns true. If a row has changed since it was read, executes none and returns false. There may be
   * at most {@link maxCommitSteps} steps, of any tables, each for another row.
   * After a {@link StorageError}, it is unknown whether the commit happened. It may still happen within seconds.
   */
  commit(steps: readonly Step[]): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Works like `commit` of {@link Storage}, but may check further rows, for example that this process still polls the server.
 *
 * @param alsoIfRecordChanged if true, a changed record of the server does not prevent the commit. Use it to record what has
 * already happened
 */
export type Commit = (steps: readonly Step[], alsoIfRecordChanged?: boolean) => Promise<boolean>;

/** An entry of any table, as it is stored. */
export interface RawEntry {
  readonly table: string;
  readonly key: string;
  /** The value, its version and its expiry, as JSON text (see keyv-table.ts). */
  readonly raw: string;
}

/** A storage for programs that move or inspect all data without knowing its meaning. */
export interface WholeStorage extends Storage {
  /** Yields every unexpired entry of every table, in pages. An entry that is written meanwhile may come twice. */
  rawEntries(): AsyncIterable<readonly RawEntry[]>;
  /** Writes entries as they are. `expires` is epoch ms. */
  writeRaw(entries: readonly (RawEntry & { readonly expires?: number | undefined })[]): Promise<void>;
  /** Migrates Redis to data version 2. With another database, it does nothing. No other process may work with the storage. */
  moveToHashes(): Promise<void>;
}

/** The database failed. It is unknown whether a write happened. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code = "storage";
  readonly operation: string;

  constructor(operation: string, cause: unknown) {
    super(`storage failed: ${operation}`, { cause });
    this.operation = operation;
  }
}
