import { StoreError } from "../store-api/store-api.ts";

/** Except after a 429, a page or product is tried at most this many times. Each try makes up to three requests. */
const mostTries = 3;
const defaultPauseMs = 5_000;
/** If the store asks for a longer wait, the task ends with a message. */
const longestHeldMs = 120_000;
/** The wait after a 429 that names no time. */
const usualHeldMs = 30_000;
const passing: ReadonlySet<string> = new Set(["unavailable", "timeout", "malformed"]);

/** Undefined if the task must not repeat the request. */
export function retryDelayMs(error: unknown, tries: number, pauseMs = defaultPauseMs): number | undefined {
  if (!(error instanceof StoreError)) return undefined;
  if (error.code === "rate_limited") {
    const waitMs = error.retryAfterMs ?? usualHeldMs;
    return waitMs <= longestHeldMs ? Math.max(waitMs, 1) : undefined;
  }
  return passing.has(error.code) && tries < mostTries ? pauseMs : undefined;
}
