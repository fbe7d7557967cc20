/** A running count of the event loop's turns. */
interface TurnCount {
  /** Returns the number of turns so far. */
  turns(): number;
  /** Ends the count, and returns it. */
  end(): number;
}

/** Counts the turns of the event loop from now on. */
export function countTurns(): TurnCount {
  let turns = 0;
  let isOver = false;
  const count = () => {
    if (isOver) return;
    turns += 1;
    setImmediate(count);
  };
  setImmediate(count);
  return {
    turns: () => turns,
    end() {
      isOver = true;
      return turns;
    },
  };
}

/** Returns the number of turns of the event loop during the work, and the result of the work. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ turns: number; result: T }> {
  const count = countTurns();
  const result = await work();
  return { turns: count.end(), result };
}
