/** How long to leave something alone that failed, and until when. Times are ms. */
export interface Backoff {
  /** Failures in a row. */
  readonly failures: number;
  /** What is left of the wait; 0 when it may be tried. */
  waitMs(): number;
  /**
   * One more failure; `wishedMs` is how long the other side wants to be left alone, as far as it may wish.
   *
   * @param least the number of failures this counts as at least: a higher one begins with a longer wait
   */
  failed(wishedMs?: number, least?: number): void;
  /** Left alone for so long, up to the longest wait; not a failure. */
  hold(ms: number): void;
  /** Left alone for no longer than so long from now; what failed still counts. */
  atMost(ms: number): void;
  ok(): void;
}

/** A clock that nobody sets, in ms, and chance from 0 to 1. */
export interface Chance {
  readonly monotonic: () => number;
  readonly random: () => number;
}

const firstMs = 1_000;
/** No alert waits longer for anything but a refused token, whoever asks for it. */
const longestWaitMs = 5 * 60_000;

/**
 * Doubles from 2 s to `longestMs` (5 minutes), of which a random half, so that servers whose stores failed together do
 * not come back together.
 *
 * @param startAt how many doublings the first failure skips
 */
export function createBackoff({ monotonic, random }: Chance, longestMs = longestWaitMs, startAt = 0): Backoff {
  let failures = 0;
  let until = Number.NEGATIVE_INFINITY;
  return {
    get failures() {
      return failures;
    },
    waitMs: () => Math.max(0, until - monotonic()),
    failed(wishedMs = 0, least = 1) {
      failures = Math.max(failures + 1, least);
      const full = Math.min(firstMs * 2 ** Math.min(failures + startAt, 20), longestMs);
      const own = full / 2 + (full / 2) * random();
      until = monotonic() + Math.max(own, Math.min(wishedMs, longestMs));
    },
    hold(ms) {
      until = monotonic() + Math.min(ms, longestMs);
    },
    atMost(ms) {
      until = Math.min(until, monotonic() + ms);
    },
    ok() {
      failures = 0;
      until = Number.NEGATIVE_INFINITY;
    },
  };
}

/** The wait of this key, made where there is none yet. */
export function waitIn(waits: Map<string, Backoff>, key: string, chance: Chance): Backoff {
  const wait = waits.get(key) ?? createBackoff(chance);
  waits.set(key, wait);
  return wait;
}
