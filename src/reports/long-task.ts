import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../store-api/store-api.ts";
import type { ReadPage } from "./whole-list.ts";

/** What follows a task that takes long. */
export interface TaskObserver<Progress> {
  /** Asked about once a second. A failure says nothing. */
  isCancelled(): Promise<boolean>;
  /** Shown every few seconds. A failure is no reason to end. */
  show(progress: Progress): Promise<void>;
}

/** Why work ends before its end. */
export class TaskStopped extends Error {
  readonly end: "cancelled" | "late" | "ending";
  constructor(end: TaskStopped["end"]) {
    super(`the work stops: ${end}`);
    this.end = end;
  }
}

/** How often a task is checked; `pauseMs` is how long it waits for a store that fails. */
export interface TaskTiming {
  readonly beatMs: number;
  /** Discord takes 5 edits in 2 s of one answer; a person reads one in 3 s. */
  readonly showEveryBeats: number;
  readonly pauseMs?: number;
}
export const defaultTiming: TaskTiming = { beatMs: 1_000, showEveryBeats: 3 };

/** Checks at every beat whether the task is still wanted, and shows from time to time how far it is. */
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
    // The first one soon: it brings the button that ends it.
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
    // What was shown last may not overtake the answer.
    await underWay;
  };
}

/** A signal with the reasons why work stops, and the end of its timer and its listener. */
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

/** Waits; rejects with the signal's reason where that comes first. */
export async function taskPause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}

/** Tries of a page that the store fails to give, each of which is three requests already. */
const mostTries = 3;
const defaultPauseMs = 5_000;
/** A longer wait ends the task, with a sentence. */
const longestHeldMs = 120_000;
/** By then a store that asks to wait and names no time takes requests again, mostly. */
const usualHeldMs = 30_000;
const passing: ReadonlySet<string> = new Set(["unavailable", "timeout", "malformed"]);

/** After how many ms a request of a long task is made again; undefined where it is not. */
export function retryDelayMs(error: unknown, tries: number, pauseMs = defaultPauseMs): number | undefined {
  if (!(error instanceof StoreError)) return undefined;
  if (error.code === "rate_limited") {
    const waitMs = error.retryAfterMs ?? usualHeldMs;
    return waitMs <= longestHeldMs ? Math.max(waitMs, 1) : undefined;
  }
  return passing.has(error.code) && tries < mostTries ? pauseMs : undefined;
}

/**
 * The same pages, read at this pace, and with retries, because no person waits for a single page: it fails only
 * after three tries, and where the store asks for time, it gets that. The first page has none: it says whether there is a
 * store at all.
 *
 * @param waitMs 0 where a request may be made now, else after how many ms to ask again
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
