export interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

export type Budget = ReturnType<typeof createBudget>;

/**
 * Limits how much each user of a shared resource may take. Each key has a budget in memory. Each budget is a bucket that
 * refills over time. A key with a full bucket takes no memory.
 */
export function createBudget({ burst, perSecond }: Allowance, monotonic = () => performance.now()) {
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
    /**
     * Takes `cost` from this key's budget and returns 0. If the budget is too small, takes nothing and returns the milliseconds
     * until it is large enough.
     */
    spend(key: string, cost = 1): number {
      const now = monotonic();
      forgetFull(now);
      const next = Math.max(fullAt.get(key) ?? 0, now) + cost * costMs;
      const lateMs = next - now - burst * costMs;
      // A delay of less than 0.001 ms is a rounding error of the sums above.
      if (lateMs > 0.001) return lateMs;
      fullAt.delete(key);
      fullAt.set(key, next);
      return 0;
    },
    /** Reverses a `spend`, if the work used nothing in the end. */
    giveBack(key: string, cost = 1): void {
      const at = fullAt.get(key);
      if (at !== undefined) fullAt.set(key, at - cost * costMs);
    },
  };
}
