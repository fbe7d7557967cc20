import type { FaultRule, LatencyRule, RecordedRequest } from "./model.ts";

/** What a fault does to one request. */
interface Fault {
  readonly delayMs: number | undefined;
  readonly drop: "before" | "after" | undefined;
  readonly answer?: {
    readonly status: number;
    readonly body?: unknown;
    readonly headers: Readonly<Record<string, string>>;
  };
}

/** The faults that are switched on. */
export interface Faults {
  /** Switches one on; returns the switch to turn it off. */
  add(rule: FaultRule): () => void;
  /** The fault that hits a request, if any; counts it. */
  take(request: RecordedRequest): Fault | undefined;
  /** Adds to the way of every request that fits, beside the faults; returns the switch to turn it off. */
  slow(rule: LatencyRule): () => void;
  /** What the way of a request takes, there and back, in ms. */
  latencyMs(request: RecordedRequest): number;
}

function bodyFor(status: number): unknown {
  if (status === 429) return { message: "You are being rate limited.", retry_after: 1, global: false };
  if (status === 401) return { message: "401: Unauthorized", code: 0 };
  if (status === 403) return { message: "Missing Permissions", code: 50013 };
  if (status === 404) return { message: "404: Not Found", code: 0 };
  return { message: `${status}: Server Error`, code: 0 };
}

/** @param random as `Math.random` */
export function createFaults(random = Math.random): Faults {
  const rules = new Map<FaultRule, number>();
  const ways = new Set<LatencyRule>();
  return {
    slow(rule) {
      const own = { ...rule };
      ways.add(own);
      return () => ways.delete(own);
    },
    latencyMs(request) {
      let sum = 0;
      for (const { method = request.method, path, fromMs, toMs } of ways) {
        const fits = method === request.method && (path === undefined || request.path.search(path) >= 0);
        if (fits) sum += fromMs + random() * (toMs - fromMs);
      }
      return sum;
    },
    add(rule) {
      // A copy, so that the same rule can be switched on twice.
      const own = { ...rule };
      rules.set(own, rule.times ?? Number.POSITIVE_INFINITY);
      return () => rules.delete(own);
    },
    take(request) {
      for (const [rule, left] of rules) {
        if (rule.method !== undefined && rule.method !== request.method) continue;
        if (request.path.search(rule.path) < 0) continue;
        if (rule.when !== undefined && !rule.when(request)) continue;
        if (left <= 1) rules.delete(rule);
        else rules.set(rule, left - 1);
        const { status, delayMs, drop } = rule;
        if (status === undefined) return { delayMs, drop };
        const limited: Record<string, string> =
          status === 429 ? { "retry-after": "1", "x-ratelimit-scope": "shared" } : {};
        const headers: Record<string, string> = { "content-type": "application/json", ...limited, ...rule.headers };
        return { delayMs, drop, answer: { status, body: rule.body ?? bodyFor(status), headers } };
      }
      return undefined;
    },
  };
}
