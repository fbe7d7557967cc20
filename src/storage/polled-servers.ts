import { randomUUID } from "node:crypto";
import { z } from "zod";
import { numberOf } from "../basics/number-of.ts";
import type { TableShape } from "./table.ts";

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
