import { setTimeout as sleep } from "node:timers/promises";
import { Agent, type Dispatcher, request as send } from "undici";
import { z } from "zod";
import type { Endpoint } from "./endpoints.ts";
import { readRefusal } from "./refusal.ts";
import { StoreError } from "./store-error.ts";
import { type TransportFault, transportFault } from "./transport-fault.ts";

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

/** The envelope's `data`, and when the server says that it answered (its `Date` header, epoch milliseconds). */
export interface Answer<Data> {
  readonly data: Data;
  readonly servedAt?: number;
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

type Outcome<Data> =
  | { readonly answer: Answer<Data>; readonly status: number }
  | { readonly error: StoreError; readonly again: boolean; readonly status?: number };

const ATTEMPTS = 3;
const LONGEST_RETRY_AFTER_MS = 30_000;
const RESPONSE_LIMIT_BYTES = 8 * 1024 * 1024;
const REFUSAL_DUMP_BYTES = 64 * 1024;
const CONNECTIONS = 64;

const envelope = z.object({ success: z.boolean(), data: z.unknown().optional() });
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
  let sent = 0;

  async function attempt<Data>(
    endpoint: Endpoint<Data>,
    call: Call,
    token: string,
    signal: AbortSignal,
  ): Promise<Outcome<Data>> {
    const creating = endpoint.method === "POST";
    const what = `${endpoint.method} ${endpoint.path}`;
    const lost = (fault: TransportFault): Outcome<Data> => {
      if (creating && !fault.neverSent) return { error: new StoreError("ambiguous", what), again: false };
      const again = fault.neverSent || fault.code === "unavailable";
      return { error: new StoreError(fault.code, `${what} (${fault.name})`), again };
    };

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
      return lost(transportFault(error));
    }

    const status = response.statusCode;
    const said = `${what} (${status})`;
    const isSuccess = status >= 200 && status < 300;
    const isRefusal = status >= 400 && status < 500 && ![401, 403, 404, 429].includes(status);
    if (!isSuccess && !isRefusal) {
      await response.body.dump({ limit: REFUSAL_DUMP_BYTES, signal }).catch(() => undefined);
      return { status, ...refusedBy(status, said, creating, retryAfterMs(response)) };
    }

    let body: unknown;
    try {
      body = await response.body.json();
    } catch (error) {
      if (isRefusal) return { status, error: new StoreError("invalid", said), again: false };
      return { status, ...lost(transportFault(error)) };
    }
    const parsed = envelope.safeParse(body);
    if (isRefusal || (parsed.success && !parsed.data.success)) {
      const refusal = readRefusal(body, token);
      const code = isRefusal ? "invalid" : refusal.code;
      const detail = refusal.detail === undefined ? {} : { detail: refusal.detail };
      return { status, error: new StoreError(code, said, code === "invalid" ? detail : {}), again: false };
    }
    const data = endpoint.data.safeParse(parsed.data?.data);
    if (!data.success)
      return { status, error: new StoreError(creating ? "ambiguous" : "malformed", said), again: false };
    const servedAt = dateOf(response);
    return { status, answer: servedAt === undefined ? { data: data.data } : { data: data.data, servedAt } };
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
      const endsAt = performance.now() + timeouts.totalMs;
      const deadline = AbortSignal.timeout(timeouts.totalMs);
      const stop = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
      for (let count = 1; ; count += 1) {
        const startedAt = performance.now();
        const outcome = await attempt(endpoint, call, token, stop);
        log.debug(
          {
            method: endpoint.method,
            path: endpoint.path,
            status: outcome.status,
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
        if (!again || count === ATTEMPTS || performance.now() + waitMs > endsAt) throw error;
        if ((error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) throw error;
        await sleep(waitMs, undefined, { signal: stop }).catch(() => {
          signal?.throwIfAborted();
          throw error;
        });
      }
    },
    /** How many requests were sent or tried. */
    sent: () => sent,
    /** Ends every connection; calls under way fail, a creation as `ambiguous`. */
    async close(): Promise<void> {
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

function refusedBy(status: number, said: string, creating: boolean, retryAfterMs: number | undefined) {
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  if (status === 401 || status === 403) return { error: new StoreError("unauthorized", said), again: false };
  if (status === 404) return { error: new StoreError("not_found", said), again: false };
  if (status === 429) return { error: new StoreError("rate_limited", said, details), again: true };
  if (creating) return { error: new StoreError("ambiguous", said), again: false };
  if (status >= 500) return { error: new StoreError("unavailable", said, details), again: true };
  return { error: new StoreError("malformed", said), again: false };
}

/** `Retry-After` in seconds or as a date, which is read by the server's own clock where it shows it. */
function retryAfterMs(response: Dispatcher.ResponseData): number | undefined {
  const value = response.headers["retry-after"];
  if (typeof value !== "string") return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - (dateOf(response) ?? Date.now()));
}

function dateOf(response: Dispatcher.ResponseData): number | undefined {
  const value = response.headers.date;
  const at = typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
