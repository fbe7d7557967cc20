import type { z } from "zod";

export interface WriteOptions {
  readonly ttlMs?: number;
}

/** What a read found at a key: an entry, or none. A commit compares the version of the row with the stored version. */
export interface Row<T> {
  readonly key: string;
  readonly value: T | undefined;
  /** A hash of the stored text. Undefined if there is no entry. "any" always matches, with or without an entry. */
  readonly version: string | undefined;
}

export const absent = (key: string): Row<never> => ({ key, value: undefined, version: undefined });

export const anyVersion = (key: string): Row<never> => ({ key, value: undefined, version: "any" });

/** One part of a commit. Tables create steps. */
export interface Step {
  readonly table: string;
  readonly key: string;
  readonly version: string | undefined;
  /** Undefined if the step does not change the row. If `raw` is undefined, the row is removed. `expires` is epoch ms. */
  readonly write: { readonly raw: string | undefined; readonly expires: number | undefined } | undefined;
}

/** Every method throws a {@link StorageError} if the database fails, so `undefined` always means that there is no entry. */
export interface Table<T> {
  get(key: string): Promise<T | undefined>;
  set(key: string, value: T, options?: WriteOptions): Promise<void>;
  setMany(entries: readonly (readonly [key: string, value: T])[]): Promise<void>;
  delete(key: string): Promise<void>;
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Reads the whole table, so polls may use it only for small tables. */
  rows(): AsyncIterable<Row<T> & { readonly value: T }>;
  clear(): Promise<void>;
  /** In the order of `keys`. */
  read(keys: readonly string[]): Promise<Row<T>[]>;
  /** The step only checks that the row has not changed since it was read. */
  expect(row: Row<unknown>): Step;
  /** The step checks the row as `expect` does, and writes a value. */
  put(row: Row<unknown>, value: T, options?: WriteOptions): Step;
  /** The step checks the row as `expect` does, and removes the row. */
  remove(row: Row<unknown>): Step;
  written(step: Step): Row<T>;
}

export interface TableShape<T> {
  readonly name: string;
  /**
   * Any version of Shopbell may have written the value. A read throws a {@link StorageError} for a value that does not match.
   * If the stored text is no entry (keyv-table.ts), the schema gets undefined.
   */
  readonly schema: z.ZodType<T>;
  /**
   * Must be raised if an earlier Shopbell would misread new values. The read of a value with a higher version throws. Shopbell
   * 0.1.0 wrote version 0.
   */
  readonly version: number;
}

/**
 * A commit of 1,000 rows of 1 kB took SQLite 44 ms, which blocks the process. It took Redis 21 ms and PostgreSQL 81 ms (the
 * fastest of 20 commits, on two busy cores).
 */
export const maxCommitSteps = 1_000;

export interface Storage {
  /** The table `name`, or `name:part` if there are several of a kind (for example, one per server). */
  table<T>(shape: TableShape<T>, part?: string): Table<T>;
  /**
   * Executes all steps and returns true. If a row has changed since it was read, executes none and returns false. There are at
   * most {@link maxCommitSteps} steps, each for another row. After a {@link StorageError}, the steps may have been executed, or
   * may still be executed within seconds.
   */
  commit(steps: readonly Step[]): Promise<boolean>;
  close(): Promise<void>;
}

/** Works like `commit` of {@link Storage}, but may check further rows, for example that this process still polls the server. */
export type Commit = Storage["commit"];

export interface RawEntry {
  readonly table: string;
  readonly key: string;
  /** The value, its version and its expiry, as JSON text (see keyv-table.ts). */
  readonly raw: string;
}

/** A storage for programs that move or inspect all data without knowing what the data means. */
export interface WholeStorage extends Storage {
  /** In pages, without expired entries. An entry may be returned twice. */
  rawEntries(): AsyncIterable<readonly RawEntry[]>;
  /** `expires` is epoch ms. */
  writeRaw(entries: readonly (RawEntry & { readonly expires?: number | undefined })[]): Promise<void>;
  /** Migrates Redis to data version 2; no other process may work with the storage. With another database, it does nothing. */
  moveToHashes(): Promise<void>;
}

export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly code = "storage";
  readonly operation: string;

  constructor(operation: string, cause: unknown) {
    super(`storage failed: ${operation}`, { cause });
    this.operation = operation;
  }
}
