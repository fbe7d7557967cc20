/**
 * Runs work one at a time for each key, in the order asked for; a rejection reaches its own caller and holds up nobody
 * else. In memory: as many keys as presses are being answered.
 */
export function createTurns(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<void>>();
  return (key, work) => {
    const result = (last.get(key) ?? Promise.resolve()).then(work);
    const settled = result.then(
      () => undefined,
      () => undefined,
    );
    last.set(key, settled);
    settled.then(() => {
      if (last.get(key) === settled) last.delete(key);
    });
    return result;
  };
}
