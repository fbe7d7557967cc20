import type { RawEntry, Step } from "./table.ts";

/** One table in a database. Every failure is a rejection. */
export interface TableStore {
  /** The digest that makes the version of a row from its stored text: one that the database can compute itself. It detects changes; it is no defence against two texts made to collide. */
  readonly digest: "sha1" | "sha256";
  /** The stored texts, in the order of `keys`; undefined means for certain that there is no entry, or that it has expired. */
  read(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  clear(): Promise<void>;
  /** Every entry that has not expired, page by page. */
  pages(): AsyncIterable<readonly (readonly [key: string, raw: string])[]>;
}

/** One database, with one connection or pool that all its tables share. */
export interface Backend {
  tableStore(name: string): TableStore;
  /** See `Storage`. No row comes twice. Every write of an entry goes this way. */
  commit(steps: readonly Step[]): Promise<boolean>;
  /** The reason why this server will not keep what is written, as far as it can be found without writing; a sentence without a full stop. */
  problem?(): Promise<string | undefined>;
  /** See `WholeStorage`. */
  rawEntries(): AsyncIterable<readonly RawEntry[]>;
  /** See `WholeStorage`. */
  moveToHashes?(): Promise<void>;
  close(): Promise<void>;
}

/** The longest wait of one statement for a server or a lock, in milliseconds. */
export const storageTimeoutMs = 5_000;

/** What a step does with its row, as the databases call it. */
export const actionOf = (write: Step["write"]): "expect" | "put" | "remove" =>
  write === undefined ? "expect" : write.raw === undefined ? "remove" : "put";
