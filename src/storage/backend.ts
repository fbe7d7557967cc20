import type { KeyvStorageAdapter } from "keyv";
import type { RawEntry, TableShape } from "./table.ts";

/** What a table needs of a keyv store. */
export type KeyvStore = Required<
  Pick<
    KeyvStorageAdapter,
    "capabilities" | "get" | "getMany" | "set" | "setMany" | "delete" | "deleteMany" | "clear" | "iterator"
  >
>;

/** The entries of one table, as a keyv store. */
export interface TableStore {
  /** Every failure of it is a rejection. It emits nothing. */
  readonly store: KeyvStore;
  /** Stands before every key that goes in. The store takes it off again: keys that come out are without it. */
  readonly keyPrefix: string;
}

/** One database, with one connection or pool that all its tables share. */
export interface Backend {
  tableStore(name: string, shape: Pick<TableShape<unknown>, "impersonal">): TableStore;
  /** What keeps this server from keeping what is written, as far as that shows without writing; a sentence without a stop. */
  obstacle?(): Promise<string | undefined>;
  /** Every entry of every table that has not expired, some hundred at a time; one that is written meanwhile may come twice. */
  everything(): AsyncIterable<readonly RawEntry[]>;
  /** Moves entries from where an earlier version kept them to where this one does; again where it was cut short. */
  arrange?(): Promise<void>;
  close(): Promise<void>;
}

/** How long a server or a lock may keep one statement waiting, in milliseconds. */
export const patienceMs = 5_000;
