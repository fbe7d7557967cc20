import { randomUUID } from "node:crypto";
import { z } from "zod";
import { absent, type Storage, type TableShape } from "./table.ts";

const recordSchema = z.object({
  /** Counts up with each migration; 1 is what 0.1.0 wrote, which left no record. */
  version: z.int().positive(),
  /** The newest version of Shopbell that worked with it. */
  shopbell: z.string(),
  /** While the data is being brought to `version`: the version up to which it was so far. */
  migratingFrom: z.int().positive().optional(),
  /** While an import is under way: the id of its file, or, of a file without one, when that was exported (epoch ms). */
  importOf: z.union([z.string(), z.number()]).optional(),
});

/** What is known of the data as a whole. */
export type DataRecord = Readonly<z.infer<typeof recordSchema>>;

/** One record. Its own version stays: every version of Shopbell has to be able to read it, to know whether it may read the rest. */
export const dataTable: TableShape<DataRecord> = { name: "data", schema: recordSchema, version: 1 };

const copySchema = z.object({
  /** When it was made; 0 where that is not known. */
  copiedAt: z.number().nonnegative(),
  /** When a bot first worked with it. */
  restoredAt: z.number().optional(),
});

/** That this storage is a copy of an earlier state. Epoch ms. */
export type CopyMark = Readonly<z.infer<typeof copySchema>>;

/**
 * For so long after a restore, whatever the first reading of a list finds may have been posted before: some stores write a
 * time without its zone, and some none. The first reading of a long list takes hours.
 */
export const longestBaselineMs = 7 * 24 * 60 * 60_000;

/** A recorded time (epoch ms). One in the future is of a clock that was fast: it may be any time of the last week. */
export const notInFuture = (at: number, now: number): number => (at > now ? Math.max(now - longestBaselineMs, 0) : at);

/** The mark of a copy that is made now. A copy of a storage that was restored lately lacks what that storage lacks, too. */
export function newCopyMark(of: CopyMark | undefined, now: number): CopyMark {
  const isRead = of === undefined || (of.restoredAt !== undefined && of.restoredAt + longestBaselineMs < now);
  return { copiedAt: isRead ? now : notInFuture(of.copiedAt, now) };
}

/** One record, in copies only. A malformed one is taken for a copy of unknown age: orders are then searched for in vain, and none is announced twice. */
export const copyTable: TableShape<CopyMark> = {
  name: "copy",
  schema: copySchema.catch({ copiedAt: 0 }),
  version: 1,
};

/** One record: what tells this storage from others. Copies have it, too. */
export const storageIdTable: TableShape<{ readonly id: string }> = {
  name: "storage-id",
  schema: z.object({ id: z.string() }),
  version: 1,
};

const key = "storage";

/** The one record of each of the two tables. Throws `StorageError`. */
export const dataRecord = {
  read: (storage: Storage) => storage.table(dataTable).get(key),
  write: (storage: Storage, record: DataRecord) => storage.table(dataTable).set(key, record),
};
export const copyMark = {
  read: (storage: Storage) => storage.table(copyTable).get(key),
  write: (storage: Storage, mark: CopyMark) => storage.table(copyTable).set(key, mark),
};

/** The random id of a storage, made when it is first asked for. Throws `StorageError`. */
export async function storageId(storage: Pick<Storage, "table" | "commit">): Promise<string> {
  const table = storage.table(storageIdTable);
  for (;;) {
    const [row = absent(key)] = await table.read([key]);
    if (row.value) return row.value.id;
    await storage.commit([table.put(row, { id: randomUUID() })]);
  }
}
