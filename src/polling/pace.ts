import { setTimeout as wait } from "node:timers/promises";

/** Minimum time between two background requests to one store, so at most 5 per second. */
const paceMs = 220;

/** Returns a function that waits until the next background request to one store may be sent. It rejects when `signal` is aborted. */
export function createPace(signal: AbortSignal): () => Promise<void> {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const waitMs = nextAt - performance.now();
    if (waitMs > 0) await wait(waitMs, undefined, { signal });
    nextAt = performance.now() + paceMs;
  };
}
