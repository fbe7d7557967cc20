export interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

/** Limits how much each user of a shared resource may take. */
export interface Budget {
  /**
   * Takes `cost` (default 1) from this key's budget and returns 0. If the budget is too small, takes nothing and
   * returns the milliseconds until it is large enough.
   */
  spend(key: string, cost?: number): number;
  /** Gives back what was taken for work that then cost nothing. */
  giveBack(key: string, cost?: number): void;
}

/** Creates a budget for each key, in memory, as a bucket that refills. Only keys whose bucket is not full are kept. */
export function createBudget({ burst, perSecond }: Allowance, monotonic = () => performance.now()): Budget {
  const costMs = 1_000 / perSecond;
  /** When the bucket of each key is full again. The key used last is at the end. */
  const fullAt = new Map<string, number>();

  function forgetFull(now: number) {
    for (const [key, at] of fullAt) {
      if (at > now) return;
      fullAt.delete(key);
    }
  }

  return {
    spend(key, cost = 1) {
      const now = monotonic();
      forgetFull(now);
      const next = Math.max(fullAt.get(key) ?? 0, now) + cost * costMs;
      const lateMs = next - now - burst * costMs;
      // Ignore less than this: sums of floating-point times are slightly too large.
      if (lateMs > 0.001) return lateMs;
      fullAt.delete(key);
      fullAt.set(key, next);
      return 0;
    },
    giveBack(key, cost = 1) {
      const at = fullAt.get(key);
      if (at !== undefined) fullAt.set(key, at - cost * costMs);
    },
  };
}
