import { setTimeout as sleep } from "node:timers/promises";
import { Mutex } from "../basics/limits/mutex.ts";
import type { Log } from "../basics/log.ts";
import type { Metrics } from "../basics/metrics.ts";
import { type Answer, answerOf } from "./answer-of.ts";
import type { Endpoint } from "./endpoints.ts";
import type { Call, HttpClient } from "./http-client.ts";
import { StoreError } from "./store-error.ts";
import type { Priority, StoreQueue } from "./store-queue.ts";
import { longestPollWaitMs } from "./time-limits.ts";

export interface Requester {
  readonly token: string;
  readonly queue: StoreQueue;
  readonly priority: Priority;
  readonly person?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface RequestDeps {
  readonly client: HttpClient;
  readonly log: Pick<Log, "debug">;
  readonly metrics: Metrics;
  /** The longest time of a call in ms, with the wait in the queue and all attempts. */
  readonly longestMs: Readonly<Record<Priority, number>>;
  /** The longest random wait before the first retry, in ms. It doubles before each further retry. */
  readonly retryBaseMs: number;
}

const mostAttempts = 3;

const isToken = (token: string) => /^[\x21-\x7e]+$/.test(token);

interface Run<Data> {
  readonly endpoint: Endpoint<Data>;
  readonly call: Call;
  readonly requester: Requester;
  readonly known: string | undefined;
  readonly signal: AbortSignal;
  readonly endsAt: number;
  readonly what: string;
}

/** Used instead of undici's retry interceptor, which resumes a broken body, and cannot tell whether a request was sent. */
export class StoreRequests {
  private readonly deps: RequestDeps;
  private readonly largeAnswers = new Mutex();
  private readonly underWay = new Map<AbortController, string>();
  private isClosed = false;

  constructor(deps: RequestDeps) {
    this.deps = deps;
  }

  /**
   * Makes up to three attempts. A GET is repeated after a 429, after a 5xx, after a failed or lost connection, or if there was
   * no memory for its answer. A creation is repeated only if it was never sent, or was refused with 429.
   *
   * @param known if the body still has this fingerprint, the result is undefined
   * @throws {StoreError}, or the reason of the caller's signal if it aborts. If a creation is ended while it
   * is sent (its time is over, or the client is closed), throws `ambiguous`
   */
  async request<Data>(
    endpoint: Endpoint<Data>,
    call: Call,
    requester: Requester,
    known?: string,
  ): Promise<Answer<Data> | undefined> {
    const what = `${endpoint.method} ${endpoint.path}`;
    // A token has only visible ASCII characters. With any other text, the error about the header would show the text.
    if (!isToken(requester.token)) throw new StoreError("unauthorized", what);
    requester.signal?.throwIfAborted();
    if (this.isClosed) throw closed(what);
    const controller = new AbortController();
    const { signal } = controller;
    const ms = this.deps.longestMs[requester.priority];
    const timer = setTimeout(() => controller.abort(new StoreError("timeout", what)), ms);
    const giveUp = () => controller.abort(requester.signal?.reason);
    requester.signal?.addEventListener("abort", giveUp);
    this.underWay.set(controller, what);
    try {
      const endsAt = performance.now() + ms;
      return await this.attempts({ endpoint, call, requester, known, signal, endsAt, what });
    } finally {
      this.underWay.delete(controller);
      clearTimeout(timer);
      requester.signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Calls under way and later calls fail immediately. */
  close(): void {
    this.isClosed = true;
    for (const [controller, what] of this.underWay) controller.abort(closed(what));
  }

  private async attempts<Data>(run: Run<Data>): Promise<Answer<Data> | undefined> {
    for (let count = 1; ; count += 1) {
      try {
        return await this.attempt(run);
      } catch (error) {
        if (!(error instanceof StoreError) || !error.canRepeat || count === mostAttempts) throw error;
        run.signal.throwIfAborted();
        // For a 429 the queue delays the next attempt, or refuses it immediately.
        if (error.code !== "rate_limited") await this.pause(run, error, count);
      }
    }
  }

  private async attempt<Data>(run: Run<Data>): Promise<Answer<Data> | undefined> {
    const { signal, endsAt, what } = run;
    const { queue, priority, person } = run.requester;
    const { metrics, log } = this.deps;
    const leave = await queue.enter({ priority, person, what, signal, endsAt });
    const startedAt = performance.now();
    const ended = (word: string, result: object) => {
      metrics.storeRequest(priority, word);
      log.debug({ ...result, ms: Math.round(performance.now() - startedAt) }, "store request");
    };
    try {
      const answer = await this.send(run);
      // Unchanged answers are not logged, because most answers are unchanged.
      if (answer === undefined) metrics.storeRequest(priority, "unchanged");
      else ended("ok", { request: what });
      return answer;
    } catch (error) {
      const isFailure = error instanceof StoreError && error !== signal.reason;
      ended(isFailure ? error.code : "ended", { request: isFailure ? error.message : what });
      throw error;
    } finally {
      leave();
    }
  }

  /** @throws {StoreError}, or the reason of the call's signal if it aborted and certainly nothing was created */
  private send<Data>(run: Run<Data>): Promise<Answer<Data> | undefined> {
    const { endpoint, call, known, signal, what } = run;
    const { token, queue } = run.requester;
    const isCreation = endpoint.method === "POST";

    return this.deps.client.send({ ...endpoint, ...call, token }, signal, async (result) => {
      if ("fault" in result) {
        const { code, name, neverSent } = result.fault;
        if (isCreation && !neverSent) throw new StoreError("ambiguous", what);
        signal.throwIfAborted();
        throw new StoreError(code, `${what} (${name})`, { canRepeat: code === "unavailable" });
      }
      const { status, fingerprint } = result.answered;
      if (status !== 429) queue.answered();
      if (known !== undefined && fingerprint === known) return undefined;
      try {
        return await answerOf(result.answered, endpoint, token, this.largeAnswers, signal);
      } catch (error) {
        if (status !== 429 || !(error instanceof StoreError)) throw error;
        queue.pause(error.retryAfterMs);
        throw new StoreError("rate_limited", what, { canRepeat: true, retryAfterMs: queue.pausedMs() });
      }
    });
  }

  private async pause(run: Run<unknown>, error: StoreError, count: number): Promise<void> {
    const { requester, signal, endsAt } = run;
    const waitMs = (error.retryAfterMs ?? 0) + Math.random() * this.deps.retryBaseMs * 2 ** (count - 1);
    if (performance.now() + waitMs > endsAt) throw error;
    if (requester.priority === "background" && waitMs > longestPollWaitMs) throw error;
    // Not `basics/limits/sleep.ts`, because fake timers of tests would stop that sleep.
    await sleep(waitMs, undefined, { signal }).catch(() => {
      throw requester.signal?.aborted ? signal.reason : error;
    });
  }
}

const closed = (what: string) => new StoreError("unavailable", `${what} (closed)`);
