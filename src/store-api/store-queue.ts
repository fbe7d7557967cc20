import { createBudget } from "../basics/limits/budget.ts";
import { budgets } from "../basics/limits/budgets.ts";
import { StoreError } from "./store-error.ts";
import { longestCallMs, longestPollWaitMs } from "./time-limits.ts";

/** `interactive`: a person waits for the answer. `background`: all other requests, for example polls. */
export type Priority = "interactive" | "background";

/** How many requests of one token run at a time. */
const concurrency = 4;
/** At most this many of the running requests have the same priority, so the other priority always has a free place. */
const mostOfPriority = 3;
/** At most this many calls of each person wait, and at most this many background calls in all. */
const mostWaiting = 20;
/** If too many calls wait, the error asks for this wait, because each waiting call of a person ends within this time. */
const fullRetryMs = longestCallMs.interactive;
/** The pause after a 429 that names no time. Each further 429 of this kind doubles the pause, up to `longestPauseMs`. */
const firstPauseMs = 1_000;
const longestPauseMs = 30_000;
/** A 429 may ask for a wait of 0. Without this limit, further requests would follow without a pause. */
const shortestPauseMs = 100;
const budgetKey = "";

type Person = string | undefined;

interface QueuedCall {
  readonly priority: Priority;
  readonly person?: Person;
  /** The method and path, for errors. */
  readonly what: string;
  readonly signal: AbortSignal;
  readonly endsAt: number;
}

interface Waiter {
  readonly call: QueuedCall;
  readonly end: (error?: unknown) => void;
}

const refusal = (what: string, why: string, retryAfterMs: number) =>
  new StoreError("rate_limited", `${what} (${why})`, { retryAfterMs });

/** The requests of one token wait here. `budgets.ts` has the number per second. */
export class StoreQueue {
  private readonly running = new Set<QueuedCall>();
  /** The calls of each person. The person whose call was admitted or ended last comes last. All polls count as one person's. */
  private readonly waiting = { interactive: new Map<Person, Waiter[]>(), background: new Map<Person, Waiter[]>() };
  private readonly budget = createBudget(budgets.storeRequestsOfPeople);
  /** By `performance.now()`. */
  private pausedUntil = Number.NEGATIVE_INFINITY;
  private untimedRefusals = 0;
  private timer: NodeJS.Timeout | undefined;

  /**
   * Resolves when the request may be sent. Interactive calls go first. Of the people who wait, the person with the fewest
   * requests under way is next. If several have equally few, the person whose last turn was longest ago is next. So one person
   * with many calls does not delay the others. The calls of one person, and background calls, keep their order.
   *
   * @returns a function that must be called after the request
   * @throws {StoreError} `rate_limited` if too many calls of this person, or too many background calls, wait already. The error
   * is the same if the call would wait too long for the end of a pause, or for the budget of all people's requests. If the
   * call's signal aborts, throws its reason
   */
  async enter(call: QueuedCall): Promise<() => void> {
    const { priority, person, what, signal, endsAt } = call;
    signal.throwIfAborted();
    if (this.isPausedTooLong(call)) throw refusal(what, "paused", this.pausedMs());
    const own = this.waiting[priority].get(person) ?? [];
    if (own.length >= mostWaiting) throw refusal(what, "too many wait", Math.max(this.pausedMs(), fullRetryMs));
    const lateMs = priority === "interactive" ? this.budgetLateMs(this.callsBefore(own) + 1) : 0;
    if (performance.now() + lateMs >= endsAt) throw refusal(what, "too many lately", lateMs);
    const admitted = this.wait(call, own);
    this.admit();
    return admitted;
  }

  /** After a 429, sends nothing until the pause is over. `retryAfterMs` is undefined if the 429 names no time. */
  pause(retryAfterMs: number | undefined): void {
    // If several requests are refused at the same time, the pause is doubled only once.
    if (retryAfterMs === undefined && this.pausedMs() > 0) return;
    const ms = retryAfterMs ?? Math.min(firstPauseMs * 2 ** this.untimedRefusals, longestPauseMs);
    if (retryAfterMs === undefined) this.untimedRefusals += 1;
    this.pausedUntil = Math.max(this.pausedUntil, performance.now() + Math.max(ms, shortestPauseMs));
    for (const { call, end } of [...this.waiting.interactive.values(), ...this.waiting.background.values()].flat()) {
      if (this.isPausedTooLong(call)) end(refusal(call.what, "paused", this.pausedMs()));
    }
    this.admit();
  }

  /** Must be called after each answer that is not a 429. Then the next 429 that names no time causes a pause of 1 s. */
  answered(): void {
    // An answer that comes during a pause belongs to a request that was sent before the 429.
    if (this.pausedMs() === 0) this.untimedRefusals = 0;
  }

  /** Whole milliseconds until the pause ends. */
  pausedMs(): number {
    return Math.max(0, Math.ceil(this.pausedUntil - performance.now()));
  }

  private wait(call: QueuedCall, own: Waiter[]): Promise<() => void> {
    const { priority, person, signal } = call;
    const waiting = this.waiting[priority];
    const { promise, resolve, reject } = Promise.withResolvers<() => void>();
    const aborted = () => waiter.end(signal.reason);
    const leave = () => {
      this.running.delete(call);
      this.admit();
    };
    const waiter: Waiter = {
      call,
      end(error) {
        own.splice(own.indexOf(waiter), 1);
        waiting.delete(person);
        if (own.length > 0) waiting.set(person, own);
        signal.removeEventListener("abort", aborted);
        if (error === undefined) resolve(leave);
        else reject(error);
      },
    };
    own.push(waiter);
    waiting.set(person, own);
    signal.addEventListener("abort", aborted);
    return promise;
  }

  private admit(): void {
    const { running, waiting } = this;
    clearTimeout(this.timer);
    if (this.pausedMs() > 0) {
      this.admitIn(this.pausedMs());
      return;
    }
    for (const priority of ["interactive", "background"] as const) {
      const ofPriority = () => [...running].filter((call) => call.priority === priority);
      while (running.size < concurrency && ofPriority().length < mostOfPriority) {
        const runs = ({ call: { person } }: Waiter) => ofPriority().filter((call) => call.person === person).length;
        const firsts = [...waiting[priority].values()].flatMap((calls) => calls.slice(0, 1));
        const [next] = firsts.sort((one, other) => runs(one) - runs(other));
        if (next === undefined) break;
        const lateMs = priority === "interactive" ? this.budget.spend(budgetKey) : 0;
        if (lateMs > 0) {
          this.admitIn(Math.ceil(lateMs));
          break;
        }
        running.add(next.call);
        next.end();
      }
    }
  }

  private admitIn(ms: number): void {
    this.timer = setTimeout(() => this.admit(), ms).unref();
  }

  private isPausedTooLong({ priority, endsAt }: QueuedCall): boolean {
    return this.pausedUntil > endsAt || (priority === "background" && this.pausedMs() > longestPollWaitMs);
  }

  /** The waiting calls of the person (`own`) go before a new call. So do as many calls of each other person, and one more. */
  private callsBefore(own: readonly Waiter[]): number {
    return [...this.waiting.interactive.values()].flatMap((calls) => calls.slice(0, own.length + 1)).length;
  }

  private budgetLateMs(calls: number): number {
    const lateMs = this.budget.spend(budgetKey, calls);
    if (lateMs === 0) this.budget.giveBack(budgetKey, calls);
    return lateMs;
  }
}
