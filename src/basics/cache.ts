/** Keeps values that were read lately, by key. In memory. */
export interface Cache<T> {
  /**
   * What is kept, or what `read` gives: calls that come together share one read. A read that fails is not kept, and rejects
   * for all who share it.
   *
   * @param read is told whether what it reads is still kept, and not forgotten or replaced meanwhile
   */
  get(key: string, read: (isKept: () => boolean) => Promise<T>): Promise<T>;
  /** What is kept, without a read. */
  peek(key: string): Promise<T> | undefined;
  /** A value that was asked for before is not given any more; only callers that wait for it already get it. */
  forget(key: string): void;
}

interface Entry<T> {
  /** Tells the entries apart that one key has one after another. */
  readonly id: symbol;
  readonly until: number;
  readonly value: Promise<T>;
}

/**
 * @param keptMs counted from when the read began
 * @param most entries; of more, those that were read first go
 * @param monotonic a monotonic clock, in ms
 */
export function createCache<T>(
  { keptMs, most }: { readonly keptMs: number; readonly most: number },
  monotonic: () => number,
): Cache<T> {
  /** All are kept for as long, so the first to be put in is the first to end. */
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
