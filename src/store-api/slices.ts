import type { Ending } from "./ending.ts";

/** What one slice of work may take at once, in milliseconds: nobody notices so short a wait. */
const SLICE_MS = 4;

/**
 * Work that stops now and then to let others in. One slice of all such works runs in a turn of the event loop, so that
 * ten large answers block it for no longer at a time than one.
 */
export interface Slices {
  /** Runs `work` to its end; undefined when the call ended before. It may stop at every `yield`. */
  run<T>(work: Generator<void, T>, ending: Ending): Promise<T | undefined>;
}

export function createSlices(): Slices {
  // As many as there are calls under way, which the gates bound.
  const waiting: (() => void)[] = [];
  const next = () => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  const turn = () =>
    new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length === 1) setImmediate(next);
    });

  return {
    async run(work, ending) {
      let until = performance.now() + SLICE_MS;
      for (;;) {
        const step = work.next();
        if (step.done) return step.value;
        if (performance.now() < until) continue;
        await turn();
        if (ending.cause() !== undefined) return undefined;
        until = performance.now() + SLICE_MS;
      }
    },
  };
}
