import { z } from "zod";
import { partitionOf, polledTable, randomValue } from "../polled-servers.ts";
import type { Storage } from "../table.ts";
import { textsSchema } from "../texts-schema.ts";
import { anyTable } from "./move-rows.ts";

const listTable = { name: "alerting", schema: textsSchema, version: 1 };

/** A malformed record counts as one without alerts. */
const recordsTable = {
  name: "guilds",
  schema: z.looseObject({ alerts: z.unknown() }).catch({ alerts: undefined }),
  version: 1,
};

/**
 * When two processes changed the list of polled servers at the same time, the list could lose servers. So all servers with
 * alerts are added.
 */
export async function toRowsOfServers(storage: Storage): Promise<void> {
  const list = storage.table(listTable);
  const ids = [...((await list.get("ids")) ?? [])];
  for await (const { key, value } of storage.table(recordsTable).rows()) if (value.alerts) ids.push(key);
  for (const [partition, some] of Map.groupBy(new Set(ids), partitionOf)) {
    await storage.table(polledTable, String(partition)).setMany(some.map((id) => [id, randomValue()] as const));
  }
  await list.clear();
  await storage.table(anyTable("lease")).clear();
}
