import { hash } from "node:crypto";
import Keyv, { jsonSerializer } from "keyv";
import { z } from "zod";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import type { TableStore } from "./backend.ts";
import { absent, type Row, type Step, StorageError, type Table, type TableShape } from "./table.ts";

/**
 * How an entry is stored: `{"value":…,"expires":…,"v":1}`, where `v` is the version. keyv writes the first two, and so did
 * 0.1.0, whatever the value was: the version stands beside the value and not in it, so that no value can look like one, and
 * an entry without it is of version 0. It costs 6 bytes an entry (`,"v":1`). 0.1.0 reads what is stored so as its own.
 */
export const envelopeSchema = z.object({ value: z.unknown(), v: z.int().nonnegative().default(0) });

const enveloped = (value: unknown, version: number, ttlMs?: number) => ({
  value,
  expires: ttlMs === undefined ? undefined : Date.now() + ttlMs,
  v: version === 0 ? undefined : version,
});

function assertKept(results: readonly boolean[]): void {
  if (results.includes(false)) throw new Error("the store did not keep every entry");
}

/** The table `name`, kept by keyv in `store`. */
export function createKeyvTable<T>(
  name: string,
  { schema, version, impersonal }: TableShape<T>,
  store: TableStore,
  metrics: Metrics = noMetrics,
): Table<T> {
  // A keyv without listeners throws what it would otherwise report and answer with "nothing". Expiry is the adapters'.
  const keyv = new Keyv({ store, checkExpired: false });
  async function strictly<Result>(operation: string, run: () => Promise<Result>): Promise<Result> {
    let isFailed = true;
    try {
      const result = await run();
      isFailed = false;
      return result;
    } catch (cause) {
      throw new StorageError(`${operation} ${name}`, cause);
    } finally {
      metrics.storageOperation(operation, isFailed);
    }
  }
  const checked = (key: string) => {
    if (key === "") throw new Error("a key may not be empty");
    return key;
  };
  const opened = (entry: unknown): T => {
    const { value, v } = envelopeSchema.parse(entry);
    // Something else wrote it: this is not "no entry".
    if (value === undefined) throw new Error("an entry holds no value");
    if (v > version) throw new Error(`a later version of Shopbell wrote an entry (${v}, and ${version} is known)`);
    return schema.parse(value);
  };
  const step = (row: Row<unknown>, write: Step["write"]): Step => {
    if (row.key === "") throw new StorageError(`commit ${name}`, new Error("a key may not be empty"));
    return { table: name, key: row.key, version: row.version, write, impersonal: impersonal ?? false };
  };
  const found = (entry: unknown) => (entry === undefined ? undefined : opened(entry));

  return {
    get: (key) => strictly("get", async () => found(await keyv.getRaw(checked(key)))),
    getMany: (keys) =>
      strictly("getMany", async () => (keys.length === 0 ? [] : (await keyv.getManyRaw(keys.map(checked))).map(found))),
    set: (key, value, options) =>
      strictly("set", async () => {
        if (value === undefined) throw new Error("undefined cannot be kept");
        assertKept([await keyv.setRaw(checked(key), enveloped(value, version, options?.ttlMs))]);
      }),
    setMany: (entries) =>
      strictly("setMany", async () => {
        if (entries.length === 0) return;
        if (entries.some(([, value]) => value === undefined)) throw new Error("undefined cannot be kept");
        // PostgreSQL refuses a statement that writes one key twice: the last value of a key is the one that counts.
        const last = new Map(entries.map(([key, value]) => [checked(key), enveloped(value, version)]));
        assertKept(await keyv.setManyRaw([...last].map(([key, value]) => ({ key, value }))));
      }),
    delete: (key) =>
      strictly("delete", async () => {
        await keyv.delete(checked(key));
      }),
    deleteMany: (keys) =>
      strictly("deleteMany", async () => {
        if (keys.length > 0) await keyv.deleteMany(keys.map(checked));
      }),
    async *entries() {
      let isFailed = false;
      try {
        // keyv's own iterator gives the value without what stands beside it.
        for await (const page of store.pages()) {
          for (const [key, raw] of page) yield [key, opened(await keyv.decode(raw))] as const;
        }
      } catch (cause) {
        isFailed = true;
        throw new StorageError(`entries ${name}`, cause);
      } finally {
        metrics.storageOperation("entries", isFailed);
      }
    },
    clear: () => strictly("clear", () => keyv.clear()),
    read: (keys) =>
      strictly("read", async () => {
        const stored = keys.length === 0 ? [] : await store.read(keys.map(checked));
        const rows = keys.map(async (key, index): Promise<Row<T>> => {
          const raw = stored[index];
          if (raw === undefined) return absent(key);
          return { key, value: opened(await keyv.decode(raw)), version: hash(store.digest, raw) };
        });
        return Promise.all(rows);
      }),
    versions: (keys) =>
      strictly("versions", async () => {
        const stored = keys.length === 0 ? [] : await store.read(keys.map(checked));
        return keys.map((key, index) => {
          const raw = stored[index];
          return { key, value: undefined, version: raw === undefined ? undefined : hash(store.digest, raw) };
        });
      }),
    expect: (row) => step(row, undefined),
    put(row, value, options) {
      if (value === undefined) throw new StorageError(`commit ${name}`, new Error("undefined cannot be kept"));
      const entry = enveloped(value, version, options?.ttlMs);
      return step(row, { raw: jsonSerializer.stringify(entry), expires: entry.expires });
    },
    remove: (row) => step(row, { raw: undefined, expires: undefined }),
    written({ key, write }) {
      const raw = write?.raw;
      if (raw === undefined) return absent(key);
      return { key, value: opened(jsonSerializer.parse(raw)), version: hash(store.digest, raw) };
    },
  };
}
