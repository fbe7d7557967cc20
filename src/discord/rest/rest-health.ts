import type { Health } from "../../basics/health.ts";
import type { Metrics } from "../../basics/metrics.ts";

/** Requests may fail for this long. Discord has such a moment now and then, and requests are repeated. */
const allowedMs = 60_000;
/** More attempts than one request has. Nobody may ask again after a single request that failed. */
const leastAttempts = 5;
/** A failure counts no longer than this: what still has to be sent is tried again within 5 minutes. */
const countsMs = 6 * 60_000;

/** Judges whether Discord's API answers, by all requests of this process. Returns the metrics for its clients. */
export function createRestHealth(of: Metrics, monotonic = () => performance.now()): Health & { metrics: Metrics } {
  /** The failures since the last answer. Times are monotonic ms. */
  let failing: { readonly since: number; readonly last: number; readonly attempts: number } | undefined;
  const failingAt = (now: number) => (failing && now - failing.last < countsMs ? failing : undefined);
  return {
    metrics: {
      ...of,
      discordRequest(method, route, status) {
        of.discordRequest(method, route, status);
        if (status !== undefined && status < 500) failing = undefined;
        else {
          const last = monotonic();
          const before = failingAt(last);
          failing = { since: before?.since ?? last, last, attempts: (before?.attempts ?? 0) + 1 };
        }
      },
    },
    notReady() {
      const now = monotonic();
      const counted = failingAt(now);
      const isAway = counted && counted.attempts >= leastAttempts && now - counted.since > allowedMs;
      return isAway ? "discord: no request is answered" : undefined;
    },
    heartbeats: () => [],
  };
}
