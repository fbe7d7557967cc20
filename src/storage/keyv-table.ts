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

/** The name of a row in keyv. Unique, because no table name has a slash. */
export const rowName = ({ table, key }: Pick<Step, "table" | "key">): string => `${table}/${key}`;

function rowNamed(name: string): Pick<Step, "table" | "key"> {
  const end = name.indexOf("/");
  return { table: name.slice(0, end), key: name.slice(end + 1) };
}

/** One keyv for all tables, because it takes 3.5 kB of memory, and each server has tables of its own. */
export function createKeyv(backend: Backend): Keyv {
  const write = (entries: readonly { key: string; value?: string; expires?: number | undefined }[]) => {
    const steps = entries.map(({ key: name, value: raw, expires }) => {
      return { ...rowNamed(name), version: "any", write: { raw, expires } };
    });
    return commitInSlices(backend, steps);
  };
  /** Has only the methods that keyv calls here. */
  const store = {
    capabilities: { expires: true },
    /** The names are of one table. */
    getMany(names: string[]) {
      const rows = names.map(rowNamed);
      return backend.read(
        rows[0]?.table ?? "",
        rows.map(({ key }) => key),
      );
    },
    setMany: (entries: { key: string; value: string; expires: number | undefined }[]) => write(entries),
    async deleteMany(names: string[]) {
      await write(names.map((key) => ({ key })));
      return names.map(() => true);
    },
  };
  // `parse` keeps the stored text, because a row's version is a hash of this text.
  const serialization = { stringify: jsonSerializer.stringify, parse: (raw: string) => raw };
  // keyv has no listener for errors here. With a listener, a failure of the database would look like a missing entry.
  // `checkExpired` is false, because the databases check the expiry.
  return new Keyv({ store, serialization, checkExpired: false });
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
  { backend, keyv, metrics }: { readonly backend: Backend; readonly keyv: Keyv; readonly metrics: Metrics },
): Table<T> {
  const strictly = <Result>(operation: string, run: () => Promise<Result>) =>
    storageOperation(operation, run, metrics, `${operation} ${name}`);
  const nameOf = (key: string): string => {
    if (key === "") throw new StorageError(`key of ${name}`, new Error("a key may not be empty"));
    return rowName({ table: name, key });
  };
  const enveloped = (value: T, ttlMs: number | undefined) => {
    if (value === undefined) throw new StorageError(`value of ${name}`, new Error("undefined cannot be kept"));
    const expires = ttlMs === undefined ? undefined : Date.now() + ttlMs;
    return { value, expires, v: version === 0 ? undefined : version };
  };
  const valueIn = ({ value, v }: Envelope): T => {
    if (v > version) throw new Error(`a later version of Shopbell wrote an entry (${v}, and ${version} is known)`);
    const read = schema.parse(value);
    // `get` returns undefined only for a missing row, even if the schema accepts undefined.
    if (read === undefined) throw new Error("the stored text is no entry");
    return read;
  };
  const entryOf = (key: string, raw: string) => ({
    key,
    value: valueIn(envelopeOf(raw)),
    version: hash(backend.digest, raw),
  });
  const rowOf = (key: string, raw: string | undefined): Row<T> => (raw === undefined ? absent(key) : entryOf(key, raw));
  const step = ({ key, version }: Row<unknown>, write: Step["write"]): Step => {
    nameOf(key);
    return { table: name, key, version, write };
  };

  async function read(keys: readonly string[]): Promise<Row<T>[]> {
    const stored: unknown[] = await keyv.getManyRaw(keys.map(nameOf));
    return keys.map((key, index) => rowOf(key, stored[index] as string | undefined));
  }
  async function setMany(entries: readonly (readonly [key: string, value: T])[], ttlMs?: number): Promise<void> {
    // A commit may have only one step per row.
    const last = new Map(entries.map(([key, value]) => [nameOf(key), enveloped(value, ttlMs)]));
    await keyv.setManyRaw([...last].map(([key, value]) => ({ key, value })));
  }
  async function deleteMany(keys: readonly string[]): Promise<void> {
    await keyv.deleteMany([...new Set(keys.map(nameOf))]);
  }

  return {
    get: (key) => strictly("get", async () => (await read([key]))[0]?.value),
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
    clear: () => strictly("clear", () => backend.clear(name)),
    read: (keys) => strictly("read", () => read(keys)),
    expect: (row) => step(row, undefined),
    put(row, value, options) {
      const entry = enveloped(value, options?.ttlMs);
      return step(row, { raw: jsonSerializer.stringify(entry), expires: entry.expires });
    },
    remove: (row) => step(row, { raw: undefined, expires: undefined }),
    written: ({ key, write }) => rowOf(key, write?.raw),
  };
}
