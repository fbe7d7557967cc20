import { randomUUID } from "node:crypto";
import { z } from "zod";
import { idHash } from "../basics/id-hash.ts";
import { absent, type Storage, type TableShape } from "./table.ts";

/**
 * A partition is a group of servers that one process at a time polls. With 64 partitions, two dozen processes have about equal
 * shares, and one read returns the rows of all partitions.
 */
export const partitionCount = 64;
export const partitions: readonly number[] = Array.from({ length: partitionCount }, (_, partition) => partition);

/** The same in every process and version. */
export const partitionOf = (guildId: string): number => idHash(guildId) % partitionCount;

/** With a random value, each write gives the row a new version. */
const randomSchema = z.object({ mark: z.string() }).catch({ mark: "" });
export type RandomValue = z.infer<typeof randomSchema>;
export const randomValue = (): RandomValue => ({ mark: randomUUID() });

/**
 * One table per partition. Keys are the ids of the polled servers, which have alerts or digests on. Each {@link announcementOf}
 * for a server changes its row.
 */
export const polledTable: TableShape<RandomValue> = { name: "polled", schema: randomSchema, version: 1 };
/** Keys are partition numbers. Each {@link announcementOf} changes the partition's row, even if the server is not polled. */
export const changesTable: TableShape<RandomValue> = { ...polledTable, name: "polled-marks" };

/**
 * Returns steps to commit together with a change of a server's data. They store whether the server is polled, and announce the
 * change to the process that polls it.
 *
 * @param isPolled undefined if this does not change
 * @returns `server`: the server's row after the commit. `before`, `after`: the partition's row before and after the commit
 */
export async function announcementOf(storage: Pick<Storage, "table">, guildId: string, isPolled?: boolean) {
  const partition = String(partitionOf(guildId));
  const [servers, changes] = [storage.table(polledTable, partition), storage.table(changesTable)];
  const [server = absent(guildId)] = await servers.read([guildId]);
  const [before = absent(partition)] = await changes.read([partition]);
  const isListed = isPolled ?? server.value !== undefined;
  const listing = isListed ? servers.put(server, randomValue()) : servers.remove(server);
  const change = changes.put(before, randomValue());
  return { steps: [listing, change], server: servers.written(listing), before, after: changes.written(change) };
}

export type Announcement = Awaited<ReturnType<typeof announcementOf>>;
