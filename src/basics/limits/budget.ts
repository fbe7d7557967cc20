export interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

export type Budget = ReturnType<typeof createBudget>;

/**
 * Limits how much of a shared resource each user may take. A key names the user. Each user has a bucket in memory, which
 * refills over time.
 */
export function createBudget({ burst, perSecond }: Allowance, monotonic = () => performance.now()) {
  const costMs = 1_000 / perSecond;
  /** When each bucket is full again (monotonic ms). The key used last is at the end. */
  const fullAt = new Map<string, number>();

  function forgetFull(now: number) {
    for (const [key, at] of fullAt) {
      if (at > now) return;
      fullAt.delete(key);
    }
  }

  return {
    /** Takes `cost` and returns 0, or takes nothing and returns the milliseconds until the bucket has enough. */
    spend(key: string, cost = 1): number {
      const now = monotonic();
      forgetFull(now);
      const next = Math.max(fullAt.get(key) ?? 0, now) + cost * costMs;
      const lateMs = next - now - burst * costMs;
      // Less than 0.001 ms is a rounding error of the sums above.
      if (lateMs > 0.001) return lateMs;
      fullAt.delete(key);
      fullAt.set(key, next);
      return 0;
    },
    /** Reverses a `spend` that returned 0, for example because the work used nothing. */
    giveBack(key: string, cost = 1): void {
      const at = fullAt.get(key);
      if (at !== undefined) fullAt.set(key, at - cost * costMs);
    },
  };
}
