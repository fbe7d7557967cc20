import { createBudget } from "../basics/budget.ts";
import { budgets } from "../basics/budgets.ts";
import { createRateLimitPause } from "./rate-limit.ts";
import { StoreError } from "./store-error.ts";

/** Whether a person waits for a request (`interactive`), or not: polls, following, reading of the baseline (`background`). */
export type Priority = "interactive" | "background";

/** Requests of one token at a time: a person pages and picks, a poll goes on meanwhile, and no server minds four. */
const concurrency = 4;
/** One less than all, so that neither people nor polls ever wait for the other kind alone. */
const mostOfPriority = 3;
/** 100 wait at most: more could not be answered in time. Apart, so that presses never crowd out the poll. */
const mostWaiting: Readonly<Record<Priority, number>> = { interactive: 80, background: 20 };
/** By then all that wait now have been answered or have given up. */
const fullRetryMs = 12_000;
/** Polls have a backoff of their own: what is paused for longer is theirs to ask again. */
const longestBackgroundPauseMs = 2_000;
/** The queue of one token has one budget for people. */
const budgetKey = "";

/** A call that wants to send a request. */
export interface QueuedCall {
  readonly priority: Priority;
  /** Its method and path, for errors. */
  readonly what: string;
  /** Ends the call. */
  readonly signal: AbortSignal;
  /** When its time is up, by `performance.now()`. */
  readonly endsAt: number;
}

/** The queue that every request of one token goes through. Times are by `performance.now()`. */
export interface StoreQueue {
  /**
   * Resolves when the request may be sent; {@link StoreQueue.leave} has to be called after it. Interactive requests go first.
   *
   * @throws {StoreError} `rate_limited` at once, when a 429 pauses the token for longer than such a call waits, or people
   * have asked for so much lately that its turn comes later (each with the time), or too many wait already; the reason of
   * the call's signal
   */
  enter(call: QueuedCall): Promise<void>;
  leave(priority: Priority): void;
  /** A request that was sent at `sentAt` was refused with a 429: nothing is sent until its time is over. */
  pause(sentAt: number, retryAfterMs: number | undefined): void;
  /** A request that was sent at `sentAt` was answered, and not with a 429. */
  answered(sentAt: number): void;
  /** Whole milliseconds for which nothing will be sent. */
  pausedMs(): number;
}

interface Waiter {
  readonly call: QueuedCall;
  /** Its turn has come, or the reason why it waits no longer. */
  readonly end: (error?: unknown) => void;
}

const refusal = (what: string, why: string, retryAfterMs: number) =>
  new StoreError("rate_limited", `${what} (${why})`, { retryAfterMs });

/** One queue for one token. */
export function createStoreQueue(): StoreQueue {
  const running: Record<Priority, number> = { interactive: 0, background: 0 };
  const waiting: Record<Priority, Waiter[]> = { interactive: [], background: [] };
  const budget = createBudget(budgets.storeRequestsOfPeople);
  const pause = createRateLimitPause();
  let timer: NodeJS.Timeout | undefined;

  /** Sends what there is room for; where a pause goes on, or people have used up their budget, when it is over. */
  function admit(): void {
    clearTimeout(timer);
    if (pause.leftMs() > 0) {
      timer = setTimeout(admit, pause.leftMs()).unref();
      return;
    }
    for (const priority of ["interactive", "background"] as const) {
      while (running[priority] < mostOfPriority && running.interactive + running.background < concurrency) {
        const [next] = waiting[priority];
        if (next === undefined) break;
        const lateMs = priority === "interactive" ? budget.spend(budgetKey) : 0;
        if (lateMs > 0) {
          timer = setTimeout(admit, Math.ceil(lateMs)).unref();
          break;
        }
        running[priority] += 1;
        next.end();
      }
    }
  }

  function wait(call: QueuedCall): Promise<void> {
    const { signal, priority } = call;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const aborted = () => waiter.end(signal.reason);
    const waiter: Waiter = {
      call,
      end(...[error]) {
        waiting[priority] = waiting[priority].filter((other) => other !== waiter);
        signal.removeEventListener("abort", aborted);
        if (error === undefined) resolve();
        else reject(error);
      },
    };
    waiting[priority].push(waiter);
    signal.addEventListener("abort", aborted);
    return promise;
  }

  /** A pause may be waited for by a person as long as the call has, by polls for 2 s. */
  function isPausedTooLong({ priority, endsAt }: QueuedCall): boolean {
    const pausedMs = pause.leftMs();
    if (pausedMs === 0) return false;
    return pause.until() > endsAt || (priority === "background" && pausedMs > longestBackgroundPauseMs);
  }

  /** Milliseconds until one more request of people may be sent, after those that wait. */
  function budgetLateMs({ priority }: QueuedCall): number {
    if (priority === "background") return 0;
    const count = waiting.interactive.length + 1;
    const lateMs = budget.spend(budgetKey, count);
    if (lateMs === 0) budget.giveBack(budgetKey, count);
    return lateMs;
  }

  return {
    async enter(call) {
      const { priority, what, signal, endsAt } = call;
      signal.throwIfAborted();
      if (isPausedTooLong(call)) throw refusal(what, "paused", pause.leftMs());
      if (waiting[priority].length >= mostWaiting[priority]) {
        throw refusal(what, "too many wait", Math.max(pause.leftMs(), fullRetryMs));
      }
      const lateMs = budgetLateMs(call);
      if (performance.now() + lateMs >= endsAt) throw refusal(what, "too many lately", lateMs);
      const turn = wait(call);
      admit();
      return turn;
    },
    leave(priority) {
      running[priority] -= 1;
      admit();
    },
    pause(sentAt, retryAfterMs) {
      pause.begin(sentAt, retryAfterMs);
      for (const { call, end } of [...waiting.interactive, ...waiting.background]) {
        if (isPausedTooLong(call)) end(refusal(call.what, "paused", pause.leftMs()));
      }
      admit();
    },
    answered: pause.answered,
    pausedMs: pause.leftMs,
  };
}
