/** A count of the event loop's turns that goes on until it is ended. */
interface TurnCount {
  /** Turns since the beginning. */
  turns(): number;
  end(): void;
}

/** Counts the turns of the event loop from now on. */
function countTurns(): TurnCount {
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  return {
    turns: () => turns,
    end() {
      isOver = true;
    },
  };
}

/** How often the event loop turned while the work was under way, and what came of it. */
export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ turns: number; result: T }> {
  const count = countTurns();
  const result = await work();
  count.end();
  return { turns: count.turns(), result };
}
