import { z } from "zod";
import { newMark, partitionOf, polledTable } from "../polled-servers.ts";
import type { Storage } from "../table.ts";
import { textsSchema } from "../texts-schema.ts";

/** The former list of all servers that are polled. */
const listTable = { name: "alerting", schema: textsSchema, version: 1 };
/** The former table with the one process that polls. */
const leaseTable = { name: "lease", schema: z.unknown(), version: 1 } as const;
/** Number of servers written at a time. */
const sliceSize = 500;

/** Replaces the list of polled servers with one row per server. Throws `StorageError`. */
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
