/** A monotonic clock, in ms, and chance from 0 to 1. */
export interface Chance {
  readonly monotonic: () => number;
  readonly random: () => number;
}

const firstMs = 1_000;
/** No alert waits longer for anything but a refused token, whatever the other side asks for. */
const longestWaitMs = 5 * 60_000;

/**
 * How long to leave something alone that failed, and until when. Times are ms.
 *
 * Waits double from 2 s to the longest, of which a random half, so that servers whose stores failed together do not come
 * back together. A class, because there are seven for each server that is polled, of 94 bytes (measured); as closures they took 1 kB.
 */
export class Backoff {
  /** Failures in a row. */
  failures = 0;
  private until = Number.NEGATIVE_INFINITY;
  private readonly chance: Chance;
  private readonly longestMs: number;
  private readonly startAt: number;

  /** @param startAt how many doublings the first failure skips */
  constructor(chance: Chance, longestMs = longestWaitMs, startAt = 0) {
    this.chance = chance;
    this.longestMs = longestMs;
    this.startAt = startAt;
  }

  /** What is left of the wait; 0 when it may be tried. */
  waitMs(): number {
    return Math.max(0, this.until - this.chance.monotonic());
  }

  /**
   * One more failure; `wishedMs` is how long the other side wants to be left alone, as far as it may wish.
   *
   * @param least the number of failures this counts as at least: a higher one begins with a longer wait
   */
  failed(wishedMs = 0, least = 1): void {
    this.failures = Math.max(this.failures + 1, least);
    const full = Math.min(firstMs * 2 ** Math.min(this.failures + this.startAt, 20), this.longestMs);
    const own = full / 2 + (full / 2) * this.chance.random();
    this.until = this.chance.monotonic() + Math.max(own, Math.min(wishedMs, this.longestMs));
  }

  /** Left alone for no longer than so long from now; what failed still counts. */
  atMost(ms: number): void {
    this.until = Math.min(this.until, this.chance.monotonic() + ms);
  }

  ok(): void {
    this.failures = 0;
    this.until = Number.NEGATIVE_INFINITY;
  }
}

/** The wait of this key, made where there is none yet. */
export function waitIn(waits: Map<string, Backoff>, key: string, chance: Chance): Backoff {
  const wait = waits.get(key) ?? new Backoff(chance);
  waits.set(key, wait);
  return wait;
}
