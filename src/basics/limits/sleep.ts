/**
 * Waits `ms` milliseconds. If `signal` aborts first, rejects with its reason. It uses the global `setTimeout`, which fake
 * timers of tests replace. They do not replace `node:timers/promises`.
 */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const abort = () => reject(signal?.reason);
  signal?.addEventListener("abort", abort);
  if (signal?.aborted) abort();
  return promise.finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  });
}
