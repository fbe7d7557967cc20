/** A monotonic clock in ms, and a random number from 0 to 1. */
export interface Chance {
  readonly monotonic: () => number;
  readonly random: () => number;
}

const firstMs = 1_000;
/**
 * The longest wait, even if Discord or the store asks for a longer one. Only the wait after a refused token or a lost key can
 * be longer (`polling/poll-backoff.ts`).
 */
const longestWaitMs = 5 * 60_000;

/**
 * Counts failures, and says how long to wait before the next attempt. The limit of the wait is 2 s after the first failure, and
 * each further failure doubles the limit. The wait is a random time between half of the limit and the whole limit. So stores
 * that failed together are not asked again at the same moment. This is a class, because each polled server has several
 * backoffs, and closures would take more memory.
 */
export class Backoff {
  failures = 0;
  private until = Number.NEGATIVE_INFINITY;
  private readonly chance: Chance;
  private readonly longestMs: number;
  private readonly startAt: number;

  /** @param startAt the limit of the first wait is 2 s, doubled this many times */
  constructor(chance: Chance, longestMs = longestWaitMs, startAt = 0) {
    this.chance = chance;
    this.longestMs = longestMs;
    this.startAt = startAt;
  }

  waitMs(): number {
    return Math.max(0, this.until - this.chance.monotonic());
  }

  /**
   * @param wishedMs the wait that Discord or the store asks for. The bot waits at least this long, but never longer than
   * `longestMs`
   * @param least `failures` is at least this number after the call. With 3, the wait after the first failure is as long as
   * the usual wait after the third
   */
  failed(wishedMs = 0, least = 1): void {
    this.failures = Math.max(this.failures + 1, least);
    const full = Math.min(firstMs * 2 ** Math.min(this.failures + this.startAt, 20), this.longestMs);
    const own = full / 2 + (full / 2) * this.chance.random();
    this.until = this.chance.monotonic() + Math.max(own, Math.min(wishedMs, this.longestMs));
  }

  /** Shortens the wait to at most `ms` from now. Past failures still count. */
  atMost(ms: number): void {
    this.until = Math.min(this.until, this.chance.monotonic() + ms);
  }

  ok(): void {
    this.failures = 0;
    this.until = Number.NEGATIVE_INFINITY;
  }
}
