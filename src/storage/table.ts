import type { z } from "zod";

/** Options of one write. */
export interface WriteOptions {
  /** Milliseconds after which the entry is gone. Without it the entry stays. */
  readonly ttlMs?: number;
}

/** A row as it was read. A commit compares its version with the row that is there then. */
export interface Row<T> {
  readonly key: string;
  /** undefined: there is none */
  readonly value: T | undefined;
  /**
   * A digest of the stored text, so the same content has the same version. undefined: there is no row. `any`: a commit does not
   * compare.
   */
  readonly version: string | undefined;
}

/** A row that does not exist. */
export const absent = (key: string): Row<never> => ({ key, value: undefined, version: undefined });

/** A row of which a commit expects nothing: a step replaces or removes it whatever it holds. */
export const whatever = (key: string): Row<never> => ({ key, value: undefined, version: "any" });

/** What one commit expects of one row, and does with it. A table makes it. */
export interface Step {
  readonly table: string;
  readonly key: string;
  /** As in {@link Row}. */
  readonly version: string | undefined;
  /** undefined: the row stays as it is. `raw` undefined: the row is removed. `expires` is epoch ms. */
  readonly write: { readonly raw: string | undefined; readonly expires: number | undefined } | undefined;
}

/**
 * One named set of entries. Every method throws a {@link StorageError} when the store fails; `undefined` from a read
 * means for certain that there is no such entry.
 */
export interface Table<T> {
  get(key: string): Promise<T | undefined>;
  /** The values in the order of `keys`. */
  getMany(keys: readonly string[]): Promise<(T | undefined)[]>;
  set(key: string, value: T, options?: WriteOptions): Promise<void>;
  setMany(entries: readonly (readonly [key: string, value: T])[]): Promise<void>;
  delete(key: string): Promise<void>;
  deleteMany(keys: readonly string[]): Promise<void>;
  /** Every entry. May read the whole table: for the start and for removals, not for a poll. */
  entries(): AsyncIterable<readonly [key: string, value: T]>;
  /** Removes every entry of this table and of no other. */
  clear(): Promise<void>;
  /** Rows for a commit, in the order of `keys`. */
  read(keys: readonly string[]): Promise<Row<T>[]>;
  /** A step of a commit: the row is still as it was read. */
  expect(row: Row<unknown>): Step;
  /** A step of a commit: the row is still as it was read, and becomes this. */
  put(row: Row<unknown>, value: T, options?: WriteOptions): Step;
  /** A step of a commit: the row is still as it was read, and goes. */
  remove(row: Row<unknown>): Step;
  /** The row that a step of this table leaves once it is committed. */
  written(step: Step): Row<T>;
}

/** One kind of entry: the table in which it stands, and what may stand there. */
export interface TableShape<T> {
  readonly name: string;
  /**
   * Parses every value that is read, whichever version from 0.1.0 on wrote it. A value that does not fit is a
   * {@link StorageError}, unless the schema says what it is instead (`.catch`).
   */
  readonly schema: z.ZodType<T>;
  /**
   * Of what is written now; the values of 0.1.0 are of version 0. To be raised when a version before would misread what
   * is written from then on: an entry of a higher version is a {@link StorageError}.
   */
  readonly version: number;
}

/**
 * As many rows of 1 kB took SQLite 44 ms, in which this process did nothing else, Redis 21 and PostgreSQL 81 (the fastest of 20
 * commits, on two busy cores).
 */
export const maxCommitSteps = 1_000;

/** What is kept on disk or in a database server. */
export interface Storage {
  /** The table `name`, or `name:part`, for one of many of a kind (such as one for each server). */
  table<T>(shape: TableShape<T>, part?: string): Table<T>;
  /**
   * All steps or none, in whichever tables. False where a row is not as it was read any more: then nothing was written. At most
   * {@link maxCommitSteps} of them, each of another row. Throws a {@link StorageError}: it may have happened, or not, or may
   * still happen within seconds.
   */
  commit(steps: readonly Step[]): Promise<boolean>;
  close(): Promise<void>;
}

/**
 * Commits as {@link Storage} does, for one who may have to expect more than the steps say.
 *
 * @param isAnyway also where another process has changed something else that is kept for the server: what happened is recorded
 */
export type Commit = (steps: readonly Step[], isAnyway?: boolean) => Promise<boolean>;

/** Writes one row, or removes it, whatever it holds. Throws what `commit` throws. */
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

/** A storage for programs that move or inspect all of it without knowing what it means. */
export interface WholeStorage extends Storage {
  /** Every entry of every table that has not expired, some hundred at a time; one that is written meanwhile may come twice. */
  rawEntries(): AsyncIterable<readonly RawEntry[]>;
  /** Writes entries as they are. `expires` is epoch ms. */
  writeRaw(entries: readonly (RawEntry & { readonly expires?: number | undefined })[]): Promise<void>;
  /** The migration of Redis to version 2 of the data; nothing elsewhere. Only while nothing else works with the storage. */
  moveToHashes(): Promise<void>;
}

/** The store did not do what was asked; nothing may be concluded about what it holds. */
export class StorageError extends Error {
  readonly code = "storage";
  readonly operation: string;

  constructor(operation: string, cause: unknown) {
    super(`storage failed: ${operation}`, { cause });
    this.name = "StorageError";
    this.operation = operation;
  }
}
