import type { ProcessContext } from "../outbox/context.ts";

/** Minimum time between two background requests to one store, so at most 5 per second. */
const spacingMs = 220;

/**
 * Returns a function that waits until the next background request to one store may be sent. It rejects when the process ends.
 */
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
