import { parseTime } from "./parse-time.ts";

/** The pause after a 429 that names no time. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** A 429 that says "at once" again and again must not become a busy loop. */
const shortestPauseMs = 100;
/** A longer time is a mistake, such as milliseconds or an epoch in place of seconds. */
const longestMeantMs = 60 * 60_000;
/** The longest pause at a time: one request in 5 minutes harms no server. */
const longestHeededMs = 5 * 60_000;

/** The pause of a token after a 429. Times are by `performance.now()`. */
export interface RateLimitPause {
  /** The end of the pause; in the past if there is none. */
  until(): number;
  /** Whole milliseconds left of the pause. */
  leftMs(): number;
  /**
   * A request sent at `sentAt` was refused with a 429. Without a time from the store, the pause is 1 s, and doubles with each
   * further 429 up to 30 s.
   */
  begin(sentAt: number, retryAfterMs: number | undefined): void;
  /** A request sent at `sentAt` was answered, and not with a 429. */
  answered(sentAt: number): void;
}

export function createRateLimitPause(): RateLimitPause {
  let since = Number.NEGATIVE_INFINITY;
  let until = Number.NEGATIVE_INFINITY;
  /** Number of 429s in a row that named no time. */
  let inARow = 0;
  return {
    until: () => until,
    leftMs: () => Math.max(0, Math.ceil(until - performance.now())),
    begin(sentAt, retryAfterMs) {
      const now = performance.now();
      // Of several requests refused together, only the first counts.
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
 * Reads a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3). Returns milliseconds, at most 5 minutes; undefined if there
 * is none, or an impossible one.
 *
 * @param servedAt the server's own clock (epoch milliseconds), to which a date is compared
 */
export function retryAfterMs(header: unknown, servedAt: number | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  const value = header.trim();
  const wanted = /^\d{1,15}(\.\d+)?$/.test(value) ? Number(value) * 1_000 : untilDate(value, servedAt ?? Date.now());
  if (wanted === undefined || wanted > longestMeantMs) return undefined;
  return Math.min(wanted, longestHeededMs);
}

function untilDate(value: string, now: number): number | undefined {
  // A text without letters that is no count of seconds, such as a negative number, is invalid.
  const at = /[a-z]/i.test(value) ? parseTime(value) : undefined;
  return at === undefined ? undefined : Math.max(0, at - now);
}
