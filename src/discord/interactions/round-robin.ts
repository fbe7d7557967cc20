export type RoundRobin = (key: string) => Promise<void>;

/** Lets one piece of work begin in each iteration of the event loop. The keys (servers) take turns. */
export function createRoundRobin(): RoundRobin {
  const waiting = new Map<string, (() => void)[]>();
  let isTurning = false;

  function turn() {
    const [next] = waiting;
    if (!next) {
      isTurning = false;
      return;
    }
    const [key, line] = next;
    waiting.delete(key);
    line.shift()?.();
    if (line.length > 0) waiting.set(key, line);
    setImmediate(turn);
  }

  return (key) => {
    if (!isTurning) {
      isTurning = true;
      setImmediate(turn);
      return Promise.resolve();
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    const line = waiting.get(key);
    if (line) line.push(resolve);
    else waiting.set(key, [resolve]);
    return promise;
  };
}
