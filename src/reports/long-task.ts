import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../store-api/store-api.ts";
import type { ReadPage } from "./whole-list.ts";

/** Observes a task that takes long (an export, an import, a reading), on behalf of the person who waits. */
export interface TaskObserver<Progress> {
  /** Called about once a second. Returns whether the person pressed Cancel. A failure counts as false. */
  isCancelled(): Promise<boolean>;
  /** Called every few seconds, to show the progress. A failure does not end the task. */
  show(progress: Progress): Promise<void>;
}

/** The reason why a task ends early. */
export class TaskStopped extends Error {
  readonly end: "cancelled" | "late" | "ending";
  constructor(end: TaskStopped["end"]) {
    super(`the work stops: ${end}`);
    this.end = end;
  }
}

/** How often a task is checked. `pauseMs` is the wait before a failed request is made again. */
export interface TaskTiming {
  readonly beatMs: number;
  /**
   * Number of beats between two views of the progress. Discord allows 5 edits of one answer in 2 s; a person can read
   * one in 3 s.
   */
  readonly showEveryBeats: number;
  readonly pauseMs?: number;
}
export const defaultTiming: TaskTiming = { beatMs: 1_000, showEveryBeats: 3 };

/** Checks at every beat (about once a second) whether the task is cancelled, and shows its progress every few beats. */
export function observeTask<Progress>(
  observer: TaskObserver<Progress>,
  timing: TaskTiming,
  progress: () => Progress,
  cancel: () => void,
): () => Promise<void> {
  let beats = 0;
  let isEnded = false;
  let underWay: Promise<void> = Promise.resolve();
  let isBusy = false;

  async function beat() {
    beats += 1;
    if (await observer.isCancelled().catch(() => false)) cancel();
    // The first progress is shown soon, because it brings the Cancel button.
    if (!isEnded && (beats - 2) % timing.showEveryBeats === 0) {
      await observer.show(progress()).catch(() => undefined);
    }
  }
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    underWay = beat().finally(() => {
      isBusy = false;
    });
  }, timing.beatMs);
  return async () => {
    isEnded = true;
    clearInterval(timer);
    // Wait for a progress message that is being sent, so that it does not replace the final answer.
    await underWay;
  };
}

/** A signal that aborts with the reason why the task stops. `clear` ends its timer and listener. */
export function createTaskSignal(until: number, ending: AbortSignal) {
  const controller = new AbortController();
  const stop = (end: TaskStopped["end"]) => controller.abort(new TaskStopped(end));
  const end = () => stop("ending");
  const timer = setTimeout(() => stop("late"), Math.max(until - performance.now(), 0));
  if (ending.aborted) end();
  ending.addEventListener("abort", end);
  return {
    signal: controller.signal,
    cancel: () => stop("cancelled"),
    clear() {
      clearTimeout(timer);
      ending.removeEventListener("abort", end);
    },
  };
}

/** Waits. Rejects with the signal's reason if the signal aborts first. */
export async function taskPause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}

/** Number of times that a page is tried if the store fails to return it. Each try is up to three requests. */
const mostTries = 3;
const defaultPauseMs = 5_000;
/** If the store asks for a longer wait, the task ends with a message. */
const longestHeldMs = 120_000;
/** The wait if the store refuses with 429 and names no time. Most stores accept requests again by then. */
const usualHeldMs = 30_000;
const passing: ReadonlySet<string> = new Set(["unavailable", "timeout", "malformed"]);

/** Returns the milliseconds after which a long task repeats a failed request; undefined if it does not repeat it. */
export function retryDelayMs(error: unknown, tries: number, pauseMs = defaultPauseMs): number | undefined {
  if (!(error instanceof StoreError)) return undefined;
  if (error.code === "rate_limited") {
    const waitMs = error.retryAfterMs ?? usualHeldMs;
    return waitMs <= longestHeldMs ? Math.max(waitMs, 1) : undefined;
  }
  return passing.has(error.code) && tries < mostTries ? pauseMs : undefined;
}

/**
 * Adds pauses and retries to the reading of pages. Retries are possible because no person waits for a single page. A
 * page fails after three tries; if the store asks for time, the task waits. The first page has no retries: it shows
 * whether the store answers at all.
 *
 * @param waitMs returns 0 if a request may be made now; otherwise the ms after which to call it again
 */
export function retryingReads<Row>(
  read: ReadPage<Row>,
  how: { waitMs(): number; readonly signal: AbortSignal; readonly pauseMs?: number },
): ReadPage<Row> {
  const { waitMs, signal, pauseMs } = how;
  let isFirst = true;

  return async (page, limit) => {
    for (let tries = 1; ; tries += 1) {
      for (let late = waitMs(); late > 0; late = waitMs()) await taskPause(Math.ceil(late), signal);
      try {
        const answer = await read(page, limit);
        isFirst = false;
        return answer;
      } catch (error) {
        const retryMs = isFirst ? undefined : retryDelayMs(error, tries, pauseMs);
        if (retryMs === undefined) throw error;
        await taskPause(retryMs, signal);
      }
    }
  };
}
