import { setTimeout as wait } from "node:timers/promises";

/** While the baseline is read, requests to one store are at least so far apart: 5 a second at most. */
const paceMs = 220;

/** Waits for the turn of one request of a reading that must not crowd the store. */
export function createPace(signal: AbortSignal): () => Promise<void> {
  let nextAt = Number.NEGATIVE_INFINITY;
  return async () => {
    const waitMs = nextAt - performance.now();
    if (waitMs > 0) await wait(waitMs, undefined, { signal });
    nextAt = performance.now() + paceMs;
  };
}
