/** How many sessions may still begin, and in how many ms the count begins anew. */
export interface SessionStarts {
  readonly remaining: number;
  readonly resetAfterMs: number;
}

/** Docs: Gateway, "Identifying" and "Session Start Limit Object". */
export const SESSIONS_PER_DAY = 1_000;
const DAY_MS = 86_400_000;

/** Which identifies are taken. */
export interface IdentifyLimits {
  /** Whether the shard may identify now. */
  take(shardId: number): boolean;
  refused(): number;
  starts(): SessionStarts;
  set(starts: SessionStarts): void;
}

/**
 * One identify in `identifyEveryMs` for each bucket (docs: Gateway, "Max Concurrency"), on a clock that no test sets, and as
 * many as the count of the day has left.
 */
export function createIdentifyLimits(options: {
  readonly maxConcurrency: number;
  readonly identifyEveryMs: number;
}): IdentifyLimits {
  const takenAt = new Map<number, number>();
  let remaining = SESSIONS_PER_DAY;
  let resetAt = performance.now() + DAY_MS;
  let refused = 0;

  function renew() {
    if (performance.now() < resetAt) return;
    remaining = SESSIONS_PER_DAY;
    resetAt = performance.now() + DAY_MS;
  }

  return {
    take(shardId) {
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
    starts() {
      renew();
      return { remaining, resetAfterMs: Math.max(Math.ceil(resetAt - performance.now()), 0) };
    },
    set(starts) {
      remaining = starts.remaining;
      resetAt = performance.now() + starts.resetAfterMs;
    },
  };
}
