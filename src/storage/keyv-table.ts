import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import Keyv, { jsonSerializer } from "keyv";
import { z } from "zod";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import type { Backend } from "./backend.ts";
import { absent, maxCommitSteps, type Row, type Step, StorageError, type Table, type TableShape } from "./table.ts";

/**
 * The stored form of an entry: `{"value":…,"expires":…,"v":1}`, where `v` is the version. keyv writes the first two fields. The
 * version is next to the value and not inside it, so no value can look like a version. It costs 6 bytes per entry (`,"v":1`).
 * An entry without `v` has version 0, as version 0.1.0 wrote it.
 */
export const envelopeSchema = z.object({ value: z.unknown(), v: z.int().nonnegative().default(0) });

/** Entries of a listing after which the event loop turns: parsing a page of Redis, 1,000 entries, takes up to 48 ms. */
const turnEvery = 100;

/** Commits steps that expect nothing of their rows, at most {@link maxCommitSteps} at a time. */
export async function commitInSlices(backend: Pick<Backend, "commit">, steps: readonly Step[]): Promise<void> {
  for (let at = 0; at < steps.length; at += maxCommitSteps) await backend.commit(steps.slice(at, at + maxCommitSteps));
}

/** Makes a table look like a store of keyv, with only the methods that keyv calls here. */
function keyvStore(table: string, backend: Pick<Backend, "tableStore" | "commit">) {
  const store = backend.tableStore(table);
  const write = (key: string, write: Step["write"]): Step => ({ table, key, version: "any", write });
  return {
    capabilities: { expires: true },
    getMany: (keys: string[]) => store.read(keys),
    setMany: (entries: { key: string; value: string; expires: number | undefined }[]) => {
      const steps = entries.map(({ key, value, expires }) => write(key, { raw: value, expires }));
      return commitInSlices(backend, steps);
    },
    async deleteMany(keys: string[]) {
      const steps = keys.map((key) => write(key, { raw: undefined, expires: undefined }));
      await commitInSlices(backend, steps);
      return keys.map(() => true);
    },
    clear: () => store.clear(),
  };
}

/** Runs one operation and counts it in the metrics. If it fails, throws a {@link StorageError} with this label. */
export async function storageOperation<Result>(
  operation: string,
  run: () => Promise<Result>,
  metrics: Metrics = noMetrics,
  label = operation,
): Promise<Result> {
  let isFailed = true;
  try {
    const result = await run();
    isFailed = false;
    return result;
  } catch (cause) {
    throw new StorageError(label, cause);
  } finally {
    metrics.storageOperation(operation, isFailed);
  }
}

/** Creates the table `name`. keyv stores its entries in `backend`. */
export function createKeyvTable<T>(
  name: string,
  { schema, version }: TableShape<T>,
  backend: Pick<Backend, "tableStore" | "commit">,
  metrics: Metrics = noMetrics,
): Table<T> {
  const store = backend.tableStore(name);
  const step = (row: Row<unknown>, write: Step["write"]): Step => {
    if (row.key === "") throw new StorageError(`commit ${name}`, new Error("a key may not be empty"));
    return { table: name, key: row.key, version: row.version, write };
  };
  // keyv throws errors only if it has no listener. With one, it reports the error and answers that there is no entry. Entries
  // need no check here, because the databases expire them.
  const keyv = new Keyv({ store: keyvStore(name, backend), checkExpired: false });

  const strictly = <Result>(operation: string, run: () => Promise<Result>) =>
    storageOperation(operation, run, metrics, `${operation} ${name}`);
  const checked = (keys: readonly string[]): string[] => {
    if (keys.includes("")) throw new Error("a key may not be empty");
    return [...keys];
  };
  const enveloped = (value: T, ttlMs?: number) => {
    if (value === undefined) throw new Error("undefined cannot be kept");
    const expires = ttlMs === undefined ? undefined : Date.now() + ttlMs;
    return { value, expires, v: version === 0 ? undefined : version };
  };
  const opened = (entry: unknown): T => {
    const { value, v } = envelopeSchema.parse(entry);
    // Another program wrote this entry. It must not read as absent.
    if (value === undefined) throw new Error("an entry holds no value");
    if (v > version) throw new Error(`a later version of Shopbell wrote an entry (${v}, and ${version} is known)`);
    return schema.parse(value);
  };

  async function getMany(keys: readonly string[]): Promise<(T | undefined)[]> {
    const entries: unknown[] = keys.length === 0 ? [] : await keyv.getManyRaw(checked(keys));
    return entries.map((entry) => (entry === undefined ? undefined : opened(entry)));
  }
  async function setMany(entries: readonly (readonly [key: string, value: T])[], ttlMs?: number): Promise<void> {
    if (entries.length === 0) return;
    checked(entries.map(([key]) => key));
    // A commit takes each row only once, so the last value of a key counts.
    const last = new Map(entries.map(([key, value]) => [key, enveloped(value, ttlMs)]));
    const results = await keyv.setManyRaw([...last].map(([key, value]) => ({ key, value })));
    if (results.includes(false)) throw new Error("the store did not keep every entry");
  }
  async function deleteMany(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await keyv.deleteMany(checked([...new Set(keys)]));
  }
  async function read(keys: readonly string[]): Promise<Row<T>[]> {
    const stored = keys.length === 0 ? [] : await store.read(checked(keys));
    const found = keys.map(async (key, index) => {
      const raw = stored[index];
      return raw === undefined
        ? absent(key)
        : { key, value: opened(await keyv.decode(raw)), version: hash(store.digest, raw) };
    });
    return Promise.all(found);
  }

  return {
    get: (key) => strictly("get", async () => (await getMany([key]))[0]),
    getMany: (keys) => strictly("getMany", () => getMany(keys)),
    set: (key, value, options) => strictly("set", () => setMany([[key, value]], options?.ttlMs)),
    setMany: (entries) => strictly("setMany", () => setMany(entries)),
    delete: (key) => strictly("delete", () => deleteMany([key])),
    deleteMany: (keys) => strictly("deleteMany", () => deleteMany(keys)),
    async *entries() {
      let isFailed = false;
      let read = 0;
      try {
        // keyv's own iterator returns the value without its version.
        for await (const page of store.pages()) {
          for (const [key, raw] of page) {
            yield [key, opened(await keyv.decode(raw))] as const;
            if (++read % turnEvery === 0) await setImmediate();
          }
        }
      } catch (cause) {
        isFailed = true;
        throw new StorageError(`entries ${name}`, cause);
      } finally {
        metrics.storageOperation("entries", isFailed);
      }
    },
    clear: () => strictly("clear", () => keyv.clear()),
    read: (keys) => strictly("read", () => read(keys)),
    expect: (row) => step(row, undefined),
    put(row, value, options) {
      if (value === undefined) throw new StorageError(`commit ${name}`, new Error("undefined cannot be kept"));
      const entry = enveloped(value, options?.ttlMs);
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
