/** The number of sessions that may still begin, and the time until the count starts again, in ms. */
export interface SessionStarts {
  readonly remaining: number;
  readonly resetAfterMs: number;
}

/** Docs: Gateway, "Identifying" and "Session Start Limit Object". */
const sessionsPerDay = 1_000;
const dayMs = 86_400_000;

export type IdentifyLimits = ReturnType<typeof createIdentifyLimits>;

/**
 * Accepts one identify in `identifyEveryMs` for each bucket (docs: Gateway, "Max Concurrency"), measured by the monotonic
 * clock, and as many as the day's count has left.
 */
export function createIdentifyLimits(options: { readonly maxConcurrency: number; readonly identifyEveryMs: number }) {
  const takenAt = new Map<number, number>();
  let remaining = sessionsPerDay;
  let resetAt = performance.now() + dayMs;
  let refused = 0;

  function renew() {
    if (performance.now() < resetAt) return;
    remaining = sessionsPerDay;
    resetAt = performance.now() + dayMs;
  }

  return {
    /** Whether the shard may identify now. */
    take(shardId: number): boolean {
      renew();
      const bucket = shardId % options.maxConcurrency;
      const last = takenAt.get(bucket) ?? Number.NEGATIVE_INFINITY;
      if (remaining <= 0 || performance.now() - last < options.identifyEveryMs) {
        refused += 1;
        return false;
      }
      takenAt.set(bucket, performance.now());
      remaining -= 1;
      return true;
    },
    refused: () => refused,
    /** `session_start_limit` of `GET /gateway/bot`. */
    startLimit() {
      renew();
      const reset_after = Math.max(Math.ceil(resetAt - performance.now()), 0);
      return { total: sessionsPerDay, remaining, reset_after, max_concurrency: options.maxConcurrency };
    },
    set(starts: SessionStarts): void {
      remaining = starts.remaining;
      resetAt = performance.now() + starts.resetAfterMs;
    },
  };
}
