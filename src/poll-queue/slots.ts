import { numberOf } from "../basics/number-of.ts";
import { nextRunOf } from "../polling/schedule.ts";

/**
 * Servers are polled in so many groups, a job for each group and tick: enough for a share of the work to each of a dozen
 * workers, few enough that 100 servers cost no more than 6 commands of Redis a poll (measured: docs/capacity.md).
 */
export const slotCount = 16;
/** The slots of a tick are spread over the time to the next one, but over no more than this. */
const longestSpreadMs = 60_000;

/** Where nothing was heard of a slot for five ticks and so long, its job may have got lost. */
const missedTicks = 5;
const momentMs = 60_000;

/** The slot of a server: the same in every process and version. */
export const slotOf = (guildId: string): number => numberOf(guildId) % slotCount;

/** Name of a slot's scheduler and of its jobs. */
export const tickName = (slot: number) => `tick-${slot}`;
export const slotOfTick = (name: string) => Number(name.slice("tick-".length));

/** When polls are due. Times are epoch ms. */
export interface SlotTimes {
  /** The next tick of a slot after a moment. */
  next(slot: number, after: number): number;
  /** The time over which the servers of one slot are spread, in ms. */
  windowMs(at: number): number;
  /** From one tick of a slot to the next one, in ms. */
  gapMs(at: number): number;
  /** Whether a slot that was polled then has missed so many ticks that nobody may be polling it. */
  isSilent(polledAt: number): boolean;
}

/** The ticks of a cron expression (seconds first, UTC), those of each slot a little later than those of the one before. */
export function slotTimes(expression: string): SlotTimes {
  const nextRun = nextRunOf(expression);
  const gapMs = (at: number) => {
    const tick = nextRun(at);
    return nextRun(tick) - tick;
  };
  const spreadMs = (tick: number) => Math.min(nextRun(tick) - tick, longestSpreadMs);
  return {
    next(slot, after) {
      for (let tick = nextRun(after - longestSpreadMs); ; tick = nextRun(tick)) {
        const at = tick + Math.floor((spreadMs(tick) * slot) / slotCount);
        if (at > after || !Number.isFinite(at)) return at;
      }
    },
    windowMs: (at) => Math.min(gapMs(at), longestSpreadMs) / slotCount,
    gapMs,
    isSilent(polledAt) {
      const now = Date.now();
      return Math.abs(now - polledAt) >= missedTicks * gapMs(now) + momentMs;
    },
  };
}
