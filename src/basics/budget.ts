/** How much may be used at once, and how fast it comes back. */
export interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

/** Meters what each of many may use of something that all share. */
export interface Budget {
  /** Takes `cost` (default 1) from what this key has left and gives 0; or takes nothing and gives the ms until there is enough. */
  spend(key: string, cost?: number): number;
  /** Gives back what was taken for something that then cost nothing. */
  giveBack(key: string, cost?: number): void;
}

/**
 * A bucket for each key. In memory, and only of keys that have not got everything back yet: at most those that used
 * something within the last `burst / perSecond` seconds.
 *
 * @param monotonic a monotonic clock, in ms
 */
export function createBudget({ burst, perSecond }: Allowance, monotonic = () => performance.now()): Budget {
  const costMs = 1_000 / perSecond;
  /** Per key when it has everything back; the one that was used last is the last one. */
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
      // Times of a floating clock add up to a little more than they are.
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
