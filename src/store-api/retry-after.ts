import { parseTime } from "./parse-time.ts";

/** A wait longer than this is ignored. It must be a mistake, for example milliseconds in place of seconds. */
const longestMeantMs = 60 * 60_000;
/** Longest wait, even if the store asks for more. One request in 5 minutes harms no server. */
const longestHeededMs = 5 * 60_000;

/**
 * Reads a `Retry-After` header: seconds or a date (RFC 9110, 10.2.3). Returns milliseconds, at most 5 minutes. Undefined if
 * there is no header, or if it is invalid or asks for more than an hour.
 *
 * @param servedAt when the store answered, by its own clock (epoch ms). A date in the header is compared with this time
 */
export function retryAfterMs(header: unknown, servedAt: number | undefined): number | undefined {
  if (typeof header !== "string") return undefined;
  const value = header.trim();
  const wanted = /^\d{1,15}(\.\d+)?$/.test(value) ? Number(value) * 1_000 : untilDate(value, servedAt ?? Date.now());
  if (wanted === undefined || wanted > longestMeantMs) return undefined;
  return Math.min(wanted, longestHeededMs);
}

function untilDate(value: string, now: number): number | undefined {
  // Every date in this header has letters. A text without letters, for example a negative number, is invalid.
  const at = /[a-z]/i.test(value) ? parseTime(value) : undefined;
  return at === undefined ? undefined : Math.max(0, at - now);
}
