import { setTimeout as sleep } from "node:timers/promises";

/** Whoever watches work that takes long. */
export interface Watcher<Progress> {
  /** Asked about once a second. A failure says nothing. */
  isCancelled(): Promise<boolean>;
  /** Shown every few seconds. A failure is no reason to end. */
  show(progress: Progress): Promise<void>;
}

/** Why work ends before its end. */
export class Stopped extends Error {
  readonly end: "cancelled" | "late" | "ending";
  constructor(end: Stopped["end"]) {
    super(`the work stops: ${end}`);
    this.end = end;
  }
}

/** How often long work is looked at; `pauseMs` is how long it waits for a store that fails. */
export interface Timing {
  readonly beatMs: number;
  /** Discord takes 5 edits in 2 s of one answer; a person reads one in 3 s. */
  readonly showEveryBeats: number;
  readonly pauseMs?: number;
}
export const usualTiming: Timing = { beatMs: 1_000, showEveryBeats: 3 };
/** Looks at every beat whether the work is still wanted, and shows from time to time how far it is. */
export function watchProgress<Progress>(
  watcher: Watcher<Progress>,
  timing: Timing,
  progress: () => Progress,
  cancel: () => void,
): () => Promise<void> {
  let beats = 0;
  let isEnded = false;
  let underWay: Promise<void> = Promise.resolve();
  let isBusy = false;

  async function beat() {
    beats += 1;
    if (await watcher.isCancelled().catch(() => false)) cancel();
    // The first one soon: it brings the button that ends it.
    if (!isEnded && (beats - 2) % timing.showEveryBeats === 0) {
      await watcher.show(progress()).catch(() => undefined);
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
export function createStop(until: number, ending: AbortSignal) {
  const controller = new AbortController();
  const stop = (end: Stopped["end"]) => controller.abort(new Stopped(end));
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
export async function restFor(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
  signal.throwIfAborted();
}
