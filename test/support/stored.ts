import { z } from "zod";
import type { Storage, Table, TableShape } from "../../src/storage/table.ts";

/** A table without the bot's schema, so any value can be written, and is read as it is. */
export const stored = <T = unknown>(name: string, version = 1): TableShape<T> => ({
  name,
  schema: z.custom<T>(),
  version,
});

/** As {@link stored}, but writes values without a version, as 0.1.0 did. */
export const storedBefore = <T = unknown>(name: string): TableShape<T> => stored<T>(name, 0);

export async function keysIn(storage: Storage, name: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of storage.table(stored(name, Number.POSITIVE_INFINITY)).rows()) keys.push(key);
  return keys;
}

export const valuesOf = async <T>(table: Table<T>, keys: readonly string[]): Promise<(T | undefined)[]> =>
  (await table.read(keys)).map(({ value }) => value);
