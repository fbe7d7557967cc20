import { type HealthReport, isFailing } from "../outbox/notices.ts";
import { partitionOf } from "../storage/polled-servers.ts";
import type { Storage } from "../storage/table.ts";
import { partitionsTable } from "./held-partitions.ts";
import type { PollHealth } from "./poll-backoff.ts";
import { leasesTable } from "./process-lease.ts";

/** Derives the health of a server's polls from the report and the lease of the process that polls the server. */
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
