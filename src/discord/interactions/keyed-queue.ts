/** Runs a piece of work when it is its turn; false where that would have come too late, and it was not run. */
export type KeyedQueue = (key: string, work: () => Promise<void>) => Promise<boolean>;

/**
 * Of each key `atOnce` pieces of work run at a time, the others after them in their order. What has waited for longer than
 * `longestWaitMs` is dropped: so much is all that can pile up.
 *
 * @param monotonic a monotonic clock, in ms
 */
export function createKeyedQueue(
  { atOnce, longestWaitMs }: { readonly atOnce: number; readonly longestWaitMs: number },
  monotonic = () => performance.now(),
): KeyedQueue {
  const lines = new Map<string, { running: number; readonly waiting: (() => void)[] }>();

  async function turnOf(key: string): Promise<void> {
    const line = lines.get(key) ?? { running: 0, waiting: [] };
    lines.set(key, line);
    if (line.running >= atOnce) await new Promise<void>((resolve) => line.waiting.push(resolve));
    else line.running += 1;
  }

  /** The next piece of work takes the place over. */
  function leave(key: string) {
    const line = lines.get(key);
    if (line === undefined) return;
    const next = line.waiting.shift();
    if (next) return next();
    line.running -= 1;
    if (line.running === 0) lines.delete(key);
  }

  return async (key, work) => {
    const since = monotonic();
    await turnOf(key);
    try {
      if (monotonic() - since > longestWaitMs) return false;
      await work();
      return true;
    } finally {
      leave(key);
    }
  };
}
