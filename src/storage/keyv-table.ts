import { hash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import Keyv, { jsonSerializer } from "keyv";
import { z } from "zod";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import type { Backend } from "./backend.ts";
import { absent, maxCommitSteps, type Row, type Step, StorageError, type Table, type TableShape } from "./table.ts";

/**
 * The stored form of an entry: `{"value":…,"expires":…,"v":1}`. keyv defines `value` and `expires`. `v` is the version of the
 * value. Entries of version 0, such as those of Shopbell 0.1.0, have no `v`.
 */
export const envelopeSchema = z.object({ value: z.unknown(), v: z.int().nonnegative().default(0) });
/** If a stored text is no such entry, the table's schema gets undefined as the value. */
const lenientEnvelopeSchema = envelopeSchema.catch({ value: undefined, v: 0 });
type Envelope = z.infer<typeof envelopeSchema>;

/** After this many characters, `rows` pauses. Parsing them takes some 2 ms. */
const charactersAtOnce = 50_000;

export async function commitInSlices(backend: Backend, steps: readonly Step[]): Promise<void> {
  for (let at = 0; at < steps.length; at += maxCommitSteps) await backend.commit(steps.slice(at, at + maxCommitSteps));
}

/** When keyv writes JSON strings that begin with a colon, it changes them. Only keyv's parser changes them back. */
const colonFirst = /[:,[]\s*":/;

/** keyv's parser is several times slower than `JSON.parse`. */
function envelopeOf(raw: string): Envelope {
  try {
    return lenientEnvelopeSchema.parse(colonFirst.test(raw) ? jsonSerializer.parse(raw) : JSON.parse(raw));
  } catch {
    return lenientEnvelopeSchema.parse(undefined);
  }
}

/** Has only the methods that keyv calls here. */
function keyvStore(table: string, backend: Backend) {
  const write = (entries: readonly (readonly [key: string, raw?: string, expires?: number])[]) => {
    const steps = entries.map(([key, raw, expires]) => ({ table, key, version: "any", write: { raw, expires } }));
    return commitInSlices(backend, steps);
  };
  return {
    capabilities: { expires: true },
    getMany: (keys: string[]) => backend.read(table, keys),
    setMany: (entries: { key: string; value: string; expires: number | undefined }[]) =>
      write(entries.map(({ key, value, expires }) => [key, value, expires])),
    async deleteMany(keys: string[]) {
      await write(keys.map((key) => [key]));
      return keys.map(() => true);
    },
    clear: () => backend.clear(table),
  };
}

/** Runs one operation and counts it. Turns an error into a {@link StorageError} with `label`. */
export async function storageOperation<Result>(
  operation: string,
  run: () => Promise<Result>,
  metrics = noMetrics,
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

export function createKeyvTable<T>(
  name: string,
  { schema, version }: TableShape<T>,
  backend: Backend,
  metrics: Metrics,
): Table<T> {
  let opened: Keyv | undefined;
  /** Made when first needed, because making it takes 10 µs, and commits do not need it. */
  const keyv = () => {
    // keyv has no listener for errors here. With a listener, a failure of the database would look like a missing entry.
    // `checkExpired` is false, because the databases check the expiry.
    const serialization = { stringify: jsonSerializer.stringify, parse: envelopeOf };
    opened ??= new Keyv({ store: keyvStore(name, backend), serialization, checkExpired: false });
    return opened;
  };

  const strictly = <Result>(operation: string, run: () => Promise<Result>) =>
    storageOperation(operation, run, metrics, `${operation} ${name}`);
  const checked = (keys: readonly string[]): string[] => {
    if (keys.includes("")) throw new StorageError(`key of ${name}`, new Error("a key may not be empty"));
    return [...keys];
  };
  const enveloped = (value: T, ttlMs: number | undefined) => {
    if (value === undefined) throw new StorageError(`value of ${name}`, new Error("undefined cannot be kept"));
    const expires = ttlMs === undefined ? undefined : Date.now() + ttlMs;
    return { value, expires, v: version === 0 ? undefined : version };
  };
  const valueIn = ({ value, v }: Envelope): T => {
    if (v > version) throw new Error(`a later version of Shopbell wrote an entry (${v}, and ${version} is known)`);
    const read = schema.parse(value);
    // The schema may accept undefined. Even then, a text that is no entry must not count as absent.
    if (read === undefined) throw new Error("the stored text is no entry");
    return read;
  };
  const entryOf = (key: string, raw: string) => ({
    key,
    value: valueIn(envelopeOf(raw)),
    version: hash(backend.digest, raw),
  });
  const rowOf = (key: string, raw: string | undefined): Row<T> => (raw === undefined ? absent(key) : entryOf(key, raw));
  const step = (row: Row<unknown>, write: Step["write"]): Step => {
    checked([row.key]);
    return { table: name, key: row.key, version: row.version, write };
  };

  async function getMany(keys: readonly string[]): Promise<(T | undefined)[]> {
    const entries = keys.length === 0 ? [] : await keyv().getManyRaw(checked(keys));
    return (entries as (Envelope | undefined)[]).map((entry) => entry && valueIn(entry));
  }
  async function setMany(entries: readonly (readonly [key: string, value: T])[], ttlMs?: number): Promise<void> {
    checked(entries.map(([key]) => key));
    // A commit may have only one step per row.
    const last = new Map(entries.map(([key, value]) => [key, enveloped(value, ttlMs)]));
    await keyv().setManyRaw([...last].map(([key, value]) => ({ key, value })));
  }
  async function deleteMany(keys: readonly string[]): Promise<void> {
    await keyv().deleteMany(checked([...new Set(keys)]));
  }

  return {
    get: (key) => strictly("get", async () => (await getMany([key]))[0]),
    getMany: (keys) => strictly("getMany", () => getMany(keys)),
    set: (key, value, options) => strictly("set", () => setMany([[key, value]], options?.ttlMs)),
    setMany: (entries) => strictly("setMany", () => setMany(entries)),
    delete: (key) => strictly("delete", () => deleteMany([key])),
    deleteMany: (keys) => strictly("deleteMany", () => deleteMany(keys)),
    async *rows() {
      let isFailed = false;
      let read = 0;
      try {
        // keyv's iterator is not used, because it returns values without their versions.
        for await (const page of backend.entries(name)) {
          for (const { key, raw } of page) {
            yield entryOf(key, raw);
            read += raw.length;
            if (read < charactersAtOnce) continue;
            read = 0;
            await setImmediate();
          }
        }
      } catch (cause) {
        isFailed = true;
        throw new StorageError(`entries ${name}`, cause);
      } finally {
        metrics.storageOperation("entries", isFailed);
      }
    },
    clear: () => strictly("clear", () => keyv().clear()),
    read: (keys) =>
      strictly("read", async () => {
        const stored = keys.length === 0 ? [] : await backend.read(name, checked(keys));
        return keys.map((key, index) => rowOf(key, stored[index]));
      }),
    expect: (row) => step(row, undefined),
    put(row, value, options) {
      const entry = enveloped(value, options?.ttlMs);
      return step(row, { raw: jsonSerializer.stringify(entry), expires: entry.expires });
    },
    remove: (row) => step(row, { raw: undefined, expires: undefined }),
    written: ({ key, write }) => rowOf(key, write?.raw),
  };
}
