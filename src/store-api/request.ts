import { setTimeout as sleep } from "node:timers/promises";
import type { Log } from "../basics/log.ts";
import type { Metrics } from "../basics/metrics.ts";
import type { Mutex } from "../basics/mutex.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Call, Exchange, HttpClient } from "./http-client.ts";
import { type Answer, type Failure, lostTo, type Outcome, outcomeOf } from "./outcome.ts";
import { StoreError } from "./store-error.ts";
import type { Priority } from "./store-queue.ts";
import type { TokenQueue, Tokens } from "./tokens.ts";

/** The caller: its token, its priority and its signal. */
export interface Requester {
  readonly token: string;
  readonly priority: Priority;
  readonly person?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface RequestDeps {
  readonly client: HttpClient;
  readonly tokens: Tokens;
  readonly largeAnswers: Mutex;
  readonly log: Pick<Log, "debug" | "warn">;
  readonly metrics: Metrics;
  readonly random: () => number;
  /**
   * Longest duration of a whole call in milliseconds. It includes the wait in the queue, the retries, and a slow body.
   */
  readonly longestMs: Readonly<Record<Priority, number>>;
  /** Longest wait before the first retry, in milliseconds. Before each further retry it doubles. */
  readonly retryBaseMs: number;
}

const mostAttempts = 3;
/**
 * Longest sleep between two attempts of a background call. Polls have their own waits (`polling/poll-failures.ts`), so
 * a call fails instead of sleeping longer.
 */
const longestBackgroundSleepMs = 2_000;

const isToken = (token: string) => /^[\x21-\x7e]+$/.test(token);

/** One call of one operation, with all it needs. */
interface Run<Data> {
  readonly deps: RequestDeps;
  readonly endpoint: Endpoint<Data>;
  readonly call: Call;
  readonly requester: Requester;
  /**
   * Set if the caller does not want an answer whose body it already knows. `last` is the digest of that body, undefined
   * the first time.
   */
  readonly fingerprint: { readonly last: string | undefined } | undefined;
  readonly queue: TokenQueue["queue"];
  /** Ends the call, which then throws the reason of this signal. */
  readonly signal: AbortSignal;
  /** Deadline by `performance.now()`. */
  readonly endsAt: number;
  readonly what: string;
}

/** The result of one attempt. */
interface Attempt<Data> {
  readonly status: number | undefined;
  readonly outcome: Outcome<Data> | "unchanged";
}

/**
 * Makes the functions that send requests to the store. undici's retry interceptor is not used: it resumes a broken body
 * with a range request, and does not distinguish a request that was never sent from one without an answer.
 */
export function createRequest(deps: RequestDeps) {
  const underWay = new Map<AbortController, string>();
  let isClosed = false;

  async function run<Data>(
    endpoint: Endpoint<Data>,
    call: Call,
    requester: Requester,
    fingerprint?: Run<Data>["fingerprint"],
  ): Promise<Answer<Data> | undefined> {
    const { method, path } = endpoint;
    const what = `${method} ${path}`;
    // Such a text cannot be a token. As a header it would cause an error that quotes it.
    if (!isToken(requester.token)) throw new StoreError("unauthorized", what);
    requester.signal?.throwIfAborted();
    if (isClosed) throw closed(what);
    const state = deps.tokens.queue(requester.token);
    const controller = new AbortController();
    const { signal } = controller;
    const ms = deps.longestMs[requester.priority];
    // One timer and one listener are used for the whole call. Both are removed at its end.
    const timer = setTimeout(() => controller.abort(new StoreError("timeout", what)), ms);
    const giveUp = () => controller.abort(requester.signal?.reason);
    requester.signal?.addEventListener("abort", giveUp);
    underWay.set(controller, what);
    state.calls += 1;
    try {
      const endsAt = performance.now() + ms;
      return await attempts({ deps, endpoint, call, requester, fingerprint, queue: state.queue, signal, endsAt, what });
    } finally {
      state.calls -= 1;
      underWay.delete(controller);
      clearTimeout(timer);
      requester.signal?.removeEventListener("abort", giveUp);
    }
  }

  return {
    /**
     * Makes one call, and retries if a repeat does no harm: a read after 429, 5xx or a connection fault; a creation
     * only if it was never sent or was refused with 429.
     *
     * @throws {StoreError}; the reason of `signal` if the caller gave up (`ambiguous` for a creation under way)
     */
    async request<Data>(endpoint: Endpoint<Data>, call: Call, requester: Requester): Promise<Answer<Data>> {
      const answer = await run(endpoint, call, requester);
      if (answer === undefined) throw new Error("it was not asked whether it changed");
      return answer;
    },
    /** As `request`. Returns undefined if the bytes of the body have the digest `last`. */
    changed: <Data>(endpoint: Endpoint<Data>, call: Call, last: string | undefined, requester: Requester) =>
      run(endpoint, call, requester, { last }),
    /** Calls under way fail without a further attempt (a creation as `ambiguous`); later calls fail at once. */
    close(): void {
      isClosed = true;
      for (const [controller, what] of underWay) controller.abort(closed(what));
    },
  };
}

const closed = (what: string) => new StoreError("unavailable", `${what} (closed)`);

/** Makes attempts until one succeeds or may not be repeated. Returns undefined if the answer has not changed. */
async function attempts<Data>(run: Run<Data>): Promise<Answer<Data> | undefined> {
  const { deps, queue, signal, endsAt, what } = run;
  const { priority, person } = run.requester;
  const { method, path } = run.endpoint;
  for (let count = 1; ; count += 1) {
    await queue.enter({ priority, person, what, signal, endsAt });
    const startedAt = performance.now();
    let result: Attempt<Data>;
    try {
      result = await attempt(run);
    } catch (error) {
      deps.metrics.storeRequest(priority, "ended");
      throw error;
    } finally {
      queue.leave(priority);
    }
    const { status, outcome } = result;
    deps.metrics.storeRequest(priority, wordFor(outcome));
    // Most answers are unchanged, so they are not logged.
    if (outcome === "unchanged") return undefined;
    const code = "error" in outcome ? outcome.error.code : undefined;
    const ms = Math.round(performance.now() - startedAt);
    deps.log.debug({ method, path, status, code, ms, attempt: count }, "store request");
    if ("answer" in outcome) return outcome.answer;
    await beforeNext(run, outcome, count);
  }
}

function wordFor(outcome: Attempt<unknown>["outcome"]): string {
  if (outcome === "unchanged") return outcome;
  return "error" in outcome ? outcome.error.code : "ok";
}

/** @throws the reason of the call's signal, if certainly nothing was created */
async function attempt<Data>(run: Run<Data>): Promise<Attempt<Data>> {
  const { deps, endpoint, call, requester, fingerprint, queue, signal, what } = run;
  const isCreation = endpoint.method === "POST";
  const sentAt = performance.now();

  return deps.client.send({ ...endpoint, ...call, token: requester.token }, signal, async (result: Exchange) => {
    if ("fault" in result) {
      if (signal.aborted && !(isCreation && !result.fault.neverSent)) throw signal.reason;
      return { status: undefined, outcome: lostTo(result.fault, what, isCreation) };
    }
    const { answered } = result;
    const { status } = answered;
    if (fingerprint?.last !== undefined && answered.fingerprint === fingerprint.last) {
      queue.answered(sentAt);
      return { status, outcome: "unchanged" };
    }
    const outcome = await outcomeOf(answered, endpoint, requester.token, deps.largeAnswers, signal);
    if (status !== 429 || "answer" in outcome) {
      queue.answered(sentAt);
      return { status, outcome };
    }
    queue.pause(sentAt, outcome.error.retryAfterMs);
    const error = new StoreError("rate_limited", what, { retryAfterMs: queue.pausedMs() });
    return { status, outcome: { error, again: true } };
  });
}

/** Waits until another attempt may be made. Throws if no further attempt is allowed. */
async function beforeNext(run: Run<unknown>, { error, again }: Failure, count: number): Promise<void> {
  const { deps, requester, signal, endsAt } = run;
  if (error.code !== "ambiguous") signal.throwIfAborted();
  if (!again || count === mostAttempts) throw error;
  // For a 429 the queue delays the next attempt, or refuses it at once.
  if (error.code === "rate_limited") return;
  const waitMs = (error.retryAfterMs ?? 0) + deps.random() * deps.retryBaseMs * 2 ** (count - 1);
  if (performance.now() + waitMs > endsAt) throw error;
  if (requester.priority === "background" && waitMs > longestBackgroundSleepMs) throw error;
  await sleep(waitMs, undefined, { signal }).catch(() => {
    throw requester.signal?.aborted ? signal.reason : error;
  });
}
