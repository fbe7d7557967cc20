import { parseTime } from "./parse-time.ts";

/** A 429 that does not say how long. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** A 429 that says "at once", over and over, must not become a busy loop. */
const shortestPauseMs = 100;
/** No store wants to be left alone for longer: it is a mistake, such as milliseconds or an epoch in place of seconds. */
const longestMeantMs = 60 * 60_000;
/** A store is left alone for no longer than this at a time: one request in 5 minutes hurts no server. */
const longestHeededMs = 5 * 60_000;

/** The pause that 429s put on a token. Times are by `performance.now()`. */
export interface RateLimitPause {
  /** When it ends; in the past while there is none. */
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

export function createRateLimitPause(): RateLimitPause {
  let since = Number.NEGATIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  /** 429s in a row that did not say how long. */
  let inARow = 0;
  return {
    until: () => until,
    leftMs: () => Math.max(0, Math.ceil(until - performance.now())),
    begin(sentAt, retryAfterMs) {
      const now = performance.now();
      // Of several refused at once, only the first is news.
      const isNews = sentAt >= since;
      if (!isNews && retryAfterMs === undefined) return;
      const ms = retryAfterMs ?? Math.min(firstPauseMs * 2 ** inARow, longestPauseMs);
      if (isNews) since = now;
      if (retryAfterMs === undefined) inARow += 1;
      until = Math.max(until, now + Math.max(ms, shortestPauseMs));
    },
    answered(sentAt) {
      if (sentAt >= since) inARow = 0;
    },
  };
}

/**
 * Milliseconds that a `Retry-After` asks for, in seconds or as a date (RFC 9110, 10.2.3), at most 5 minutes; undefined
 * when there is none that makes sense.
 *
 * @param servedAt the server's own clock, by which a date is read: epoch milliseconds
 */
export function retryAfterMs(header: unknown, servedAt: number | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  const value = header.trim();
  const wanted = /^\d{1,15}(\.\d+)?$/.test(value) ? Number(value) * 1_000 : untilDate(value, servedAt ?? Date.now());
  if (wanted === undefined || wanted > longestMeantMs) return undefined;
  return Math.min(wanted, longestHeededMs);
}

function untilDate(value: string, now: number): number | undefined {
  // A number that is no count of seconds: negative, say.
  const at = /[a-z]/i.test(value) ? parseTime(value) : undefined;
  return at === undefined ? undefined : Math.max(0, at - now);
}
