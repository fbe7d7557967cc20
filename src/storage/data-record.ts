import { randomUUID } from "node:crypto";
import { z } from "zod";
import { absent, type Storage, type TableShape } from "./table.ts";

const recordSchema = z.object({
  /** Each migration raises the version by one. Shopbell 0.1.0 wrote data of version 1, without this record. */
  version: z.int().positive(),
  shopbell: z.string(),
  /** Set only during a migration: the data version that was reached. */
  migratingFrom: z.int().positive().optional(),
  /** Set only during an import: the id of the file. */
  importOf: z.string().optional(),
});

export type DataRecord = Readonly<z.infer<typeof recordSchema>>;

/** The table's version never changes, because every version of Shopbell must be able to read it. */
export const dataTable: TableShape<DataRecord> = { name: "data", schema: recordSchema, version: 1 };

const copySchema = z.object({
  /** Epoch ms; 0 if unknown. */
  copiedAt: z.number().nonnegative(),
  /** When a bot first worked with the copy, epoch ms. */
  restoredAt: z.number().optional(),
});

/** A stamp in copies of a storage. */
export type CopyStamp = Readonly<z.infer<typeof copySchema>>;

/** If the bot finds an order within this time (ms) after a restore, the alert may have been posted before the restore. */
export const doubtAfterRestoreMs = 7 * 24 * 60 * 60_000;

/** If `at` is in the future, a wrong clock recorded it: returns the time a week before `now`. Otherwise returns `at`. */
export const notInFuture = (at: number, now: number): number =>
  at > now ? Math.max(now - doubtAfterRestoreMs, 0) : at;

/**
 * The stamp of a copy that is made at `now`.
 *
 * @param of the stamp of the copied storage, if that storage is itself a copy. The new stamp gets the time of `of`. But if
 * a bot has worked with the copied storage for more than {@link doubtAfterRestoreMs}, the new stamp gets the time `now`
 */
export function newCopyStamp(of: CopyStamp | undefined, now: number): CopyStamp {
  const isOver = of === undefined || (of.restoredAt !== undefined && of.restoredAt + doubtAfterRestoreMs < now);
  return { copiedAt: isOver ? now : notInFuture(of.copiedAt, now) };
}

/** If the stamp is malformed, the age of the copy counts as unknown. */
export const copyTable: TableShape<CopyStamp> = {
  name: "copy",
  schema: copySchema.catch({ copiedAt: 0 }),
  version: 1,
};

/** The id of a storage. A copy of the storage has the same id. */
export const storageIdTable: TableShape<{ readonly id: string }> = {
  name: "storage-id",
  schema: z.object({ id: z.string() }),
  version: 1,
};

const key = "storage";

export const dataRecord = {
  read: (storage: Storage) => storage.table(dataTable).get(key),
  write: (storage: Storage, record: DataRecord) => storage.table(dataTable).set(key, record),
  /** Does nothing if there is a record. */
  add: (storage: Storage, record: DataRecord) => storage.commit([storage.table(dataTable).put(absent(key), record)]),
};
export const copyStamp = {
  read: (storage: Storage) => storage.table(copyTable).get(key),
  write: (storage: Storage, stamp: CopyStamp) => storage.table(copyTable).set(key, stamp),
};

/** The first call creates the random id. */
export async function storageId(storage: Pick<Storage, "table" | "commit">): Promise<string> {
  const table = storage.table(storageIdTable);
  for (;;) {
    const [row = absent(key)] = await table.read([key]);
    if (row.value) return row.value.id;
    await storage.commit([table.put(row, { id: randomUUID() })]);
  }
}
