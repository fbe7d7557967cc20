import type { FaultRule, LatencyRule, RecordedRequest } from "./model.ts";

const bodies: Readonly<Record<number, object>> = {
  401: { message: "401: Unauthorized", code: 0 },
  403: { message: "Missing Permissions", code: 50013 },
  404: { message: "404: Not Found", code: 0 },
  429: { message: "You are being rate limited.", retry_after: 1, global: false },
};

const fits = ({ method, path }: { method?: string; path?: RegExp }, request: RecordedRequest) =>
  (method === undefined || method === request.method) && (path === undefined || request.path.search(path) >= 0);

/** The faults that are switched on. */
export type Faults = ReturnType<typeof createFaults>;

export function createFaults() {
  const rules = new Map<FaultRule, number>();
  const ways = new Set<LatencyRule>();
  return {
    /** Adds latency to every request that fits. Returns a function that removes it. */
    slow(rule: LatencyRule): () => void {
      const own = { ...rule };
      ways.add(own);
      return () => ways.delete(own);
    },
    /** The latency of a request, there and back, in ms. */
    latencyMs(request: RecordedRequest): number {
      const met = [...ways].filter((way) => fits(way, request));
      return met.reduce((sum, { fromMs, toMs }) => sum + fromMs + Math.random() * (toMs - fromMs), 0);
    },
    /** Adds a fault. Returns a function that removes it. */
    add(rule: FaultRule): () => void {
      // A copy, so the same rule can be added twice.
      const own = { ...rule };
      rules.set(own, rule.times ?? Number.POSITIVE_INFINITY);
      return () => rules.delete(own);
    },
    /** Returns the fault that the request meets, if any, and counts it. */
    take(request: RecordedRequest) {
      const met = [...rules].find(([rule]) => fits(rule, request) && (rule.when?.(request) ?? true));
      if (met === undefined) return undefined;
      const [rule, left] = met;
      if (left <= 1) rules.delete(rule);
      else rules.set(rule, left - 1);
      const { status, delayMs, drop } = rule;
      if (status === undefined) return { delayMs, drop };
      const limited: Record<string, string> =
        status === 429 ? { "retry-after": "1", "x-ratelimit-scope": "shared" } : {};
      const headers = { "content-type": "application/json", ...limited, ...rule.headers };
      const body = rule.body ?? bodies[status] ?? { message: `${status}: Server Error`, code: 0 };
      return { delayMs, drop, answer: { status, body, headers } };
    },
  };
}
