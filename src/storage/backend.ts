import type { RawEntry, Step } from "./table.ts";

/** One database with its connection or pool. It stores texts; keyv-table.ts converts them to values. */
export interface Backend {
  /** The algorithm of the hash that is a row's version. */
  readonly digest: "sha1" | "sha256";
  /** Returns texts in the order of `keys`. A missing or expired entry is undefined. */
  read(table: string, keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  entries(table?: string): AsyncIterable<readonly RawEntry[]>;
  /** Works like `Storage.commit`. */
  commit(steps: readonly Step[]): Promise<boolean>;
  clear(table: string): Promise<void>;
  removeExpired(): Promise<void>;
  /**
   * Returns a problem that will make writes fail or get lost, with its remedy: `problem; remedy`. Makes no test write, so it
   * does not find every problem.
   */
  problem?(): Promise<string | undefined>;
  moveToHashes?(): Promise<void>;
  close(): Promise<void>;
}

/** The longest wait of one statement for the database or a lock, in ms. */
export const storageTimeoutMs = 5_000;

export const actionOf = (write: Step["write"]): "expect" | "put" | "remove" =>
  write === undefined ? "expect" : write.raw === undefined ? "remove" : "put";
