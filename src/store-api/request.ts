import { setTimeout as sleep } from "node:timers/promises";
import { Agent, type Dispatcher, request as send } from "undici";
import type { Endpoint } from "./endpoints.ts";
import { type Answer, lostTo, type Outcome, outcomeOf } from "./outcome.ts";
import { StoreError } from "./store-error.ts";
import { transportFault } from "./transport-fault.ts";

/** How long a call may take, in milliseconds. */
export interface Timeouts {
  readonly connectMs: number;
  /** From the request's last byte to the answer's headers. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly bodyMs: number;
  /** The whole call with its retries: what ends a body that drips for ever. */
  readonly totalMs: number;
}

/** The part of a logger that this room writes to. */
export interface Log {
  debug(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** What fills in an {@link Endpoint}. A query value that is `undefined` is not sent. */
export interface Call {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/** What {@link createRequest} needs. */
export interface RequestDeps {
  readonly baseUrl: string;
  readonly log: Log;
  readonly random: () => number;
  readonly timeouts: Timeouts;
  /** Milliseconds that the first backoff may take at most; each further one twice as many. */
  readonly retryBaseMs: number;
}

const ATTEMPTS = 3;
const LONGEST_RETRY_AFTER_MS = 30_000;
const RESPONSE_LIMIT_BYTES = 8 * 1024 * 1024;
/**
 * All stores share these: with one for every call that a single hanging store may have under way, the others would wait
 * behind it until its calls time out. They are opened only when needed.
 */
const CONNECTIONS = 512;

const isToken = (token: string) => /^[\x21-\x7e]+$/.test(token);

/**
 * The one function that speaks HTTP to the store. undici's retry interceptor is not used: it resumes a broken body with
 * a range instead of asking again, and gives no way to tell a request that never left from one without an answer.
 */
export function createRequest({ baseUrl, log, random, timeouts, retryBaseMs }: RequestDeps) {
  const options: Agent.Options = {
    allowH2: false,
    connections: CONNECTIONS,
    connect: { timeout: timeouts.connectMs },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
    maxResponseSize: RESPONSE_LIMIT_BYTES,
  };
  const reads = new Agent(options);
  // A kept-alive connection may be closed by the server just as a creation is written to it, and nobody could tell
  // whether it arrived: a creation gets a connection of its own.
  const creations = new Agent({ ...options, pipelining: 0 });
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, "");
  const closing = new AbortController();
  let sent = 0;

  async function attempt<Data>(
    endpoint: Endpoint<Data>,
    call: Call,
    token: string,
    signal: AbortSignal,
  ): Promise<{ outcome: Outcome<Data>; status?: number }> {
    const creating = endpoint.method === "POST";
    let response: Dispatcher.ResponseData;
    sent += 1;
    try {
      response = await send(urlOf(base, prefix, endpoint.path, call), {
        method: endpoint.method,
        headers: {
          accept: "application/json",
          authorization: `Bearer ${token}`,
          ...(call.body === undefined ? {} : { "content-type": "application/json" }),
        },
        body: call.body === undefined ? null : JSON.stringify(call.body),
        dispatcher: creating ? creations : reads,
        signal,
      });
    } catch (error) {
      return { outcome: lostTo(transportFault(error), `${endpoint.method} ${endpoint.path}`, creating) };
    }
    return { outcome: await outcomeOf(response, endpoint, token, signal), status: response.statusCode };
  }

  return {
    /**
     * Runs one operation, and retries where that cannot do harm: a read after 429, 5xx or a connection fault, a
     * creation only when it never left or was refused with 429.
     *
     * @throws {StoreError}; the reason of `signal` when the caller gave up (`ambiguous` for a creation under way)
     */
    async request<Data>(
      endpoint: Endpoint<Data>,
      call: Call,
      token: string,
      signal?: AbortSignal,
    ): Promise<Answer<Data>> {
      const what = `${endpoint.method} ${endpoint.path}`;
      // No such token can exist, and as a header it would be refused with words that quote it.
      if (!isToken(token)) throw new StoreError("unauthorized", what);
      signal?.throwIfAborted();
      if (closing.signal.aborted) throw new StoreError("unavailable", `${what} (closed)`);
      const endsAt = performance.now() + timeouts.totalMs;
      const deadline = AbortSignal.timeout(timeouts.totalMs);
      const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      for (let count = 1; ; count += 1) {
        const startedAt = performance.now();
        const { outcome, status } = await attempt(endpoint, call, token, stop);
        log.debug(
          {
            method: endpoint.method,
            path: endpoint.path,
            status,
            code: "error" in outcome ? outcome.error.code : undefined,
            ms: Math.round(performance.now() - startedAt),
            attempt: count,
          },
          "store request",
        );
        if ("answer" in outcome) return outcome.answer;
        const { error, again } = outcome;
        if (error.code !== "ambiguous") {
          signal?.throwIfAborted();
          if (deadline.aborted) throw new StoreError("timeout", what);
        }
        const backoffMs = random() * retryBaseMs * 2 ** (count - 1);
        const waitMs = (error.retryAfterMs ?? 0) + backoffMs;
        if (!again || closing.signal.aborted || count === ATTEMPTS) throw error;
        if (performance.now() + waitMs > endsAt) throw error;
        if ((error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) throw error;
        await sleep(waitMs, undefined, { signal: AbortSignal.any([stop, closing.signal]) }).catch(() => {
          signal?.throwIfAborted();
          throw error;
        });
      }
    },
    /** How many requests were sent or tried. */
    sent: () => sent,
    /** Ends every connection; calls under way fail without a further attempt, a creation as `ambiguous`. */
    async close(): Promise<void> {
      closing.abort();
      await Promise.all([reads.destroy(), creations.destroy()]);
    },
  };
}

function urlOf(base: URL, prefix: string, template: string, call: Call): URL {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(call.params?.[name] ?? ""));
  const url = new URL(`${base.origin}${prefix}${path}`);
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value));
  }
  return url;
}
