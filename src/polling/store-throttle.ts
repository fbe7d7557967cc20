import type { ProcessContext } from "../outbox/context.ts";

/** The least time between two requests of one server for baselines, digests and `/store connect`: at most 5 per second. */
const spacingMs = 220;

/** Rejects when the process ends. */
export function createStoreThrottle({
  monotonic,
  sleep,
  signal,
}: Pick<ProcessContext, "monotonic" | "sleep" | "signal">): () => Promise<void> {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const at = Math.max(nextAt, monotonic());
    // Set before the wait, because a baseline and a digest may wait at the same time.
    nextAt = at + spacingMs;
    if (at > monotonic()) await sleep(at - monotonic(), signal);
  };
}
