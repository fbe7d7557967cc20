import { sleep } from "../basics/limits/sleep.ts";
import type { Page } from "../store-api/list-pages.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { type ReadRows, wholeList } from "./whole-list.ts";

export interface TaskObserver<Progress> {
  /** Called about once a second. A failure counts as false. */
  isCancelled(): Promise<boolean>;
  /** Called every few seconds. A failure does not end the task. */
  show(progress: Progress): Promise<void>;
}

export class TaskStopped extends Error {
  readonly end: "cancelled" | "late" | "ending";
  constructor(end: TaskStopped["end"]) {
    super(`the work stops: ${end}`);
    this.end = end;
  }
}

/** `beatMs`: the time between two calls of `isCancelled`. `pauseMs`: the wait before a failed request is made again. */
export interface TaskTiming {
  readonly beatMs: number;
  /** Discord allows 5 edits in 2 s, but a person needs 3 s to read the progress. */
  readonly showEveryBeats: number;
  readonly pauseMs?: number;
}
const defaultTiming: TaskTiming = { beatMs: 1_000, showEveryBeats: 3 };

export interface TaskLimits {
  /** By `performance.now()`. */
  readonly until: number;
  /** Aborts when the process ends. */
  readonly ending: AbortSignal;
  readonly timing?: TaskTiming | undefined;
}

/**
 * The signal of `work` aborts with {@link TaskStopped} if the person presses Cancel, the time is over or the process ends.
 * After the returned promise settles, no progress is shown.
 */
export async function runTask<Progress, Result>(
  { until, ending, timing = defaultTiming }: TaskLimits,
  observer: TaskObserver<Progress>,
  progress: () => Progress,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const task = new AbortController();
  const over = new AbortController();
  const stop = (end: TaskStopped["end"]) => task.abort(new TaskStopped(end));
  const endNow = () => stop("ending");
  const timer = setTimeout(() => stop("late"), Math.max(until - performance.now(), 0));
  if (ending.aborted) endNow();
  ending.addEventListener("abort", endNow);

  async function observe(): Promise<void> {
    for (let beats = 1; ; beats += 1) {
      await sleep(timing.beatMs, over.signal);
      if (await observer.isCancelled().catch(() => false)) stop("cancelled");
      // The first progress is shown soon, because it brings the Cancel button.
      const isDue = (beats - 2) % timing.showEveryBeats === 0;
      if (isDue && !over.signal.aborted) await observer.show(progress()).catch(() => undefined);
    }
  }
  const observing = observe().catch(() => undefined);
  try {
    return await work(task.signal);
  } finally {
    over.abort();
    clearTimeout(timer);
    ending.removeEventListener("abort", endNow);
    // A progress message may be under way. Without this wait, it could replace the final answer.
    await observing;
  }
}

/** Calls `waitMs` until it returns 0. Any other result is the wait (ms) before the next call. */
export async function taskTurn(waitMs: () => number, signal: AbortSignal): Promise<void> {
  for (let late = waitMs(); late > 0; late = waitMs()) await sleep(Math.ceil(late), signal);
}

/** Pages count from 1. */
export type TaskRead<Row> = (page: number, limit: number, signal: AbortSignal) => Promise<Page<Row>>;

/**
 * Yields the rows of {@link wholeList}. Repeats a failed read of a page, if {@link retryDelayMs} allows it. The read of the
 * first page is not repeated, because it shows whether the store answers at all. For `waitMs`, see {@link taskTurn}.
 */
export function readWholeList<Row extends { readonly id: string }>(
  read: TaskRead<Row>,
  how: { waitMs(): number; readonly signal: AbortSignal; readonly pauseMs?: number | undefined },
): AsyncGenerator<ReadRows<Row>> {
  const { waitMs, signal, pauseMs } = how;
  let isFirst = true;

  return wholeList(async (page, limit) => {
    for (let tries = 1; ; tries += 1) {
      await taskTurn(waitMs, signal);
      try {
        const answer = await read(page, limit, signal);
        isFirst = false;
        return answer;
      } catch (error) {
        const retryMs = isFirst ? undefined : retryDelayMs(error, tries, pauseMs);
        if (retryMs === undefined) throw error;
        await sleep(retryMs, signal);
      }
    }
  });
}
