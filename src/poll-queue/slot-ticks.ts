import type { Log } from "../basics/log.ts";
import { everyone } from "./notes.ts";
import { jobOptions, keptFailedSeconds, type PollQueue, slotId } from "./poll-queue.ts";
import type { SlotServers } from "./slot-roster.ts";
import { slotCount, tickName } from "./slots.ts";

/** Failed jobs taken away at a time. */
const mostCleaned = 1_000;
/** Where nothing was heard of a slot for five ticks and so long, its job may have got lost. */
const missedTicks = 5;
const momentMs = 60_000;
/** A new slot waits for its own tick when that comes as soon as this: begun at once, all slots would fall to the first worker. */
const soonMs = 30_000;
const alive: ReadonlySet<string> = new Set(["active", "waiting", "delayed", "prioritized"]);

/** What a slot's scheduler makes at each tick. Failed ones are kept for an operator to look at. */
const template = (slot: number) => ({
  name: tickName(slot),
  data: { slot },
  opts: jobOptions,
});

/**
 * Sees to it that every slot with servers has a scheduler, and no other one; that a slot whose job got lost is begun anew;
 * and that failed jobs go after a day. Resolves to whether that could be done. To be called now and then by every worker: what one has done the others find done.
 */
export function createSlotTicks(
  { jobs, notes, times, expression, addPolls }: PollQueue,
  { servers, log }: { servers(rosterVersion: string): Promise<SlotServers>; readonly log: Log },
): () => Promise<boolean> {
  async function begin(slot: number) {
    await jobs.upsertJobScheduler(tickName(slot), { pattern: expression }, template(slot));
    const now = Date.now();
    if (times.next(slot, now) - now <= soonMs) return;
    await notes.due(slot, everyone);
    await addPolls(slot, now);
  }

  /** A slot that is late because all workers are busy still has its job. */
  async function isLost(slot: number, polledAt: number | undefined): Promise<boolean> {
    const now = Date.now();
    if (polledAt === undefined || Math.abs(now - polledAt) < missedTicks * times.gapMs(now) + momentMs) return false;
    const job = await jobs.getDeduplicationJobId(slotId(slot));
    if (job !== null && alive.has(await jobs.getJobState(job))) return false;
    log.warn({ slot, silentMs: now - polledAt }, "nothing was heard of a part of the polls; it is begun anew");
    await jobs.removeDeduplicationKey(slotId(slot));
    return true;
  }

  async function tend() {
    const present = await servers(await notes.roster());
    const [schedulers, states] = await Promise.all([jobs.getJobSchedulers(0, -1), notes.slotStates()]);
    const patterns = new Map(schedulers.map(({ key, pattern }) => [key, pattern]));
    for (let slot = 0; slot < slotCount; slot++) {
      const pattern = patterns.get(tickName(slot));
      if (!present.has(slot)) {
        if (pattern !== undefined) await jobs.removeJobScheduler(tickName(slot));
      } else if (pattern !== expression || (await isLost(slot, states.get(slot)?.polledAt))) await begin(slot);
    }
    await jobs.clean(keptFailedSeconds * 1_000, mostCleaned, "failed");
  }

  return async () => {
    try {
      await tend();
      return true;
    } catch (error) {
      log.warn({ err: error }, "the ticks of polls could not be seen to; it is tried again in half a minute");
      return false;
    }
  };
}
