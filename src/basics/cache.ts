/** Keeps recently read values in memory, by key. */
export interface Cache<T> {
  /**
   * Returns the cached value, or reads it. Concurrent calls share one read. A failed read is not cached, and rejects
   * for all callers that share it.
   *
   * @param read receives a function that tells whether its value is still cached, and not forgotten or replaced
   */
  get(key: string, read: (isKept: () => boolean) => Promise<T>): Promise<T>;
  /** Returns the cached value. It does not read. */
  peek(key: string): Promise<T> | undefined;
  /** Removes the value. Callers that already wait for it still receive it. */
  forget(key: string): void;
}

interface Entry<T> {
  /** Distinguishes this entry from later ones of the same key. */
  readonly id: symbol;
  readonly until: number;
  readonly value: Promise<T>;
}

/**
 * @param keptMs counted from the start of the read
 * @param most number of entries; beyond it, those read first go
 * @param monotonic a monotonic clock, in ms
 */
export function createCache<T>(
  { keptMs, most }: { readonly keptMs: number; readonly most: number },
  monotonic: () => number,
): Cache<T> {
  /** All entries are cached for the same time, so the first one added expires first. */
  const entries = new Map<string, Entry<T>>();

  function makeRoom() {
    for (const [key, { until }] of entries) {
      if (entries.size <= most && until > monotonic()) return;
      entries.delete(key);
    }
  }

  function peek(key: string) {
    const found = entries.get(key);
    return found && found.until > monotonic() ? found.value : undefined;
  }

  return {
    peek,
    get(key, read) {
      const found = peek(key);
      if (found) return found;
      const id = Symbol(key);
      const isKept = () => entries.get(key)?.id === id;
      const value = read(isKept);
      entries.delete(key);
      entries.set(key, { id, until: monotonic() + keptMs, value });
      makeRoom();
      value.catch(() => {
        if (isKept()) entries.delete(key);
      });
      return value;
    },
    forget: (key) => void entries.delete(key),
  };
}
