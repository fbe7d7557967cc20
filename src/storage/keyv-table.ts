import Keyv from "keyv";
import type { TableStore } from "./backend.ts";
import { StorageError, type Table } from "./table.ts";

async function strictly<Result>(operation: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run();
  } catch (cause) {
    throw new StorageError(operation, cause);
  }
}

/** keyv keeps `{ value }`. What is there but is not that was written by something else, and is not "no entry". */
function unwrap<T>(entry: unknown): T | undefined {
  if (entry === undefined) return undefined;
  const { value } = entry as { value?: T };
  if (value === undefined) throw new Error("an entry holds no value");
  return value;
}

function assertKept(results: readonly boolean[]): void {
  if (results.includes(false)) throw new Error("the store did not keep every entry");
}

/** A table on a keyv store. `name` is for messages only. */
export function createKeyvTable<T>(name: string, { store, keyPrefix }: TableStore): Table<T> {
  // A keyv without listeners throws what it would otherwise report and answer with "nothing". Expiry is the adapters'.
  const keyv = new Keyv({ store, checkExpired: false });
  const on = (operation: string) => `${operation} ${name}`;
  const inside = (key: string) => {
    if (key === "") throw new Error("a key may not be empty");
    return keyPrefix + key;
  };

  return {
    get: (key) => strictly(on("get"), async () => unwrap<T>(await keyv.getRaw(inside(key)))),
    getMany: (keys) =>
      strictly(on("getMany"), async () =>
        keys.length === 0 ? [] : (await keyv.getManyRaw(keys.map(inside))).map((entry) => unwrap<T>(entry)),
      ),
    set: (key, value, options) =>
      strictly(on("set"), async () => {
        if (value === undefined) throw new Error("undefined cannot be kept");
        assertKept([await keyv.set(inside(key), value, options?.ttlMs)]);
      }),
    setMany: (entries) =>
      strictly(on("setMany"), async () => {
        if (entries.length === 0) return;
        if (entries.some(([, value]) => value === undefined)) throw new Error("undefined cannot be kept");
        // PostgreSQL refuses a statement that writes one key twice: the last value of a key is the one that counts.
        const last = new Map(entries.map(([key, value]) => [inside(key), value]));
        assertKept(await keyv.setMany([...last].map(([key, value]) => ({ key, value }))));
      }),
    delete: (key) =>
      strictly(on("delete"), async () => {
        await keyv.delete(inside(key));
      }),
    deleteMany: (keys) =>
      strictly(on("deleteMany"), async () => {
        if (keys.length > 0) await keyv.deleteMany(keys.map(inside));
      }),
    async *entries() {
      try {
        for await (const [key, value] of keyv.iterator() as AsyncIterable<[string, T | undefined]>) {
          if (value === undefined) throw new Error("an entry holds no value");
          yield [key, value] as const;
        }
      } catch (cause) {
        throw new StorageError(on("entries"), cause);
      }
    },
    clear: () => strictly(on("clear"), () => keyv.clear()),
  };
}
