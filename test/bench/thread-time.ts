/** Milliseconds that this thread was at work: what other processes do on the machine meanwhile does not count. */
function atWork(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** For how long at most a turn of the event loop was held while `work` was under way, in milliseconds. */
async function longestTurn(work: () => unknown): Promise<number> {
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
 * As {@link longestTurn}, at best of four times: code that runs for the first time is compiled, and once in a while memory is
 * tidied up. Work whose first turns took less than `enoughMs` is not measured again.
 */
export async function longestTurnAtBest(work: () => unknown, enoughMs: number): Promise<number> {
  let best = await longestTurn(work);
  for (let looks = 1; looks < 4 && best > enoughMs; looks += 1) best = Math.min(best, await longestTurn(work));
  return best;
}
