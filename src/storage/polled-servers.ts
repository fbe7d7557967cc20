import { randomUUID } from "node:crypto";
import { z } from "zod";
import { numberOf } from "../basics/number-of.ts";
import type { Storage, TableShape } from "./table.ts";
import { textsSchema } from "./texts-schema.ts";

/**
 * Servers are polled in so many groups, each by one process at a time: enough for even shares of two dozen processes, and few
 * enough to be looked at in one read.
 */
export const partitionCount = 64;
export const partitions: readonly number[] = Array.from({ length: partitionCount }, (_, partition) => partition);

/** The same in every process and version. */
export const partitionOf = (guildId: string): number => numberOf(guildId) % partitionCount;

const markSchema = z.object({ mark: z.string() });
export type Mark = z.infer<typeof markSchema>;
export const newMark = (): Mark => ({ mark: randomUUID() });

/**
 * A table for each partition, by the ids of the servers that are polled: those with alerts or digests on. The mark becomes
 * another one when a process that does not poll the server changes what is kept for it.
 */
export const polledTable: TableShape<Mark> = { name: "polled", schema: markSchema.catch({ mark: "" }), version: 1 };
/** By the numbers of partitions: becomes another one with each change of a row in {@link polledTable}. */
export const marksTable: TableShape<Mark> = { ...polledTable, name: "polled-marks" };

/** One list of all servers that are polled, up to version 3 of the data. */
const listTable = { name: "alerting", schema: textsSchema, version: 1 };
/** Who polls, up to version 3 of the data. */
const leaseTable = { name: "lease", schema: z.unknown(), version: 1 } as const;
/** Servers written at a time. */
const sliceSize = 500;

/** The migration from data of version 3 to 4: the list of the servers that are polled becomes a row for each. */
export async function listToRows(storage: Pick<Storage, "table">): Promise<void> {
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
