import { type KeyvStorageAdapter, type KeyvStorageEntry, type KeyvStorageGetResult, keyvStorageCapability } from "keyv";
import type { RawEntry, Step, TableShape } from "./table.ts";

type KeyvStore = Required<
  Pick<
    KeyvStorageAdapter,
    "capabilities" | "get" | "getMany" | "set" | "setMany" | "delete" | "deleteMany" | "clear" | "iterator"
  >
>;

/** An entry that is to be written. `expires` is epoch ms. */
export interface NewEntry {
  readonly key: string;
  readonly raw: string;
  readonly expires: number | undefined;
}

/**
 * One table in a database, and what keyv wants of it. Every failure is a rejection. A class, because there is one for each
 * of thousands of tables.
 */
export abstract class TableStore implements KeyvStore {
  /** Of what is stored, as the database can make one itself: the version of a row. It tells changes, and keeps nobody from making two texts with the same. */
  abstract readonly digest: "sha1" | "sha256";
  /** What is stored, in the order of `keys`; undefined for certain means that there is none, or that its time is over. */
  abstract read(keys: readonly string[]): Promise<readonly (string | undefined)[]>;
  /** No key comes twice. */
  abstract write(entries: readonly NewEntry[]): Promise<void>;
  abstract remove(keys: readonly string[]): Promise<void>;
  abstract clear(): Promise<void>;
  /** Every entry that has not expired, page by page. */
  abstract pages(): AsyncIterable<readonly (readonly [key: string, raw: string])[]>;

  get capabilities() {
    return keyvStorageCapability(this);
  }

  async get<Value>(key: string): Promise<KeyvStorageGetResult<Value>> {
    const [raw] = await this.read([key]);
    return raw as KeyvStorageGetResult<Value>;
  }

  async getMany<Value>(keys: string[]): Promise<KeyvStorageGetResult<Value | undefined>[]> {
    return (await this.read(keys)) as KeyvStorageGetResult<Value | undefined>[];
  }

  async set(key: string, value: unknown, expires?: number): Promise<boolean> {
    await this.write([{ key, raw: String(value), expires }]);
    return true;
  }

  async setMany<Value>(entries: KeyvStorageEntry<Value>[]): Promise<boolean[]> {
    await this.write(entries.map(({ key, value, expires }) => ({ key, raw: String(value), expires })));
    return entries.map(() => true);
  }

  async delete(key: string): Promise<boolean> {
    await this.remove([key]);
    return true;
  }

  async deleteMany(keys: string[]): Promise<boolean[]> {
    await this.remove(keys);
    return keys.map(() => true);
  }

  async *iterator<Value>(): AsyncGenerator<(string | Awaited<Value> | undefined)[], void> {
    for await (const page of this.pages()) for (const [key, raw] of page) yield [key, raw as Awaited<Value>];
  }
}

/** One database, with one connection or pool that all its tables share. */
export interface Backend {
  tableStore(name: string, shape: Pick<TableShape<unknown>, "impersonal">): TableStore;
  /** See `Storage`. Each step is of another row. */
  commit(steps: readonly Step[]): Promise<boolean>;
  /** What keeps this server from keeping what is written, as far as that shows without writing; a sentence without a stop. */
  problem?(): Promise<string | undefined>;
  /** Every entry of every table that has not expired, some hundred at a time; one that is written meanwhile may come twice. */
  rawEntries(): AsyncIterable<readonly RawEntry[]>;
  /** Moves entries from where an earlier version kept them to where this one does; again where it was cut short. */
  moveToHashes?(): Promise<void>;
  close(): Promise<void>;
}

/** How long a server or a lock may keep one statement waiting, in milliseconds. */
export const storageTimeoutMs = 5_000;
