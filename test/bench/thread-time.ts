/** Processor time of this thread in ms. The work of other processes does not count. */
function atWork(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

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
 * The shortest of up to four results, because code that runs for the first time is compiled, and sometimes garbage is
 * collected. A result of at most `enoughMs` is not measured again.
 */
export async function longestTurnAtBest(work: () => unknown, enoughMs: number): Promise<number> {
  let best = await longestTurn(work);
  for (let looks = 1; looks < 4 && best > enoughMs; looks += 1) best = Math.min(best, await longestTurn(work));
  return best;
}
