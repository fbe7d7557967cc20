/** Options of one write. */
export interface WriteOptions {
  /** Milliseconds after which the entry is gone. Without it the entry stays. */
  readonly ttlMs?: number;
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
}

/** Options of one table. */
export interface TableOptions {
  /** Nothing in it is about anybody: what was overwritten or deleted may stay in a log of the storage for a while. */
  readonly impersonal?: boolean;
}

/** What is kept on disk or in a database server. */
export interface Storage {
  /**
   * Asking twice for a name gives the same table, with the options of the first time. A name may contain `:`, as in
   * `ledger:<guild id>`.
   */
  table<T>(name: string, options?: TableOptions): Table<T>;
  close(): Promise<void>;
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
