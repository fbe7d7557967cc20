import type { Ending } from "./ending.ts";

/** What all work may take of one turn of the event loop, in milliseconds: nobody notices so short a wait. */
const sliceMs = 4;
/**
 * Where the rest of a turn takes longer than that, work takes as long as the rest did: with 4 ms of every 100, answers that
 * are to be read would wait behind all those that are not, until their calls have ended. But no longer than this.
 */
const longestSliceMs = 40;

/**
 * Work that stops now and then to let others in. All such works together have one slice in a turn of the event loop, so
 * that ten large answers, which may end in one turn, block it for no longer at a time than one.
 */
export interface Slices {
  /**
   * Runs `work` to its end; undefined when nobody wants it any more. It may stop at every `yield`. Work that is begun late in
   * a busy process is done though the call's time is up: the answer is there, and to ask again would make it busier.
   */
  run<T>(work: Generator<void, T>, ending: Ending): Promise<T | undefined>;
}

export function createSlices(): Slices {
  // As many as there are calls under way, which the gates bound.
  const waiting: (() => void)[] = [];
  /** Milliseconds that were taken of this turn, and that may be. */
  let taken = 0;
  let allowed = sliceMs;
  let isPlanned = false;
  let plannedAt = 0;

  function plan(): void {
    if (isPlanned) return;
    isPlanned = true;
    plannedAt = performance.now();
    setImmediate(next);
  }
  function next(): void {
    isPlanned = false;
    const restMs = performance.now() - plannedAt - taken;
    allowed = Math.min(Math.max(restMs, sliceMs), longestSliceMs);
    taken = 0;
    letIn();
    if (waiting.length > 0) plan();
  }
  /** As many in a turn as its slice has room for: with one in each, a busy process would never come to the last ones. */
  function letIn(): void {
    if (taken < allowed) waiting.shift()?.();
  }
  const turn = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      plan();
    });

  /** Goes on until the turn's slice is used up; undefined when the work is not done by then. */
  function slice<T>(work: Generator<void, T>): { readonly done: T } | undefined {
    const startedAt = performance.now();
    const until = startedAt + allowed - taken;
    try {
      do {
        const step = work.next();
        if (step.done) return { done: step.value };
      } while (performance.now() < until);
      return undefined;
    } finally {
      taken += performance.now() - startedAt;
      letIn();
      plan();
    }
  }

  return {
    async run(work, ending) {
      // What comes while others wait, or late in a turn, queues like them.
      let mayRun = waiting.length === 0 && taken < allowed;
      for (;;) {
        if (!mayRun) await turn();
        const cause = ending.cause();
        if (!mayRun && cause !== undefined && cause !== "time") {
          letIn();
          return undefined;
        }
        const result = slice(work);
        if (result !== undefined) return result.done;
        mayRun = false;
      }
    },
  };
}
