import { randomUUID } from "node:crypto";
import { z } from "zod";
import { absent, type Storage, type TableShape } from "./table.ts";

const recordSchema = z.object({
  /** Grows by one with each migration. Version 1 is the data of version 0.1.0, which wrote no record. */
  version: z.int().positive(),
  /** The newest version of Shopbell that worked with the data. */
  shopbell: z.string(),
  /** Set during a migration to `version`: the version reached so far. */
  migratingFrom: z.int().positive().optional(),
  /** Set during an import: the id of the imported file. */
  importOf: z.string().optional(),
});

export type DataRecord = Readonly<z.infer<typeof recordSchema>>;

/** A table with one record. Its own version never changes, because every version of Shopbell must be able to read it. */
export const dataTable: TableShape<DataRecord> = { name: "data", schema: recordSchema, version: 1 };

const copySchema = z.object({
  /** When the copy was made (0 if unknown). */
  copiedAt: z.number().nonnegative(),
  /** When a bot first worked with the copy. */
  restoredAt: z.number().optional(),
});

/** The mark of a storage that is a copy of an earlier state (read by outbox/restore-marker.ts). Times are epoch ms. */
export type CopyMark = Readonly<z.infer<typeof copySchema>>;

/**
 * If the first reading of a list finds an order within this time after a restore, the order may already have been posted. The
 * first reading of a long list takes hours. The order's creation time is not reliable.
 */
export const longestBaselineMs = 7 * 24 * 60 * 60_000;

/**
 * Corrects a recorded time (epoch ms). A time in the future was recorded while a clock was fast, so it may be any time of the
 * last week.
 */
export const notInFuture = (at: number, now: number): number => (at > now ? Math.max(now - longestBaselineMs, 0) : at);

/** Returns the mark of a copy that is made now. If the storage was itself restored recently, the older time stays. */
export function newCopyMark(of: CopyMark | undefined, now: number): CopyMark {
  const isRead = of === undefined || (of.restoredAt !== undefined && of.restoredAt + longestBaselineMs < now);
  return { copiedAt: isRead ? now : notInFuture(of.copiedAt, now) };
}

/** A table with one record, which only copies have. A malformed record reads as a copy of unknown age. */
export const copyTable: TableShape<CopyMark> = {
  name: "copy",
  schema: copySchema.catch({ copiedAt: 0 }),
  version: 1,
};

/** A table with one record: an id that distinguishes this storage from others. Copies have the same id. */
export const storageIdTable: TableShape<{ readonly id: string }> = {
  name: "storage-id",
  schema: z.object({ id: z.string() }),
  version: 1,
};

const key = "storage";

export const dataRecord = {
  read: (storage: Storage) => storage.table(dataTable).get(key),
  write: (storage: Storage, record: DataRecord) => storage.table(dataTable).set(key, record),
};
export const copyMark = {
  read: (storage: Storage) => storage.table(copyTable).get(key),
  write: (storage: Storage, mark: CopyMark) => storage.table(copyTable).set(key, mark),
};

/** Returns the random id of a storage. The first call creates it. Throws `StorageError`. */
export async function storageId(storage: Pick<Storage, "table" | "commit">): Promise<string> {
  const table = storage.table(storageIdTable);
  for (;;) {
    const [row = absent(key)] = await table.read([key]);
    if (row.value) return row.value.id;
    await storage.commit([table.put(row, { id: randomUUID() })]);
  }
}
