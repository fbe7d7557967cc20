/** Runs work one at a time per key, in the order asked for. */
export interface Serial {
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
  isBusy(key: string): boolean;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** In memory; a rejection reaches its own caller and holds up nobody else. */
export function createSerial(): Serial {
  const last = new Map<string, Promise<unknown>>();
  return {
    run(key, work) {
      const before = last.get(key) ?? Promise.resolve();
      const result = before.then(work, work);
      const settled = result.then(
        () => undefined,
        () => undefined,
      );
      last.set(key, settled);
      settled.then(() => {
        if (last.get(key) === settled) last.delete(key);
      });
      return result;
    },
    isBusy: (key) => last.has(key),
    async idle() {
      while (last.size > 0) await Promise.all(last.values());
    },
  };
}
