import { z } from "zod";
import { absent, type Step, type Storage, StorageError, type Table, type TableShape } from "../table.ts";

/** A text that is no entry reads as null, because a malformed row must not prevent the migration of the other rows. */
const anySchema: z.ZodType<unknown> = z.unknown().transform((value) => value ?? null);

export const anyTable = (name: string, version = 1) => ({ name, schema: anySchema, version });

/** Throws a `StorageError` if a row has changed: no other process may work with the storage during a migration. */
export async function commitAlone(storage: Pick<Storage, "commit">, steps: readonly Step[]): Promise<void> {
  if (await storage.commit(steps)) return;
  throw new StorageError("migrate", new Error("another process writes into this storage"));
}

export async function keysOf(table: Table<unknown>): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of table.rows()) keys.push(key);
  return keys;
}

/**
 * Moves each row of a table into a field of the record with the same key. A missing record is created only if `to.isNew`. A row
 * that cannot be moved is removed.
 */
export async function moveIntoRecords(
  storage: Storage,
  from: TableShape<unknown>,
  to: { readonly table: string; readonly field: string; readonly isNew?: true },
): Promise<void> {
  const [table, records] = [storage.table(from), storage.table(anyTable(to.table))];
  for (const key of await keysOf(table)) {
    const [row = absent(key)] = await table.read([key]);
    const [record = absent(key)] = await records.read([key]);
    const isMoved = row.value && (record.value instanceof Object || to.isNew);
    const value = { ...Object(record.value), [to.field]: row.value };
    await commitAlone(storage, [table.remove(row), ...(isMoved ? [records.put(record, value)] : [])]);
  }
}
