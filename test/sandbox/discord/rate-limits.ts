import { createHash } from "node:crypto";

/** `limit` requests per `windowMs` for each route, and for each channel, server or webhook of the route. */
export interface BucketSpec {
  readonly limit: number;
  readonly windowMs: number;
}

/** Discord's limit for a bot, in requests a second (docs: Rate Limits, "Global Rate Limit"). */
const globalPerSecond = 50;

/** From this number on, windows that have ended are removed, because each interaction adds some. */
const manyWindows = 1_000;

export type RateLimits = ReturnType<typeof createRateLimits>;

export function createRateLimits(now: () => number) {
  const windows = new Map<string, { endsAt: number; used: number }>();

  function use(key: string, windowMs: number) {
    let window = windows.get(key);
    if (window === undefined || window.endsAt <= now()) {
      if (windows.size >= manyWindows) {
        for (const [old, { endsAt }] of windows) if (endsAt <= now()) windows.delete(old);
      }
      window = { endsAt: now() + windowMs, used: 0 };
      windows.set(key, window);
    }
    window.used += 1;
    return { used: window.used, endsAt: window.endsAt, leftMs: Math.max(window.endsAt - now(), 1) };
  }

  return {
    take(route: string, major: string, { limit, windowMs }: BucketSpec) {
      const { used, endsAt, leftMs } = use(`${route} ${major}`, windowMs);
      const headers: Record<string, string> = {
        "x-ratelimit-bucket": createHash("md5").update(route).digest("hex"),
        "x-ratelimit-limit": String(limit),
        "x-ratelimit-remaining": String(Math.max(limit - used, 0)),
        "x-ratelimit-reset": (endsAt / 1000).toFixed(3),
        "x-ratelimit-reset-after": (leftMs / 1000).toFixed(3),
      };
      if (used <= limit) return { headers };
      const refused = { "x-ratelimit-scope": "user", "retry-after": String(Math.ceil(leftMs / 1000)) };
      return { headers: { ...headers, ...refused }, retryAfterMs: leftMs };
    },
    takeGlobal(): number | undefined {
      const { used, leftMs } = use("global", 1_000);
      return used <= globalPerSecond ? undefined : leftMs;
    },
  };
}
