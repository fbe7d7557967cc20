import type { z } from "zod";

export interface WriteOptions {
  /** Milliseconds after which the entry expires. Without it, the entry stays. */
  readonly ttlMs?: number;
}

/** A row as it was read. A commit compares its version with the stored row. */
export interface Row<T> {
  readonly key: string;
  /** Undefined if there is no row. */
  readonly value: T | undefined;
  /**
   * A digest of the stored text, so the same content has the same version. Undefined if there is no row. With `any`, a commit
   * does not compare.
   */
  readonly version: string | undefined;
}

/** Returns a row that does not exist. */
export const absent = (key: string): Row<never> => ({ key, value: undefined, version: undefined });

/** Returns a row about which a commit expects nothing. */
export const anyVersion = (key: string): Row<never> => ({ key, value: undefined, version: "any" });

/** One part of a commit: what it expects of one row, and what it does with the row. Tables create steps. */
export interface Step {
  readonly table: string;
  readonly key: string;
  /** The version that the commit expects, as in {@link Row}. */
  readonly version: string | undefined;
  /** Undefined if the row stays as it is. If `raw` is undefined, the row is removed. `expires` is epoch ms. */
  readonly write: { readonly raw: string | undefined; readonly expires: number | undefined } | undefined;
}

/**
 * One named set of entries. Every method throws a {@link StorageError} if the database fails. If a read returns `undefined`,
 * there certainly is no such entry.
 */
export interface Table<T> {
  get(key: string): Promise<T | undefined>;
  getMany(keys: readonly string[]): Promise<(T | undefined)[]>;
  set(key: string, value: T, options?: WriteOptions): Promise<void>;
  setMany(entries: readonly (readonly [key: string, value: T])[]): Promise<void>;
  delete(key: string): Promise<void>;
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Yields every entry. It may read the whole table, so use it at the start and for deletions, but not in polls. */
  entries(): AsyncIterable<readonly [key: string, value: T]>;
  clear(): Promise<void>;
  /** Returns rows for a commit, in the order of `keys`. */
  read(keys: readonly string[]): Promise<Row<T>[]>;
  /** Returns a step that changes nothing. As with `put` and `remove`, the commit fails if the row has changed since it was read. */
  expect(row: Row<unknown>): Step;
  put(row: Row<unknown>, value: T, options?: WriteOptions): Step;
  remove(row: Row<unknown>): Step;
  /** Returns the row that a step of this table leaves after the commit. */
  written(step: Step): Row<T>;
}

export interface TableShape<T> {
  readonly name: string;
  /**
   * Parses every value that is read. Any version from 0.1.0 on may have written it. A value that does not match is a {@link
   * StorageError}, unless the schema replaces it (`.catch`).
   */
  readonly schema: z.ZodType<T>;
  /**
   * Version of the values that are written now. Values of version 0.1.0 have version 0. Raise it if an earlier Shopbell would
   * misread the new values: reading an entry of a later version is a {@link StorageError}.
   */
  readonly version: number;
}

/**
 * Maximum number of steps in one commit. 1,000 rows of 1 kB took SQLite 44 ms, during which this process was blocked; Redis 21
 * ms and PostgreSQL 81 ms (the fastest of 20 commits, on two busy cores).
 */
export const maxCommitSteps = 1_000;

export interface Storage {
  /** Returns the table `name`, or `name:part` if there are several tables of a kind (for example, one per server). */
  table<T>(shape: TableShape<T>, part?: string): Table<T>;
  /**
   * Executes all steps or none, in any tables. Returns false if a row has changed since it was read; then nothing was written.
   * Takes at most {@link maxCommitSteps} steps, each for another row.
   * Throws a {@link StorageError}: then the commit may have happened, or not, or may still happen within seconds.
   */
  commit(steps: readonly Step[]): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Commits as {@link Storage} does. An implementation may add expectations to those of the steps.
 *
 * @param alsoIfRecordChanged commits even if another process changed other data of the server. Use it to record what has
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
  /**
   * Yields every entry of every table that has not expired, some hundred at a time. An entry that is written in between may
   * come twice.
   */
  rawEntries(): AsyncIterable<readonly RawEntry[]>;
  /** Writes entries as they are. `expires` is epoch ms. */
  writeRaw(entries: readonly (RawEntry & { readonly expires?: number | undefined })[]): Promise<void>;
  /** Migrates Redis to data version 2; other databases need nothing. No other process may work with the storage. */
  moveToHashes(): Promise<void>;
}

/** Thrown if the database failed. What the database holds is then unknown. */
export class StorageError extends Error {
  readonly code = "storage";
  readonly operation: string;

  constructor(operation: string, cause: unknown) {
    super(`storage failed: ${operation}`, { cause });
    this.name = "StorageError";
    this.operation = operation;
  }
}
