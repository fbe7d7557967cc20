/** Milliseconds that this thread was at work: what other processes do on the machine meanwhile does not count. */
function atWork(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Milliseconds that `work` takes once. */
export function once(work: () => unknown): number {
  const before = atWork();
  work();
  return atWork() - before;
}

/** Milliseconds that `work` takes at best, of three times after the first, which compiles it. */
export function bestOf3(work: () => unknown): number {
  work();
  return Math.min(once(work), once(work), once(work));
}

/** For how long at most a turn of the event loop was held while `work` was under way, in milliseconds. */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  let last = atWork();
  const look = () => {
    const now = atWork();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  return Math.max(longest, atWork() - last);
}

/**
 * As {@link longestTurn}, at best of several times: code that runs for the first time is compiled, once in a while memory is
 * tidied up, and beside other processes the same work takes longer. Another look only where the first were too long.
 */
export async function longestTurnAtBest(work: () => Promise<unknown>, enoughMs = 10, mostLooks = 4): Promise<number> {
  let best = await longestTurn(work);
  for (let looks = 1; looks < mostLooks && best > enoughMs; looks += 1) best = Math.min(best, await longestTurn(work));
  return best;
}
