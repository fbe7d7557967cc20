import type { RawEntry, Step } from "./table.ts";

/** An entry that is to be written. `expires` is epoch ms. */
export interface NewEntry {
  readonly key: string;
  readonly raw: string;
  readonly expires: number | undefined;
}

/** One table in a database. Every failure is a rejection. */
export interface TableStore {
  /** Of what is stored, as the database can make one itself: the version of a row. It tells changes, and is no proof against two texts made to have the same. */
  readonly digest: "sha1" | "sha256";
  /** What is stored, in the order of `keys`; undefined for certain means that there is none, or that its time is over. */
  read(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** No key comes twice. */
  write(entries: readonly NewEntry[]): Promise<void>;
  remove(keys: readonly string[]): Promise<void>;
  clear(): Promise<void>;
  /** Every entry that has not expired, page by page. */
  pages(): AsyncIterable<readonly (readonly [key: string, raw: string])[]>;
}

/** One database, with one connection or pool that all its tables share. */
export interface Backend {
  tableStore(name: string): TableStore;
  /** See `Storage`. Each step is of another row. */
  commit(steps: readonly Step[]): Promise<boolean>;
  /** What keeps this server from keeping what is written, as far as that shows without writing; a sentence without a stop. */
  problem?(): Promise<string | undefined>;
  /** See `WholeStorage`. */
  rawEntries(): AsyncIterable<readonly RawEntry[]>;
  /** See `WholeStorage`. */
  moveToHashes?(): Promise<void>;
  close(): Promise<void>;
}

/** How long a server or a lock may keep one statement waiting, in milliseconds. */
export const storageTimeoutMs = 5_000;
