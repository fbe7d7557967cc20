import { randomUUID } from "node:crypto";
import { z } from "zod";
import { idHash } from "../basics/id-hash.ts";
import type { TableShape } from "./table.ts";

/**
 * Groups of servers; one process at a time polls a group. 64 are enough for even shares of two dozen processes, and few enough to
 * be read at once.
 */
export const partitionCount = 64;
export const partitions: readonly number[] = Array.from({ length: partitionCount }, (_, partition) => partition);

/** The partition of a server. It is the same in every process and version. */
export const partitionOf = (guildId: string): number => idHash(guildId) % partitionCount;

const markSchema = z.object({ mark: z.string() });
export type Mark = z.infer<typeof markSchema>;
export const newMark = (): Mark => ({ mark: randomUUID() });

/**
 * One table for each partition, keyed by the ids of the servers that are polled: those with alerts or digests on. The mark
 * changes when a process that does not poll the server changes data of that server.
 */
export const polledTable: TableShape<Mark> = { name: "polled", schema: markSchema.catch({ mark: "" }), version: 1 };
/** Keyed by partition number. A mark changes with each change of a row in {@link polledTable}. */
export const marksTable: TableShape<Mark> = { ...polledTable, name: "polled-marks" };
