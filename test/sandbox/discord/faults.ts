import { createRules } from "../rules.ts";
import type { FaultRule, RecordedRequest } from "./model.ts";

const bodies: Readonly<Record<number, object>> = {
  401: { message: "401: Unauthorized", code: 0 },
  403: { message: "Missing Permissions", code: 50013 },
  404: { message: "404: Not Found", code: 0 },
  429: { message: "You are being rate limited.", retry_after: 1, global: false },
};

export type Faults = ReturnType<typeof createFaults>;

export function createFaults() {
  const rules = createRules<RecordedRequest, FaultRule>();
  return {
    add: rules.add,
    take(request: RecordedRequest) {
      const rule = rules.take(request);
      const { status, delayMs, drop } = rule ?? {};
      if (rule === undefined || status === undefined) return { delayMs, drop };
      const limited: Record<string, string> =
        status === 429 ? { "retry-after": "1", "x-ratelimit-scope": "shared" } : {};
      const headers = { "content-type": "application/json", ...limited, ...rule.headers };
      const body = rule.body ?? bodies[status] ?? { message: `${status}: Server Error`, code: 0 };
      return { delayMs, drop, answer: { status, body, headers } };
    },
  };
}
