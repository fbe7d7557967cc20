import type { Health } from "../../basics/health.ts";
import { sleep } from "../../basics/limits/sleep.ts";
import type { Metrics } from "../../basics/metrics.ts";

/** Requests may fail for this long. Discord has such a moment now and then, and requests are repeated. */
const allowedMs = 60_000;
/** Time between two requests that find out whether Discord answers again. */
const askEveryMs = 20_000;

/**
 * Judges whether Discord's API answers, by all requests of this process. After a failure it asks Discord itself until it is
 * answered: Discord may fail for one message only, or no other request may follow for hours.
 *
 * @param ask sends a request that counts in the returned metrics
 * @param signal ends the asking
 * @returns also the metrics for the clients of Discord's API
 */
export function createRestHealth(
  of: Metrics,
  { ask, signal }: { readonly ask: () => Promise<unknown>; readonly signal: AbortSignal },
): Health & { metrics: Metrics } {
  /** The failures since the last answer; monotonic ms. */
  let failing: { readonly since: number } | undefined;

  async function askUntilAnswered(these: typeof failing) {
    while (failing === these) {
      await sleep(askEveryMs, signal);
      if (failing === these) await ask().catch(() => undefined);
    }
  }

  return {
    metrics: {
      ...of,
      discordRequest(method, route, status) {
        of.discordRequest(method, route, status);
        if (status !== undefined && status < 500) failing = undefined;
        else if (!failing) {
          failing = { since: performance.now() };
          askUntilAnswered(failing).catch(() => undefined);
        }
      },
    },
    notReady: () =>
      failing && performance.now() - failing.since > allowedMs ? "discord: no request is answered" : undefined,
    heartbeats: () => [],
  };
}
