import type { RawEntry, Step } from "./table.ts";

/**
 * One database, with one connection or pool. It holds texts by table and key; keyv-table.ts makes values of them. SQLite, Redis
 * and PostgreSQL each have one (`*-backend.ts`). Every failure is a rejection.
 */
export interface Backend {
  /**
   * The digest of a stored text is the version of its row. The database must be able to compute it. It detects changes, but is
   * no protection against texts that were made to have the same digest.
   */
  readonly digest: "sha1" | "sha256";
  /** Returns stored texts in the order of `keys`. Undefined means that there certainly is no entry, or that it has expired. */
  read(table: string, keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** Yields every entry of one table, or of all tables, that has not expired, page by page. */
  entries(table?: string): AsyncIterable<readonly RawEntry[]>;
  /** Commits as `Storage.commit` does. Each row is in one step only. All writes of entries use this method. */
  commit(steps: readonly Step[]): Promise<boolean>;
  /** Removes every entry of a table. */
  clear(table: string): Promise<void>;
  /**
   * Returns why this server does not store what is written, as far as it can be found without a write. The text is a sentence
   * without a full stop.
   */
  problem?(): Promise<string | undefined>;
  /** Works as `WholeStorage.moveToHashes`. */
  moveToHashes?(): Promise<void>;
  close(): Promise<void>;
}

/** Maximum wait of one statement for a server or a lock, in milliseconds. */
export const storageTimeoutMs = 5_000;

/** Returns the name that Redis and PostgreSQL use for the action of a step. */
export const actionOf = (write: Step["write"]): "expect" | "put" | "remove" =>
  write === undefined ? "expect" : write.raw === undefined ? "remove" : "put";
