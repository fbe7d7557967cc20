import { z } from "zod";
import type { Log } from "../basics/log.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import type { FailureCode } from "../outbox/notices.ts";
import { partitionOf } from "../storage/polled-servers.ts";
import { type Commit, replace, type Storage, type TableShape } from "../storage/table.ts";
import { partitionsTable } from "./partitions.ts";
import type { PollHealth } from "./poll-failures.ts";
import { leasesTable } from "./process-lease.ts";

/** Times are epoch ms. */
const reportSchema = z.object({
  isFailing: z.boolean(),
  lastGoodAt: z.number().optional(),
  lastError: z.object({ code: z.custom<FailureCode>((value) => typeof value === "string"), at: z.number() }).optional(),
});
type Report = z.infer<typeof reportSchema>;

/** By the ids of servers, of those whose polls have failed once. What is malformed is forgotten. */
export const healthTable: TableShape<Report> = {
  name: "health",
  schema: reportSchema.catch({ isFailing: false }),
  version: 1,
};

/** What goes on failing is reported so often. */
const reportEveryMs = 60_000;

const isFailing = ({ lastGoodAt = Number.NEGATIVE_INFINITY, lastError }: PollHealth) =>
  lastError !== undefined && lastError.at > lastGoodAt;

/** Reports how one server's polls go, so that other processes can show it: only what changes is written. */
export class HealthReports {
  private readonly storage: Storage;
  private readonly commit: Commit;
  private readonly guildId: string;
  private readonly log: Log;
  private reported: Report = { isFailing: false };

  constructor(storage: Storage, commit: Commit, guildId: string, log: Log) {
    this.storage = storage;
    this.commit = commit;
    this.guildId = guildId;
    this.log = log;
  }

  /** What fails is reported with the next poll. Never rejects. */
  async report(health: PollHealth): Promise<void> {
    const { lastGoodAt, lastError } = health;
    const next = { isFailing: isFailing(health), lastGoodAt, lastError };
    const { reported } = this;
    const isSame = next.isFailing === reported.isFailing && lastError?.code === reported.lastError?.code;
    if (isSame && (lastError?.at ?? 0) - (reported.lastError?.at ?? 0) < reportEveryMs) return;
    try {
      await replace(this.storage.table(healthTable), this.commit, this.guildId, next);
      this.reported = next;
    } catch (error) {
      if (error instanceof ConflictError) return;
      this.log.warn({ err: error, guild: this.guildId }, "how polls go could not be reported to other processes");
    }
  }

  async clear(): Promise<void> {
    await this.storage.table(healthTable).delete(this.guildId);
  }
}

/** How polls of a server go, as the process has reported that polls it. Throws `StorageError`. */
export async function reportedHealth(storage: Storage, guildId: string): Promise<PollHealth> {
  const { isFailing: fails = false, lastGoodAt, lastError } = (await storage.table(healthTable).get(guildId)) ?? {};
  const owner = await storage.table(partitionsTable).get(String(partitionOf(guildId)));
  const member = owner && (await storage.table(leasesTable).get(owner.owner));
  const lastPollAt = member && "roundAt" in member ? member.roundAt : undefined;
  const goodAt = fails ? lastGoodAt : (lastPollAt ?? lastGoodAt);
  return {
    ...(lastPollAt === undefined ? {} : { lastPollAt }),
    ...(goodAt === undefined ? {} : { lastGoodAt: goodAt }),
    ...(lastError ? { lastError } : {}),
  };
}
