import type { Log } from "../basics/log.ts";
import { everyone } from "./notes.ts";
import { jobOptions, keptFailedSeconds, type PollQueue, slotId } from "./poll-queue.ts";
import type { SlotServers } from "./slot-roster.ts";
import { slotCount, tickName } from "./slots.ts";

/** Failed jobs taken away at a time. */
const mostCleaned = 1_000;
/** A new slot waits for its own tick when that comes as soon as this: begun at once, all slots would fall to the first worker. */
const soonMs = 30_000;
/** A clock that is set back by less holds nothing up for longer. */
const leastStepMs = 1_000;
const alive: ReadonlySet<string> = new Set(["active", "waiting", "delayed", "prioritized"]);

/** What a slot's scheduler makes at each tick. Failed ones are kept for an operator to look at. */
const template = (slot: number) => ({
  name: tickName(slot),
  data: { slot },
  opts: jobOptions,
});

export interface SlotTicks {
  /**
   * Sees to it that every slot with servers has a scheduler, and no other one; that a slot whose job got lost is begun anew;
   * that nothing waits for a time of a clock that was set back; and that failed jobs go after a day. Resolves to whether that
   * could be done. To be called now and then by every worker: what one has done the others find done.
   */
  tend(): Promise<boolean>;
  /** Whether the wall clock was set back since this was asked last: then it is to be tended at once. Cheap. */
  wasSetBack(): boolean;
}

/** How far the wall clock is ahead of the monotonic one, in ms. */
const wallOffset = () => Date.now() - performance.now();

export function createSlotTicks(
  { jobs, notes, times, expression, addPolls }: PollQueue,
  { servers, log }: { servers(rosterVersion: string): Promise<SlotServers>; readonly log: Log },
): SlotTicks {
  let offsetMs = wallOffset();
  /**
   * What waits in Redis may wait for a time of another clock: that of before, or of the processes before this one. It is
   * looked at but once, so that workers whose clocks differ do not begin slots anew against each other for ever.
   */
  let isClockNew = true;

  async function begin(slot: number) {
    await jobs.upsertJobScheduler(tickName(slot), { pattern: expression }, template(slot));
    const now = Date.now();
    if (times.next(slot, now) - now <= soonMs) return;
    await notes.due(slot, everyone);
    await addPolls(slot, now);
  }

  /** A slot that is late because all workers are busy still has its job. */
  async function isLost(slot: number, polledAt: number | undefined): Promise<boolean> {
    if (polledAt === undefined || !times.isSilent(polledAt)) return false;
    const job = await jobs.getDeduplicationJobId(slotId(slot));
    if (job !== null && alive.has(await jobs.getJobState(job))) return false;
    log.warn({ slot, silentMs: Date.now() - polledAt }, "nothing was heard of a part of the polls; it is begun anew");
    await jobs.removeDeduplicationKey(slotId(slot));
    return true;
  }

  /** What was begun before waits to be tried again, for 15 s at most by the clock of who put it off. */
  async function hurryRetries() {
    for (const job of await jobs.getDelayed()) {
      // It may have become due, or another worker was faster.
      if (job.attemptsStarted > 0) await job.promote().catch(() => undefined);
    }
  }

  async function tendAll(mayBeAhead: boolean) {
    const present = await servers(await notes.roster());
    const [schedulers, states] = await Promise.all([jobs.getJobSchedulers(0, -1), notes.slotStates()]);
    const ticks = new Map(schedulers.map((scheduler) => [scheduler.key, scheduler]));
    for (let slot = 0; slot < slotCount; slot++) {
      const { pattern, next = 0 } = ticks.get(tickName(slot)) ?? {};
      const isAhead = mayBeAhead && next > times.next(slot, Date.now());
      if (!present.has(slot)) {
        if (pattern !== undefined) await jobs.removeJobScheduler(tickName(slot));
      } else if (pattern !== expression || isAhead || (await isLost(slot, states.get(slot)?.polledAt)))
        await begin(slot);
    }
    if (mayBeAhead) await hurryRetries();
    await jobs.clean(keptFailedSeconds * 1_000, mostCleaned, "failed");
  }

  return {
    async tend() {
      const mayBeAhead = isClockNew;
      isClockNew = false;
      try {
        await tendAll(mayBeAhead);
        return true;
      } catch (error) {
        isClockNew ||= mayBeAhead;
        log.warn({ err: error }, "the ticks of polls could not be seen to; it is tried again in half a minute");
        return false;
      }
    },
    wasSetBack() {
      const byMs = offsetMs - wallOffset();
      offsetMs -= byMs;
      if (byMs < leastStepMs) return false;
      log.info({ byMs: Math.round(byMs) }, "the clock was set back; ticks of polls are set by it");
      isClockNew = true;
      return true;
    },
  };
}
