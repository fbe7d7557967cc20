import { createHash } from "node:crypto";

/** `limit` requests per `windowMs` for each route and each channel, server or webhook of it. */
export interface BucketSpec {
  readonly limit: number;
  readonly windowMs: number;
}

/** Headers for the answer, and how long to wait when the request is one too many. */
export interface Verdict {
  readonly headers: Readonly<Record<string, string>>;
  readonly retryAfterMs?: number;
  readonly global?: boolean;
}

export interface RateLimits {
  take(route: string, major: string, spec: BucketSpec): Verdict;
  /** The bot's 50 requests a second over everything but interactions (docs: Rate Limits, "Global Rate Limit"). */
  takeGlobal(): Verdict | undefined;
}

const GLOBAL_PER_SECOND = 50;

/** So many windows are looked through for those that are over: each interaction has some of its own. */
const MANY_WINDOWS = 1_000;

export function createRateLimits(now: () => number): RateLimits {
  const windows = new Map<string, { endsAt: number; used: number }>();
  const open = (key: string, windowMs: number) => {
    const current = windows.get(key);
    if (current !== undefined && current.endsAt > now()) return current;
    if (windows.size >= MANY_WINDOWS) {
      for (const [old, { endsAt }] of windows) if (endsAt <= now()) windows.delete(old);
    }
    const fresh = { endsAt: now() + windowMs, used: 0 };
    windows.set(key, fresh);
    return fresh;
  };
  return {
    take(route, major, { limit, windowMs }) {
      const window = open(`${route} ${major}`, windowMs);
      const refused = window.used >= limit;
      if (!refused) window.used += 1;
      const resetAfterMs = Math.max(window.endsAt - now(), 1);
      const headers: Record<string, string> = {
        "x-ratelimit-bucket": createHash("md5").update(route).digest("hex"),
        "x-ratelimit-limit": String(limit),
        "x-ratelimit-remaining": String(limit - window.used),
        "x-ratelimit-reset": (window.endsAt / 1000).toFixed(3),
        "x-ratelimit-reset-after": (resetAfterMs / 1000).toFixed(3),
      };
      if (!refused) return { headers };
      headers["x-ratelimit-scope"] = "user";
      headers["retry-after"] = String(Math.ceil(resetAfterMs / 1000));
      return { headers, retryAfterMs: resetAfterMs };
    },
    takeGlobal() {
      const window = open("global", 1_000);
      window.used += 1;
      if (window.used <= GLOBAL_PER_SECOND) return undefined;
      const retryAfterMs = Math.max(window.endsAt - now(), 1);
      const headers = { "x-ratelimit-global": "true", "x-ratelimit-scope": "global", "retry-after": "1" };
      return { headers, retryAfterMs, global: true };
    },
  };
}
