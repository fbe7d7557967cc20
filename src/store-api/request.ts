import type { Log } from "../basics/log.ts";
import type { Metrics } from "../basics/metrics.ts";
import type { Bodies, Body } from "./body.ts";
import type { Call, Connections } from "./connections.ts";
import { createEnding, type Ending, pauseUntilEnd } from "./ending.ts";
import type { Endpoint } from "./endpoints.ts";
import { type Answer, type Failure, lostTo, type Outcome, outcomeOf } from "./outcome.ts";
import type { Slices } from "./slices.ts";
import { StoreError } from "./store-error.ts";
import type { TokenGate, Tokens } from "./tokens.ts";
import type { Priority } from "./waiting-line.ts";

/** Who asks. */
export interface Requester {
  readonly token: string;
  readonly priority: Priority;
  /** Who the person is, by any name. */
  readonly user?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What {@link createRequest} needs. */
export interface RequestDeps {
  readonly connections: Connections;
  readonly tokens: Tokens;
  readonly bodies: Bodies;
  readonly slices: Slices;
  readonly log: Pick<Log, "debug" | "warn">;
  readonly metrics: Metrics;
  readonly random: () => number;
  /** Milliseconds that a whole call may take, with waiting for its turn and its retries, however its body drips. */
  readonly longestMs: Readonly<Record<Priority, number>>;
  /** Milliseconds that the first backoff may take at most; each further one twice as many. */
  readonly retryBaseMs: number;
}

const mostAttempts = 3;
/** Polls have a backoff of their own, so their calls do not sleep for longer. */
const longestPauseForBackgroundMs = 2_000;

const isToken = (token: string) => /^[\x21-\x7e]+$/.test(token);

/** One call of one operation, and all that it needs. */
interface Turn<Data> {
  readonly deps: RequestDeps;
  readonly endpoint: Endpoint<Data>;
  readonly call: Call;
  readonly caller: Requester;
  /** To be told only of a body that has another; `last` is undefined the first time. */
  readonly fingerprint?: { readonly last: string | undefined };
  readonly state: TokenGate;
  readonly ending: Ending;
  readonly what: string;
}

/** What one attempt came to; `ended` when the call ended before and nothing is left to be told. */
type Attempted<Data> = { readonly status?: number; readonly outcome: Outcome<Data> | "unchanged" | "ended" };

/**
 * The one function that asks the store. undici's retry interceptor is not used: it resumes a broken body with a range
 * instead of asking again, and gives no way to tell a request that never left from one without an answer.
 */
export function createRequest(deps: RequestDeps) {
  const underWay = new Set<Ending>();
  let isClosed = false;

  async function run<Data>(
    endpoint: Endpoint<Data>,
    call: Call,
    caller: Requester,
    fingerprint?: Turn<Data>["fingerprint"],
  ): Promise<Answer<Data> | undefined> {
    const what = `${endpoint.method} ${endpoint.path}`;
    // No such token can exist, and as a header it would be refused with words that quote it.
    if (!isToken(caller.token)) throw new StoreError("unauthorized", what);
    caller.signal?.throwIfAborted();
    if (isClosed) throw new StoreError("unavailable", `${what} (closed)`);
    const state = deps.tokens.gate(caller.token);
    const ending = createEnding(deps.longestMs[caller.priority], caller.signal);
    underWay.add(ending);
    state.calls += 1;
    try {
      return await attempts({ deps, endpoint, call, caller, fingerprint, state, ending, what });
    } finally {
      state.calls -= 1;
      underWay.delete(ending);
      ending.forget();
    }
  }

  return {
    /**
     * Runs one operation, and retries where that cannot do harm: a read after 429, 5xx or a connection fault, a
     * creation only when it never left or was refused with 429.
     *
     * @throws {StoreError}; the reason of `signal` when the caller gave up (`ambiguous` for a creation under way)
     */
    async request<Data>(endpoint: Endpoint<Data>, call: Call, caller: Requester): Promise<Answer<Data>> {
      const answer = await run(endpoint, call, caller);
      if (answer === undefined) throw new Error("nobody asked whether it changed");
      return answer;
    },
    /** As `request`; undefined when the body's bytes are those that `last` was taken of. */
    changed: <Data>(endpoint: Endpoint<Data>, call: Call, last: string | undefined, caller: Requester) =>
      run(endpoint, call, caller, { last }),
    /** Calls under way fail without a further attempt, a creation as `ambiguous`; later ones at once. */
    close(): void {
      isClosed = true;
      for (const ending of underWay) ending.end("closed");
    },
  };
}

/** Attempts until one is the last; undefined when nothing changed. */
async function attempts<Data>(turn: Turn<Data>): Promise<Answer<Data> | undefined> {
  const { deps, endpoint, caller, state, ending, what } = turn;
  for (let count = 1; ; count += 1) {
    if (!(await state.gate.enter(caller.priority, what, ending, caller.user))) throw reasonOf(turn);
    const startedAt = performance.now();
    let attempted: Attempted<Data>;
    try {
      attempted = await attempt(turn);
    } finally {
      state.gate.leave(caller.priority);
    }
    const { status, outcome } = attempted;
    deps.metrics.storeRequest(caller.priority, wordFor(outcome));
    // Most answers are of this kind, and worth no line.
    if (outcome === "unchanged") return undefined;
    const code = outcome !== "ended" && "error" in outcome ? outcome.error.code : undefined;
    const ms = Math.round(performance.now() - startedAt);
    deps.log.debug({ method: endpoint.method, path: endpoint.path, status, code, ms, attempt: count }, "store request");
    if (outcome === "ended") throw reasonOf(turn);
    if ("answer" in outcome) return outcome.answer;
    await beforeNext(turn, outcome, count);
  }
}

function wordFor(outcome: Attempted<unknown>["outcome"]): string {
  if (typeof outcome === "string") return outcome;
  return "error" in outcome ? outcome.error.code : "ok";
}

async function attempt<Data>(turn: Turn<Data>): Promise<Attempted<Data>> {
  const body = turn.deps.bodies.begin(turn.fingerprint !== undefined);
  try {
    return await attemptInto(body, turn);
  } finally {
    body.free();
  }
}

async function attemptInto<Data>(body: Body, turn: Turn<Data>): Promise<Attempted<Data>> {
  const { deps, endpoint, call, caller, fingerprint, state, ending, what } = turn;
  const creating = endpoint.method === "POST";
  const sentAt = performance.now();
  const request = { ...endpoint, ...call, token: caller.token };
  const result = await deps.connections.send(request, ending, body);
  if ("isEnded" in result) {
    const isUnclear = creating && result.isSent;
    return { outcome: isUnclear ? { error: new StoreError("ambiguous", what), again: false } : "ended" };
  }
  if ("fault" in result) return { outcome: lostTo(result.fault, what, creating) };
  const { answered } = result;
  const { status } = answered;
  if (answered.fingerprint !== undefined && answered.fingerprint === fingerprint?.last) {
    state.gate.answered(sentAt);
    return { status, outcome: "unchanged" };
  }
  const outcome = await outcomeOf(answered, endpoint, caller.token, deps.slices, ending);
  if (status !== 429 || outcome === undefined || "answer" in outcome) {
    state.gate.answered(sentAt);
    return { status, outcome: outcome ?? "ended" };
  }
  state.gate.hold(sentAt, outcome.error.retryAfterMs);
  const error = new StoreError("rate_limited", what, { retryAfterMs: state.gate.heldMs() });
  return { status, outcome: { error, again: true } };
}

/** Waits until another attempt may be made; throws when there is to be none. */
async function beforeNext(turn: Turn<unknown>, { error, again }: Failure, count: number): Promise<void> {
  const { deps, caller, ending } = turn;
  if (ending.cause() !== undefined && error.code !== "ambiguous") throw reasonOf(turn);
  if (!again || count === mostAttempts) throw error;
  // The gate lets the next one wait, or refuses it at once.
  if (error.code === "rate_limited") return;
  const waitMs = (error.retryAfterMs ?? 0) + deps.random() * deps.retryBaseMs * 2 ** (count - 1);
  if (performance.now() + waitMs > ending.endsAt) throw error;
  if (caller.priority === "background" && waitMs > longestPauseForBackgroundMs) throw error;
  if (await pauseUntilEnd(waitMs, ending)) return;
  throw ending.cause() === "caller" ? reasonOf(turn) : error;
}

/** What a call that ended throws. */
function reasonOf({ ending, caller, what }: Turn<unknown>): unknown {
  if (ending.cause() === "caller") return caller.signal?.reason;
  return ending.cause() === "time"
    ? new StoreError("timeout", what)
    : new StoreError("unavailable", `${what} (closed)`);
}
