import { randomUUID } from "node:crypto";
import { z } from "zod";
import { absent, type Storage, type TableShape } from "./table.ts";

/** One record: what tells this storage from others. Copies have it, too. */
export const storageIdTable: TableShape<{ readonly id: string }> = {
  name: "storage-id",
  schema: z.object({ id: z.string() }),
  version: 1,
};

const key = "storage";

/** The random id of a storage, made when it is first asked for. Throws `StorageError`. */
export async function storageId(storage: Pick<Storage, "table" | "commit">): Promise<string> {
  const table = storage.table(storageIdTable);
  for (;;) {
    const [row = absent(key)] = await table.read([key]);
    if (row.value) return row.value.id;
    await storage.commit([table.put(row, { id: randomUUID() })]);
  }
}
