import { createBudget } from "../basics/budget.ts";
import { budgets } from "../basics/budgets.ts";
import { createRateLimitPause } from "./rate-limit-pause.ts";
import { StoreError } from "./store-error.ts";

/** `interactive`: a person waits for the request. `background`: polls, following orders, reading the baseline. */
export type Priority = "interactive" | "background";

/**
 * Maximum number of requests of one token at a time: a person turns pages while a poll runs, and four requests are no
 * burden for a server.
 */
const concurrency = 4;
/** At most 3 of these places for one priority, so the other priority always finds one free. */
const mostOfPriority = 3;
/**
 * Maximum number of waiting calls for each priority. More than these 100 could not be answered in time. The limits are
 * separate, so people never crowd out the polls.
 */
const mostWaiting: Readonly<Record<Priority, number>> = { interactive: 80, background: 20 };
/** Maximum number of waiting calls of one person: twice the number that `/orders handling` sends at once. */
const mostOfPerson = 20;
/**
 * The wait that a call is told if the queue is full. After this time, all calls that wait now are answered or have
 * given up.
 */
const fullRetryMs = 12_000;
/**
 * Longest pause for which a poll waits in the queue. If the pause is longer, the call fails, and the poll waits by
 * itself (`polling/poll-failures.ts`).
 */
const longestBackgroundPauseMs = 2_000;
/** All people of a token share one budget. */
const budgetKey = "";

/** A call that wants to send a request. */
export interface QueuedCall {
  readonly priority: Priority;
  /** The person who waits for the answer: people take turns. */
  readonly person?: string | undefined;
  /** Its method and path, for errors. */
  readonly what: string;
  /** Ends the call when it aborts. */
  readonly signal: AbortSignal;
  /** Its deadline, by `performance.now()`. */
  readonly endsAt: number;
}

/** The queue for all requests of one token. Times are by `performance.now()`. */
export interface StoreQueue {
  /**
   * Resolves when the request may be sent. The caller must call {@link StoreQueue.leave} afterwards. Interactive
   * requests go first.
   *
   * @throws {StoreError} `rate_limited` at once, if a 429 pauses the token for longer than the call may wait, if people
   *   have used up their budget for that time, or if too many calls wait already; otherwise the reason of the call's
   *   signal
   */
  enter(call: QueuedCall): Promise<void>;
  leave(priority: Priority): void;
  /**
   * Begins a pause, because a request sent at `sentAt` was refused with a 429. Nothing is sent until the pause is over.
   */
  pause(sentAt: number, retryAfterMs: number | undefined): void;
  /** Notes that a request sent at `sentAt` got an answer other than a 429. */
  answered(sentAt: number): void;
  /** Whole milliseconds until anything may be sent. */
  pausedMs(): number;
}

interface Waiter {
  readonly call: QueuedCall;
  /** Ends the wait: without an error the call is admitted, otherwise it is rejected. */
  readonly end: (error?: unknown) => void;
}

const refusal = (what: string, why: string, retryAfterMs: number) =>
  new StoreError("rate_limited", `${what} (${why})`, { retryAfterMs });

