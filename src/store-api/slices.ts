import type { Ending } from "./ending.ts";

/** What all work may take of one turn of the event loop, in milliseconds: nobody notices so short a wait. */
const sliceMs = 4;

/**
 * Work that stops now and then to let others in. All such works together have one slice in a turn of the event loop, so
 * that ten large answers, which may end in one turn, block it for no longer at a time than one.
 */
export interface Slices {
  /** Runs `work` to its end; undefined when the call ended before. It may stop at every `yield`. */
  run<T>(work: Generator<void, T>, ending: Ending): Promise<T | undefined>;
}

export function createSlices(): Slices {
  // As many as there are calls under way, which the gates bound.
  const waiting: (() => void)[] = [];
  /** Milliseconds that were taken of this turn. */
  let taken = 0;
  let isPlanned = false;

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(next);
  }
  function next(): void {
    isPlanned = false;
    taken = 0;
    waiting.shift()?.();
    if (waiting.length > 0) plan();
  }
  const turn = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      plan();
    });

  /** Goes on until the turn's slice is used up; undefined when the work is not done by then. */
  function slice<T>(work: Generator<void, T>): { readonly done: T } | undefined {
    const startedAt = performance.now();
    const until = startedAt + sliceMs - taken;
    try {
      do {
        const step = work.next();
        if (step.done) return { done: step.value };
      } while (performance.now() < until);
      return undefined;
    } finally {
      taken += performance.now() - startedAt;
      plan();
    }
  }

  return {
    async run(work, ending) {
      // What comes while others wait, or late in a turn, queues like them.
      let mayRun = waiting.length === 0 && taken < sliceMs;
      for (;;) {
        if (!mayRun) await turn();
        if (!mayRun && ending.cause() !== undefined) return undefined;
        const result = slice(work);
        if (result !== undefined) return result.done;
        mayRun = false;
      }
    },
  };
}
