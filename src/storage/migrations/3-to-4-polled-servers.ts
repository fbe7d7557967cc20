import { z } from "zod";
import { newMark, partitionOf, polledTable } from "../polled-servers.ts";
import type { Storage } from "../table.ts";
import { textsSchema } from "../texts-schema.ts";

/** One list of all servers that are polled. */
const listTable = { name: "alerting", schema: textsSchema, version: 1 };
/** Which process polls. */
const leaseTable = { name: "lease", schema: z.unknown(), version: 1 } as const;
/** Servers written at a time. */
const sliceSize = 500;

/** The list of the servers that are polled becomes a row for each. Throws `StorageError`. */
export async function toRowsOfServers(storage: Pick<Storage, "table">): Promise<void> {
  const list = storage.table(listTable);
  const ids = (await list.get("ids")) ?? [];
  for (const [partition, some] of Map.groupBy(new Set(ids), partitionOf)) {
    const table = storage.table(polledTable, String(partition));
    for (let start = 0; start < some.length; start += sliceSize) {
      await table.setMany(some.slice(start, start + sliceSize).map((id) => [id, newMark()] as const));
    }
  }
  await list.clear();
  await storage.table(leaseTable).clear();
}
