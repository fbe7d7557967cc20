import type { RawEntry, Step } from "./table.ts";

/** One table in a database. Every failure is a rejection. */
export interface TableStore {
  /**
   * The digest that makes a row's version from its stored text. The database must be able to compute it. It detects changes; it
   * is no defence against texts made to collide.
   */
  readonly digest: "sha1" | "sha256";
  /** Stored texts, in the order of `keys`; undefined means for certain that there is no entry, or that it has expired. */
  read(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  clear(): Promise<void>;
  /** Every entry that has not expired, page by page. */
  pages(): AsyncIterable<readonly (readonly [key: string, raw: string])[]>;
}

/** One database, with one connection or pool that all its tables share. */
export interface Backend {
  tableStore(name: string): TableStore;
  /** See `Storage`. No row comes twice. All writes of entries use this method. */
  commit(steps: readonly Step[]): Promise<boolean>;
  /** Why this server does not keep what is written, as far as that shows without a write; a sentence without a full stop. */
  problem?(): Promise<string | undefined>;
  /** See `WholeStorage`. */
  rawEntries(): AsyncIterable<readonly RawEntry[]>;
  /** See `WholeStorage`. */
  moveToHashes?(): Promise<void>;
  close(): Promise<void>;
}

/** The longest wait of one statement for a server or a lock, in milliseconds. */
export const storageTimeoutMs = 5_000;

/** The name that Redis and PostgreSQL use for the action of a step. */
export const actionOf = (write: Step["write"]): "expect" | "put" | "remove" =>
  write === undefined ? "expect" : write.raw === undefined ? "remove" : "put";
