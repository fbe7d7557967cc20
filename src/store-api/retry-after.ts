import { parseTime } from "./parse-time.ts";

/** A `Retry-After` beyond this is a mistake, such as milliseconds or an epoch in place of seconds. It is ignored. */
const longestMeantMs = 60 * 60_000;
/** The longest pause, also if the store asks for more: one request in 5 minutes harms no server. */
const longestHeededMs = 5 * 60_000;

/**
 * Reads a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3). Returns milliseconds, at most 5 minutes; undefined
 * if there is no header, or if it is impossible or beyond an hour.
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
