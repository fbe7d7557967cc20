import type { Chance } from "../basics/backoff.ts";

/** A person who repairs a channel changes a role, then the channel, then perhaps both once more. */
const retriesAtOnce = 3;
/** After those, one retry in this time. Each may be a 403, and Discord bans an address for 10,000 of them in 10 minutes. */
const retryEveryMs = 30_000;

/**
 * When to try again what was refused, after a change of one server's channels or roles. No change is lost: a change that comes
 * before a retry shares it. Times are ms.
 */
export interface RetryAfterChange {
  /** Returns the time until the retry for this change, or undefined if the retry for an earlier change is still to come. */
  changed(): number | undefined;
  /** Time until the last retry that `changed` returned, or Infinity if it was before `since` (by the monotonic clock). */
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
