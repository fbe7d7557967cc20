import { afterEach, beforeEach, expect, it } from "vitest";
import { createSqliteConnection, type SqliteConnection } from "../../src/storage/sqlite-connection.ts";
import { countTurns, type TurnCount } from "../support/event-loop-turns.ts";

let connection: SqliteConnection;
let loop: TurnCount;

beforeEach(() => {
  connection = createSqliteConnection(":memory:", { warn: () => undefined });
  loop = countTurns();
});
afterEach(async () => {
  loop.end();
  await connection.close();
});

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** Number of turns of the event loop that 60 pieces of a millisecond took. */
async function turnsOfSixty(): Promise<number> {
  const from = loop.turns();
  await Promise.all(Array.from({ length: 60 }, () => connection.read(() => busy(1))));
  return loop.turns() - from;
}

it("in a busy process the storage gets as much of a turn as all the rest, because the renewal of a lease waits in its queue", async () => {
  const free = await turnsOfSixty();
  let isOver = false;
  const elsewhere = () => {
    if (isOver) return;
    busy(50);
    setImmediate(elsewhere);
  };
  elsewhere();
  // Other programs on a busy machine make some pieces longer.
  const tries = [await turnsOfSixty(), await turnsOfSixty(), await turnsOfSixty()];
  isOver = true;

  expect(free).toBeGreaterThan(1);
  // 3 turns of 20 ms, or 15 of 4 ms.
  expect(Math.min(...tries)).toBeLessThan(10);
});
