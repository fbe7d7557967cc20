import { randomUUID } from "node:crypto";
import { z } from "zod";
import { idHash } from "../basics/id-hash.ts";
import type { TableShape } from "./table.ts";

/**
 * Number of partitions. A partition is a group of servers that one process at a time polls. With 64, two dozen processes have
 * about equal shares, and one read returns all partitions.
 */
export const partitionCount = 64;
export const partitions: readonly number[] = Array.from({ length: partitionCount }, (_, partition) => partition);

/** Returns the partition of a server, which is the same in every process and version. */
export const partitionOf = (guildId: string): number => idHash(guildId) % partitionCount;

const markSchema = z.object({ mark: z.string() });
export type Mark = z.infer<typeof markSchema>;
export const newMark = (): Mark => ({ mark: randomUUID() });

/**
 * One table per partition. Keys are the ids of the polled servers, which have alerts or digests on. The mark is a random text.
 * It changes with each announced change of the server's data.
 */
export const polledTable: TableShape<Mark> = { name: "polled", schema: markSchema.catch({ mark: "" }), version: 1 };
/** Keys are the numbers of partitions. The mark changes with each change of a row in {@link polledTable}. */
export const marksTable: TableShape<Mark> = { ...polledTable, name: "polled-marks" };
