/** A count of the event loop's turns that goes on until it is ended. */
interface TurnCount {
  /** Turns since the beginning. */
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

/** How often the event loop turned while the work was under way, and what came of it. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ turns: number; result: T }> {
  const count = countTurns();
  const result = await work();
  return { turns: count.end(), result };
}
