import { createBudget } from "../basics/budget.ts";
import { budgets } from "../basics/budgets.ts";
import { createRateLimitPause } from "./rate-limit-pause.ts";
import { StoreError } from "./store-error.ts";

/** Whether a person waits for a request (`interactive`), or not: polls, following, reading of the baseline (`background`). */
export type Priority = "interactive" | "background";

/** Requests of one token at a time: a person pages and picks, a poll goes on meanwhile, and no server minds four. */
const concurrency = 4;
/** One less than all, so that neither people nor polls ever wait for the other kind alone. */
const mostOfPriority = 3;
/** 100 wait at most: more could not be answered in time. Apart, so that presses never crowd out the poll. */
const mostWaiting: Readonly<Record<Priority, number>> = { interactive: 80, background: 20 };
/** Of one person: what `/orders handling` asks at once, twice. */
const mostOfPerson = 20;
/** By then all that wait now have been answered or have given up. */
const fullRetryMs = 12_000;
/** Polls have a backoff of their own: what is paused for longer is theirs to ask again. */
const longestBackgroundPauseMs = 2_000;
/** The queue of one token has one budget for people. */
const budgetKey = "";

/** A call that wants to send a request. */
export interface QueuedCall {
  readonly priority: Priority;
  /** Who waits for it: people take turns. */
  readonly person?: string | undefined;
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

/** Calls of one priority that wait. People take turns. */
function createWaitingList() {
  let waiters: readonly Waiter[] = [];
  /** People of whom something waits, the one whose turn was last at the end. */
  const served = new Set<string | undefined>();
  return {
    get all() {
      return waiters;
    },
    of: (person: string | undefined) => waiters.filter(({ call }) => call.person === person).length,
    /** The first one of the person whose turn was longest ago. */
    next(): Waiter | undefined {
      const people = [...served];
      const turnOf = ({ call }: Waiter) => people.indexOf(call.person);
      return waiters.reduce<Waiter | undefined>(
        (first, other) => (first !== undefined && turnOf(first) <= turnOf(other) ? first : other),
        undefined,
      );
    },
    /** How many come before one more of this person, itself counted. */
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

/** One queue for one token. */
export function createStoreQueue(): StoreQueue {
  const running: Record<Priority, number> = { interactive: 0, background: 0 };
  const waiting = { interactive: createWaitingList(), background: createWaitingList() };
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

  /** A pause may be waited for by a person as long as the call has, by polls for 2 s. */
  function isPausedTooLong({ priority, endsAt }: QueuedCall): boolean {
    const pausedMs = pause.leftMs();
    if (pausedMs === 0) return false;
    return pause.until() > endsAt || (priority === "background" && pausedMs > longestBackgroundPauseMs);
  }

  /** Milliseconds until one more request of a person may be sent, after those whose turn comes first. */
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
