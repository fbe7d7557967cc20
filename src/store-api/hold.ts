/** A 429 that does not say how long. */
const firstHoldMs = 1_000;
const longestHoldMs = 30_000;
/** A 429 that says "at once", over and over, must not become a busy loop. */
const shortestHoldMs = 100;

/** For how long a 429 holds a token back. Times are by `performance.now()`. */
export interface Hold {
  /** When it ends; in the past while nothing is held. */
  until(): number;
  /** Whole milliseconds that are left of it. */
  leftMs(): number;
  /**
   * A request that was sent at `sentAt` was refused with a 429. Without a time that it asks for: 1 s, and twice as long
   * each time up to 30 s while they go on.
   */
  begin(sentAt: number, retryAfterMs: number | undefined): void;
  /** A request that was sent at `sentAt` was answered, and not with a 429. */
  answered(sentAt: number): void;
}

export function createHold(): Hold {
  let since = Number.NEGATIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  /** 429s in a row that did not say how long. */
  let rounds = 0;
  return {
    until: () => until,
    leftMs: () => Math.max(0, Math.ceil(until - performance.now())),
    begin(sentAt, retryAfterMs) {
      const now = performance.now();
      // Of several refused at once, only the first is news.
      const isNews = sentAt >= since;
      if (!isNews && retryAfterMs === undefined) return;
      const ms = retryAfterMs ?? Math.min(firstHoldMs * 2 ** rounds, longestHoldMs);
      if (isNews) since = now;
      if (retryAfterMs === undefined) rounds += 1;
      until = Math.max(until, now + Math.max(ms, shortestHoldMs));
    },
    answered(sentAt) {
      if (sentAt >= since) rounds = 0;
    },
  };
}
