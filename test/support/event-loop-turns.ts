interface TurnCount {
  turns(): number;
  end(): number;
}

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

export async function turnsDuring<T>(work: () => Promise<T>): Promise<{ turns: number; result: T }> {
  const count = countTurns();
  const result = await work();
  return { turns: count.end(), result };
}
