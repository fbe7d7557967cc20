import type { RateLimitData } from "@discordjs/rest";

/**
 * For a rate limit longer than `limitMs`, the caller gets a `RateLimitError`. `retries`: how often a request is repeated after
 * a 5xx, a lost connection or a time-out.
 */
export interface Patience {
  readonly limitMs: number;
  readonly retries: number;
}

/** For a rate limit longer than 30 s, callers get an error at once, so that they can do other work meanwhile. */
export const ownPatience: Patience = { limitMs: 30_000, retries: 3 };
/** An edit waits at most this long for a rate limit, because all later requests with this limit wait behind the edit. */
const longestEditWaitMs = 2_000;
/**
 * Discord's longest rate limit is one hour, and the client adds some ms. A limit that seems longer is wrong: the clock was set
 * back (the client stores the end of a limit as wall time), or a proxy in between sent a wrong time. The client forgets such a
 * limit, and the next request finds out the true one.
 */
export const longestResetMs = 3_601_000;
const messageRoute = /^\/channels\/[^/]+\/messages\/[^/]+$/;

/** Ms. 0 if the wait is unknown or seems too long. */
export function waitOf({ retryAfter, timeToReset }: Pick<RateLimitData, "retryAfter" | "timeToReset">): number {
  const waitMs = Math.max(retryAfter, timeToReset);
  return retryAfter > 0 && waitMs <= longestResetMs ? waitMs : 0;
}

/**
 * Whether the caller gets an error in place of a wait. Edits of old messages have two limits. One is the usual limit of the
 * route. Discord reports the other limit with scope `shared` (code 30046). An edit never waits for the shared limit.
 */
export function isTooLong(limit: RateLimitData, longestWaitMs: number): boolean {
  const { method, route, scope } = limit;
  const waitMs = waitOf(limit);
  // After a 429 without a time, the client would repeat the request at once, again and again.
  if (waitMs === 0) return true;
  const isEdit = method === "PATCH" && messageRoute.test(route);
  return isEdit ? scope === "shared" || waitMs > longestEditWaitMs : waitMs > longestWaitMs;
}
