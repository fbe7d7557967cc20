import { parseTime } from "./parse-time.ts";

/** No store wants to be left alone for longer: it is a mistake, such as milliseconds or an epoch in place of seconds. */
const longestMeantMs = 60 * 60_000;
/** Nobody is kept from a store for longer without a look at it: one request in 5 minutes hurts no server. */
const longestHeededMs = 5 * 60_000;

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
