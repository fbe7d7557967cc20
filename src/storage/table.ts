import type { z } from "zod";

/** Options of one write. */
export interface WriteOptions {
  /** Milliseconds after which the entry expires. Without it the entry stays. */
  readonly ttlMs?: number;
}

/** A row as it was read. A commit compares its version with the row that is there then. */
export interface Row<T> {
  readonly key: string;
  /** undefined: there is no row */
  readonly value: T | undefined;
  /**
   * A digest of the stored text, so the same content has the same version. undefined: there is no row. `any`: a commit does not
   * compare.
   */
  readonly version: string | undefined;
}

/** A row that does not exist. */
export const absent = (key: string): Row<never> => ({ key, value: undefined, version: undefined });

/** A row of which a commit expects nothing: a step replaces or removes it, whatever it holds. */
export const whatever = (key: string): Row<never> => ({ key, value: undefined, version: "any" });

/** One part of a commit: what it expects of one row, and what it does with the row. Tables make steps. */
export interface Step {
  readonly table: string;
  readonly key: string;
  /** As in {@link Row}. */
  readonly version: string | undefined;
  /** undefined: the row stays as it is. `raw` undefined: the row is removed. `expires` is epoch ms. */
  readonly write: { readonly raw: string | undefined; readonly expires: number | undefined } | undefined;
}

/**
 * One named set of entries. Every method throws a {@link StorageError} when the database fails. `undefined` from a read means for
 * certain that there is no such entry.
 */
export interface Table<T> {
  get(key: string): Promise<T | undefined>;
  /** The values in the order of `keys`. */
  getMany(keys: readonly string[]): Promise<(T | undefined)[]>;
  set(key: string, value: T, options?: WriteOptions): Promise<void>;
  setMany(entries: readonly (readonly [key: string, value: T])[]): Promise<void>;
  delete(key: string): Promise<void>;
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Every entry. It may read the whole table, so it is for the start and for removals, not for polls. */
  entries(): AsyncIterable<readonly [key: string, value: T]>;
  /** Removes every entry of this table and of no other. */
  clear(): Promise<void>;
  /** Rows for a commit, in the order of `keys`. */
  read(keys: readonly string[]): Promise<Row<T>[]>;
  /** A step of a commit that expects the row as it was read. */
  expect(row: Row<unknown>): Step;
  /** A step of a commit that expects the row as it was read, and replaces it. */
  put(row: Row<unknown>, value: T, options?: WriteOptions): Step;
  /** A step of a commit that expects the row as it was read, and removes it. */
  remove(row: Row<unknown>): Step;
  /** The row that a step of this table leaves after the commit. */
  written(step: Step): Row<T>;
}

/** A kind of entry: its table, and the values the table takes. */
export interface TableShape<T> {
  readonly name: string;
  /**
   * Parses every value that is read; versions from 0.1.0 on may have written it. A value that does not fit is a {@link
   * StorageError}, unless the schema replaces it (`.catch`).
   */
  readonly schema: z.ZodType<T>;
  /**
   * Version of the values that are written now; values of 0.1.0 have version 0. Raise it if an earlier Shopbell would misread the
   * new values: reading an entry of a later version is a {@link StorageError}.
   */
  readonly version: number;
}

/**
 * Most steps of one commit. 1,000 rows of 1 kB took SQLite 44 ms, during which this process did nothing else; Redis 21 ms and
 * PostgreSQL 81 ms (the fastest of 20 commits, on two busy cores).
 */
export const maxCommitSteps = 1_000;

/** The data on disk or in a database server. */
export interface Storage {
  /** The table `name`, or `name:part` for one of several tables of a kind (for example, one for each server). */
  table<T>(shape: TableShape<T>, part?: string): Table<T>;
  /**
   * Does all steps or none, in any tables. Returns false if a row is not as it was read: then nothing was written. Takes at most
   * {@link maxCommitSteps} steps, each of another row. Throws a {@link StorageError}: then the commit may have happened, or not,
   * or may still happen within seconds.
   */
  commit(steps: readonly Step[]): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Commits as {@link Storage} does. An implementation may expect more than the steps say.
 *
 * @param alsoIfRecordChanged commits even if another process changed other data of the server: use it to record what has already happened
 */
export type Commit = (steps: readonly Step[], alsoIfRecordChanged?: boolean) => Promise<boolean>;

/** Writes or removes one row, whatever it holds. Throws what `commit` throws. */
export async function replace<T>(table: Table<T>, commit: Commit, key: string, value: T | undefined): Promise<void> {
  const row = whatever(key);
  const step = value === undefined ? table.remove(row) : table.put(row, value);
  for (let isDone = false; !isDone; ) isDone = await commit([step], true);
}

/** An entry of any table, as it is stored. */
export interface RawEntry {
  readonly table: string;
  readonly key: string;
  /** The value, its version and its expiry, as JSON text: see `keyv-table.ts`. */
  readonly raw: string;
}

/** A storage for programs that move or inspect all data without knowing its meaning. */
export interface WholeStorage extends Storage {
  /**
   * Every entry of every table that has not expired, some hundred at a time. An entry that is written in between may come twice.
   */
  rawEntries(): AsyncIterable<readonly RawEntry[]>;
  /** Writes entries as they are. `expires` is epoch ms. */
  writeRaw(entries: readonly (RawEntry & { readonly expires?: number | undefined })[]): Promise<void>;
  /** Migrates Redis to data version 2; other databases need nothing. Nothing else may work with the storage. */
  moveToHashes(): Promise<void>;
}

/** The database did not do what was asked. Nothing is known about what it holds. */
export class StorageError extends Error {
  readonly code = "storage";
  readonly operation: string;

  constructor(operation: string, cause: unknown) {
    super(`storage failed: ${operation}`, { cause });
    this.name = "StorageError";
    this.operation = operation;
  }
}
