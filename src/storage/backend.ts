import type { RawEntry, Step } from "./table.ts";

/**
 * One database with its connection or pool. It stores texts by table and key, and keyv-table.ts converts them to values. The
 * implementations for SQLite, Redis and PostgreSQL are `*-backend.ts`.
 */
export interface Backend {
  /** The algorithm of the hash that is a row's version. */
  readonly digest: "sha1" | "sha256";
  /** Returns stored texts in the order of `keys`. A missing or expired entry is undefined. */
  read(table: string, keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Yields pages with every unexpired entry of one table, or of all tables. */
  entries(table?: string): AsyncIterable<readonly RawEntry[]>;
  /** Works like `Storage.commit`. No two steps are for the same row. */
  commit(steps: readonly Step[]): Promise<boolean>;
  clear(table: string): Promise<void>;
  removeExpired(): Promise<void>;
  /**
   * Says why writes will fail or get lost, and the remedy after a semicolon. Undefined if no cause is found. Some causes are
   * not found, because nothing is written as a test.
   */
  problem?(): Promise<string | undefined>;
  /** Works like `WholeStorage.moveToHashes`. */
  moveToHashes?(): Promise<void>;
  close(): Promise<void>;
}

/** Maximum wait of one statement for a server or a lock, in ms. */
export const storageTimeoutMs = 5_000;

/** Returns the name of a step's action in the scripts for Redis and PostgreSQL. */
export const actionOf = (write: Step["write"]): "expect" | "put" | "remove" =>
  write === undefined ? "expect" : write.raw === undefined ? "remove" : "put";
