import { z } from "zod";
import type { Storage, TableShape } from "../../src/storage/table.ts";

/** A table as it is stored, whatever the product's shape of it says: any value can be put there, and is read as it is. */
export const stored = <T = unknown>(name: string, version = 1): TableShape<T> => ({
  name,
  schema: z.custom<T>(),
  version,
});

/** As {@link stored}, but what is put there is plain, as 0.1.0 wrote it: without a version. */
export const storedBefore = <T = unknown>(name: string): TableShape<T> => stored<T>(name, 0);

/** The keys of one table. */
export async function keysIn(storage: Storage, name: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const [key] of storage.table(stored(name, Number.POSITIVE_INFINITY)).entries()) keys.push(key);
  return keys;
}
