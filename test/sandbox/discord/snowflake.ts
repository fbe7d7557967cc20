const DISCORD_EPOCH = 1_420_070_400_000;

/** A Discord id for `at` (epoch ms): 42 bits of time since 2015, 10 of worker, 12 of `increment`. */
export function snowflakeAt(at: number, increment = 0): string {
  return String((BigInt(Math.trunc(at) - DISCORD_EPOCH) << 22n) | (1n << 17n) | BigInt(increment));
}

/** Epoch ms. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH;
}

/** Ids that only grow, however many are asked for within a millisecond. */
export function createSnowflakes(now: () => number): () => string {
  let last = 0;
  let increment = 0;
  return () => {
    const at = Math.max(Math.trunc(now()), last);
    increment = at === last ? increment + 1 : 0;
    last = at;
    if (increment > 0xfff) {
      last += 1;
      increment = 0;
    }
    return snowflakeAt(last, increment);
  };
}
