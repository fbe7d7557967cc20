import type { Health } from "../../basics/health.ts";
import { sleep } from "../../basics/limits/sleep.ts";
import type { Metrics } from "../../basics/metrics.ts";

/** A shorter failure of Discord does not count. */
const allowedMs = 60_000;
const askEveryMs = 20_000;

/**
 * Finds out from all requests of this process whether Discord accepts any. After a failed request it calls `ask` every 20 s,
 * because the bot may have no other request to send for hours. The REST clients must report to the returned metrics.
 */
export function createRestHealth(
  of: Metrics,
  { ask, signal }: { readonly ask: () => Promise<unknown>; readonly signal: AbortSignal },
): Health & { metrics: Metrics } {
  /** Monotonic ms of the first failure since a request succeeded. Undefined while Discord accepts requests. */
  let failing: { readonly since: number } | undefined;

  async function askWhileFailing() {
    for (;;) {
      await sleep(askEveryMs, signal);
      if (failing) await ask().catch(() => undefined);
    }
  }

  // The loop begins outside of any request. Inside a request that was stopped, `ask` would not be sent (request-state.ts).
  askWhileFailing().catch(() => undefined);

  return {
    metrics: {
      ...of,
      discordRequest(method, route, status) {
        of.discordRequest(method, route, status);
        // A 401 means that the token was reset. An expired interaction gets 401, too, but then `ask` succeeds.
        if (status !== undefined && status < 500 && status !== 401) failing = undefined;
        else failing ??= { since: performance.now() };
      },
    },
    notReady: () =>
      failing && performance.now() - failing.since > allowedMs ? "discord: no request succeeds" : undefined,
    heartbeats: () => [],
  };
}
