import { type HealthReport, isFailing } from "../outbox/notices.ts";
import { partitionOf } from "../storage/polled-servers.ts";
import type { Storage } from "../storage/table.ts";
import { partitionsTable } from "./held-partitions.ts";
import type { PollHealth } from "./poll-failures.ts";
import { leasesTable } from "./process-lease.ts";

/**
 * Returns how the polls of a server go if another process polls it. That process records this in its report and in its lease.
 * Throws `StorageError`.
 */
export async function pollsElsewhere(
  storage: Pick<Storage, "table">,
  guildId: string,
  report: HealthReport = {},
): Promise<PollHealth> {
  const { lastGoodAt, lastError } = report;
  const owner = await storage.table(partitionsTable).get(String(partitionOf(guildId)));
  const member = owner && (await storage.table(leasesTable).get(owner.owner));
  const lastPollAt = member?.roundAt;
  return { lastPollAt, lastGoodAt: isFailing(report) ? lastGoodAt : (lastPollAt ?? lastGoodAt), lastError };
}
