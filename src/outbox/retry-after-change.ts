import type { Chance } from "../basics/limits/backoff.ts";

/**
 * Number of changes in a row that each cause a retry at once. To repair a channel, a person changes a role, then the channel,
 * then perhaps both once more.
 */
const retriesAtOnce = 3;
/**
 * After those retries, one retry per this time. Each retry may get a 403, and Discord bans an address for 10,000 of them in 10
 * minutes.
 */
const retryEveryMs = 30_000;

/**
 * Decides when refused messages are tried again after somebody changed channels or roles of one server. A change that comes
 * before a pending retry shares that retry, so no change is lost. Times are ms.
 */
export interface RetryAfterChange {
  /** Returns the time until the retry for this change, or undefined if the retry for an earlier change is still to come. */
  changed(): number | undefined;
  /**
   * Returns the time until the last retry that `changed` returned. Returns Infinity if that retry was before `since` (by the
   * monotonic clock).
   */
  dueInMs(since: number): number;
}

export function createRetryAfterChange({ monotonic }: Pick<Chance, "monotonic">): RetryAfterChange {
  let fullAt = Number.NEGATIVE_INFINITY;
  let dueAt = Number.NEGATIVE_INFINITY;
  return {
    changed() {
      const now = monotonic();
      if (dueAt > now) return undefined;
      fullAt = Math.max(fullAt, now) + retryEveryMs;
      dueAt = Math.max(now, fullAt - retriesAtOnce * retryEveryMs);
      return dueAt - now;
    },
    dueInMs: (since) => (dueAt > since ? Math.max(dueAt - monotonic(), 0) : Number.POSITIVE_INFINITY),
  };
}
