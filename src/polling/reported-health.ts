import { type HealthReport, isFailing } from "../outbox/notices.ts";
import { partitionOf } from "../storage/polled-servers.ts";
import type { Storage } from "../storage/table.ts";
import { partitionsTable } from "./held-partitions.ts";
import type { PollHealth } from "./poll-failures.ts";
import { leasesTable } from "./process-lease.ts";

/**
 * Returns how polls of a server go that another process polls. The sources are the report and the lease of that process. Throws
 * `StorageError`.
 */
export async function reportedHealth(
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