/** Waiting calls of one priority. People take turns. */
function createWaitingList() {
  let waiters: readonly Waiter[] = [];
  /** People with waiting calls; the one served last is at the end. */
  const served = new Set<string | undefined>();
  return {
    get all() {
      return waiters;
    },
    of: (person: string | undefined) => waiters.filter(({ call }) => call.person === person).length,
    /** The first call of the person who has waited longest for a turn. */
    next(): Waiter | undefined {
      const people = [...served];
      const turnOf = ({ call }: Waiter) => people.indexOf(call.person);
      return waiters.reduce<Waiter | undefined>(
        (first, other) => (first !== undefined && turnOf(first) <= turnOf(other) ? first : other),
        undefined,
      );
    },
    /** Returns the place in the queue that one more call of this person would get. */
    placeOf(person: string | undefined): number {
      const own = this.of(person);
      const each = Map.groupBy(waiters, ({ call }) => call.person);
      return [...each].reduce(
        (sum, [other, { length }]) => sum + (other === person ? own : Math.min(length, own + 1)),
        1,
      );
    },
    admit(waiter: Waiter) {
      const { person } = waiter.call;
      served.delete(person);
      served.add(person);
      waiter.end();
    },
    wait(call: QueuedCall): Promise<void> {
      const { signal, person } = call;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const aborted = () => waiter.end(signal.reason);
      const waiter: Waiter = {
        call,
        end(...[error]) {
          waiters = waiters.filter((other) => other !== waiter);
          if (waiters.every((other) => other.call.person !== person)) served.delete(person);
          signal.removeEventListener("abort", aborted);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      waiters = [...waiters, waiter];
      signal.addEventListener("abort", aborted);
      return promise;
    },
  };
}

export function createStoreQueue(): StoreQueue {
  const running: Record<Priority, number> = { interactive: 0, background: 0 };
  const waiting = { interactive: createWaitingList(), background: createWaitingList() };
  const budget = createBudget(budgets.storeRequestsOfPeople);
  const pause = createRateLimitPause();
  let timer: NodeJS.Timeout | undefined;

  /**
   * Admits as many calls as there are free places. If a pause is on, or people have used up their budget, it runs again
   * when that is over.
   */
  function admit(): void {
    clearTimeout(timer);
    if (pause.leftMs() > 0) {
      timer = setTimeout(admit, pause.leftMs()).unref();
      return;
    }
    for (const priority of ["interactive", "background"] as const) {
      while (running[priority] < mostOfPriority && running.interactive + running.background < concurrency) {
        const next = waiting[priority].next();
        if (next === undefined) break;
        const lateMs = priority === "interactive" ? budget.spend(budgetKey) : 0;
        if (lateMs > 0) {
          timer = setTimeout(admit, Math.ceil(lateMs)).unref();
          break;
        }
        running[priority] += 1;
        waiting[priority].admit(next);
      }
    }
  }

  /** Whether the pause is too long for the call. A person waits until the call's deadline, a poll waits 2 s. */
  function isPausedTooLong({ priority, endsAt }: QueuedCall): boolean {
    const pausedMs = pause.leftMs();
    if (pausedMs === 0) return false;
    return pause.until() > endsAt || (priority === "background" && pausedMs > longestBackgroundPauseMs);
  }

  /**
   * Milliseconds by which the budget of people delays one more request, after the requests that come before it; 0 for
   * polls.
   */
  function budgetLateMs({ priority, person }: QueuedCall): number {
    if (priority === "background") return 0;
    const count = waiting.interactive.placeOf(person);
    const lateMs = budget.spend(budgetKey, count);
    if (lateMs === 0) budget.giveBack(budgetKey, count);
    return lateMs;
  }

  return {
    async enter(call) {
      const { priority, what, signal, endsAt } = call;
      signal.throwIfAborted();
      if (isPausedTooLong(call)) throw refusal(what, "paused", pause.leftMs());
      if (waiting[priority].all.length >= mostWaiting[priority]) {
        throw refusal(what, "too many wait", Math.max(pause.leftMs(), fullRetryMs));
      }
      const isCrowding = call.person !== undefined && waiting[priority].of(call.person) >= mostOfPerson;
      if (isCrowding) throw refusal(what, "too many of one person wait", fullRetryMs);
      const lateMs = budgetLateMs(call);
      if (performance.now() + lateMs >= endsAt) throw refusal(what, "too many lately", lateMs);
      const turn = waiting[priority].wait(call);
      admit();
      return turn;
    },
    leave(priority) {
      running[priority] -= 1;
      admit();
    },
    pause(sentAt, retryAfterMs) {
      pause.begin(sentAt, retryAfterMs);
      for (const { call, end } of [...waiting.interactive.all, ...waiting.background.all]) {
        if (isPausedTooLong(call)) end(refusal(call.what, "paused", pause.leftMs()));
      }
      admit();
    },
    answered: pause.answered,
    pausedMs: pause.leftMs,
  };
}
