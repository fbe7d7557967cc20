import type { Chance } from "../basics/backoff.ts";

/** Only its owner can repair a lost channel: it counts as so many failures from the start, 8 to 16 s. */
export const leastOfLost = 4;
/** A person who repairs a channel changes a role, then the channel, then perhaps both once more. */
const heededAtOnce = 3;
/** And then one change in so long: each may be a 403, and Discord bans an address for 10,000 of them in 10 minutes. */
const heededEveryMs = 30_000;

/**
 * How often a change of one server's channels or roles makes the bot try again what was refused. No change is lost: what
 * is not heeded at once is heeded later, together with all that come until then. Times are ms.
 */
export interface ChannelChanges {
  /** Something changed. Gives when to try again, or nothing where that was promised for an earlier change. */
  changed(): number | undefined;
  /** Until what was promised, if a try that began at `since` does not keep it; Infinity where nothing is. */
  aheadMs(since?: number): number;
}

export function createChannelChanges({ monotonic }: Pick<Chance, "monotonic">): ChannelChanges {
  let fullAt = Number.NEGATIVE_INFINITY;
  let promisedAt = Number.NEGATIVE_INFINITY;
  const aheadMs = (since = monotonic()) =>
    promisedAt > since ? Math.max(promisedAt - monotonic(), 0) : Number.POSITIVE_INFINITY;
  return {
    changed() {
      const now = monotonic();
      if (promisedAt > now) return undefined;
      fullAt = Math.max(fullAt, now) + heededEveryMs;
      promisedAt = Math.max(now, fullAt - heededAtOnce * heededEveryMs);
      return promisedAt - now;
    },
    aheadMs,
  };
}
