import { parseTime } from "./parse-time.ts";

/** The pause after a 429 that names no time. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** The shortest pause. Without it, a store that answers 429 and asks for no wait would be asked in a busy loop. */
const shortestPauseMs = 100;
/** A `Retry-After` beyond this is a mistake, such as milliseconds or an epoch in place of seconds. It is ignored. */
const longestMeantMs = 60 * 60_000;
/** The longest pause, also if the store asks for more: one request in 5 minutes harms no server. */
const longestHeededMs = 5 * 60_000;

/**
 * The pause in all requests with one token after a 429, in the queue of that token. Times are by `performance.now()`. A
 * poll that failed by a 429 waits longer: `polling/poll-failures.ts` doubles its wait up to 5 minutes.
 */
export interface RateLimitPause {
  /** The end of the pause; in the past if there is none. */
  until(): number;
  /** Whole milliseconds left of the pause. */
  leftMs(): number;
  /**
   * Begins a pause, because a request sent at `sentAt` was refused with a 429. If the store names no time, the pause is
   * 1 s, and doubles with each further 429 up to 30 s.
   */
  begin(sentAt: number, retryAfterMs: number | undefined): void;
  /** Notes that a request sent at `sentAt` got an answer other than a 429, which ends the doubling. */
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
      // Only the first of several requests refused together doubles the pause.
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
 * Reads a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3). Returns milliseconds, at most 5 minutes. Returns
 * undefined if there is no header, or if it is impossible or beyond an hour.
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
  // A date has letters. Another text that is not a number of seconds, such as a negative number, is invalid.
  const at = /[a-z]/i.test(value) ? parseTime(value) : undefined;
  return at === undefined ? undefined : Math.max(0, at - now);
}
