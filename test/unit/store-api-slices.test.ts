import { afterEach, beforeEach, expect, it } from "vitest";
import { createEnding, type Ending } from "../../src/store-api/ending.ts";
import { createSlices } from "../../src/store-api/slices.ts";
import { countTurns, type TurnCount } from "../support/event-loop-turns.ts";

let ending: Ending;
let loop: TurnCount;

beforeEach(() => {
  ending = createEnding(10_000, undefined);
  loop = countTurns();
});
afterEach(() => {
  loop.end();
  ending.forget();
});

function busy(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

/** So many steps of so many milliseconds; notes in which turn of the event loop each ran. */
function* work(steps: number, ms: number, turns: number[]): Generator<void, number> {
  for (let step = 0; step < steps; step += 1) {
    turns.push(loop.turns());
    busy(ms);
    yield;
  }
  return steps;
}

/** The most steps that ran in one turn. */
const mostInATurn = (turns: readonly number[]) =>
  Math.max(...Array.from(Map.groupBy(turns, (turn) => turn).values(), ({ length }) => length));
/** What work may take of a turn of a process that does not get its processor, and a step more. */
const longestMs = 40;

it("work that is soon done never stops", async () => {
  const turns: number[] = [];
  expect(await createSlices().run(work(10, 0, turns), ending)).toBe(10);
  expect(new Set(turns).size).toBe(1);
});

it("of all that goes on, one slice of a few milliseconds runs in a turn", async () => {
  const slices = createSlices();
  const turns: number[] = [];

  const slicesOfAll = 6 * 5;
  const works = Array.from({ length: 6 }, () => slices.run(work(5, 5, turns), ending));

  expect(await Promise.all(works)).toEqual(Array(6).fill(5));
  expect(turns).toHaveLength(slicesOfAll);
  expect(mostInATurn(turns)).toBeLessThanOrEqual(longestMs / 5 + 1);
});

it("what is soon done waits for another turn, too, when much was done in this one", async () => {
  const slices = createSlices();
  const turns: number[] = [];
  // biome-ignore lint/correctness/useYield: what is done in one step.
  const small = function* (): Generator<void, void> {
    turns.push(loop.turns());
    busy(3);
  };

  await Promise.all(Array.from({ length: 60 }, () => slices.run(small(), ending)));

  expect(mostInATurn(turns)).toBeLessThanOrEqual(longestMs / 3 + 1);
});

it("of what waits, as much has its turn as there is room for, whoever ended meanwhile", async () => {
  const slices = createSlices();
  const turns: number[] = [];
  const gone = createEnding(10_000, undefined);
  const long = slices.run(work(2, 5, turns), ending);
  const begun = loop.turns();
  const short = Array.from({ length: 100 }, (_, index) =>
    slices.run(work(1, 0, turns), index % 2 === 0 ? ending : gone),
  );
  gone.end("caller");

  expect(await long).toBe(2);
  expect((await Promise.all(short)).filter((done) => done === 1)).toHaveLength(50);
  // One in each turn would take 100 of them.
  expect(loop.turns() - begun).toBeLessThan(20);
});

it("a process that is busy elsewhere comes to it, too: what is read has as much of a turn as all the rest", async () => {
  const slices = createSlices();
  const turns: number[] = [];
  let isOver = false;
  const elsewhere = () => {
    if (isOver) return;
    busy(60);
    setImmediate(elsewhere);
  };
  elsewhere();
  const works = Array.from({ length: 20 }, () => slices.run(work(10, 1, turns), ending));
  await Promise.all(works);
  isOver = true;

  // 200 ms of work: 5 turns of 40 ms, or 50 of 4 ms.
  expect(new Set(turns).size).toBeLessThan(20);
  // The rest takes 60 ms of each turn.
  expect(mostInATurn(turns)).toBeLessThanOrEqual(longestMs + 1);
});

it("work of a call that ended is left", async () => {
  const turns: number[] = [];
  const left = createSlices().run(work(100, 5, turns), ending);

  setImmediate(() => ending.end("caller"));

  expect(await left).toBeUndefined();
  expect(turns.length).toBeLessThan(5);
});

it("what was answered in time is read, too, when the time is up by then", async () => {
  const turns: number[] = [];
  const read = createSlices().run(work(3, 5, turns), ending);

  setImmediate(() => ending.end("time"));

  expect(await read).toBe(3);
});

it("what work throws comes out", async () => {
  const fails = (function* (): Generator<void, never> {
    busy(5);
    yield;
    throw new SyntaxError("no");
  })();
  await expect(createSlices().run(fails, ending)).rejects.toThrow(SyntaxError);
});
