/**
 * @param keptMs how long a value is valid, in ms from the start of its read
 * @param most the greatest number of entries; if there are more, the oldest is removed
 * @param monotonic a monotonic clock, in ms
 */
export function createCache<T>(
  { keptMs, most }: { readonly keptMs: number; readonly most: number },
  monotonic: () => number,
) {
  /** All entries are cached for the same time, so the first one added expires first. */
  const entries = new Map<string, { readonly until: number; readonly value: Promise<T> }>();

  function makeRoom() {
    for (const [key, { until }] of entries) {
      if (entries.size <= most && until > monotonic()) return;
      entries.delete(key);
    }
  }

  return {
    /** Concurrent calls share one read. A failed read is not cached, and rejects for all callers that share it. */
    get(key: string, read: () => Promise<T>): Promise<T> {
      const found = entries.get(key);
      if (found && found.until > monotonic()) return found.value;
      const value = read();
      entries.delete(key);
      entries.set(key, { until: monotonic() + keptMs, value });
      makeRoom();
      value.catch(() => {
        if (entries.get(key)?.value === value) entries.delete(key);
      });
      return value;
    },
    /** Callers that already wait for the value still receive it. */
    forget: (key: string) => void entries.delete(key),
  };
}
