import { DefaultRestOptions, type RateLimitData, REST, RESTEvents } from "@discordjs/rest";
import { type Metrics, noMetrics } from "../../basics/metrics.ts";
import { createInvalidRequestLimit, type InvalidRequestLimit, type Send } from "./invalid-request-limit.ts";
import { createRequestQueue, queueRequests, usualPerSecond } from "./request-queue.ts";
import { routeOf } from "./route-of.ts";
import { withDepartures } from "./unless-called-off.ts";
import { withCertainRefusals } from "./with-certain-refusals.ts";
import { withWholeBody } from "./with-whole-body.ts";

/** How long a request may wait, and how often it is repeated after a 5xx or a lost connection. */
export interface Patience {
  /** Longest wait for its turn in the queue, in ms. */
  readonly turnMs: number;
  /** The client waits for a rate limit of at most this many ms. For a longer one the caller gets an error. */
  readonly limitMs: number;
  readonly retries: number;
}

/** The bot's own requests wait at most half a minute for a rate limit: callers have other work. */
const ownPatience: Patience = { turnMs: Number.POSITIVE_INFINITY, limitMs: 30_000, retries: 3 };
/** Time limit of one attempt. After that the request is repeated, at most `retries` times. */
const longestAnswerMs = 15_000;
/**
 * Longest wait for the rate limit of an edit. An edit is never urgent, and while it waits, all later requests of its
 * bucket wait too.
 */
const longestEditWaitMs = 2_000;
/**
 * A rate limit that seems longer is not believed. The client keeps the end of a limit as wall time. If the end seems
 * further away, the clock was set back, or a proxy in between made a mistake. The limit is then forgotten, and the next
 * request finds out from Discord.
 */
const longestResetMs = 3_600_000;
const messageRoute = /^\/channels\/[^/]+\/messages\/[^/]+$/;

/** How long a limit lasts, in ms. */
export const waitOf = ({ retryAfter, timeToReset }: Pick<RateLimitData, "retryAfter" | "timeToReset">): number =>
  Math.max(retryAfter, timeToReset);

/**
 * Whether a rate limit lasts too long for the caller. Edits of old messages have two limits: the bucket of the route,
 * and one that Discord reports with scope `shared` (code 30046).
 */
function isTooLong(limit: RateLimitData, longestWaitMs: number): boolean {
  const { method, route, scope, retryAfter } = limit;
  // A 429 without a time would be repeated at once, for ever.
  const hasTime = retryAfter > 0;
  if (!hasTime) return true;
  const waitMs = waitOf(limit);
  const isEdit = method === "PATCH" && messageRoute.test(route);
  return isEdit ? scope === "shared" || waitMs > longestEditWaitMs : waitMs > longestWaitMs;
}

/** Counts in the metrics the attempts that are sent, and their answers. */
function counted(send: Send, metrics: Metrics): Send {
  return async (url, init) => {
    let status: number | undefined;
    try {
      const answer = await send(url, init);
      ({ status } = answer);
      return answer;
    } finally {
      metrics.discordRequest(init.method ?? "GET", routeOf(url), status);
    }
  };
}

/**
 * The request's signal was aborted. The error is not named `AbortError`, because the client repeats a request after an
 * `AbortError`.
 */
class RequestAborted extends Error {
  constructor() {
    super("the request was called off");
    this.name = "RequestAborted";
  }
}

/**
 * Makes a caller's signal end its request at once, in every wait. The client itself obeys the signal only in some
 * waits, and never removes its listeners from a long-lived signal.
 */
function heedSignals(rest: REST): void {
  const queueRequest = rest.queueRequest.bind(rest);
  rest.queueRequest = async (request) => {
    const { signal } = request;
    if (!signal) return queueRequest(request);
    if (signal.aborted) throw new RequestAborted();
    const own = new AbortController();
    const { promise: aborted, reject } = Promise.withResolvers<never>();
    const abort = () => {
      own.abort();
      reject(new RequestAborted());
    };
    signal.addEventListener("abort", abort);
    try {
      return await Promise.race([aborted, queueRequest({ ...request, signal: own.signal })]);
    } finally {
      signal.removeEventListener("abort", abort);
    }
  };
}

/**
 * Headers of answers to interactions. These need no token, so Discord gets none. If `DISCORD_API_URL` names another
 * server, it may be the proxy (`rest-proxy.ts`), which serves no request without the token.
 */
const headersOfAnswers = ({ token, apiUrl }: { token: string; apiUrl: string }): Record<string, string> =>
  new URL(apiUrl).hostname === "discord.com" ? {} : { Authorization: `Bot ${token}` };

/**
 * How often the client drops unused buckets (1.2 kB each, one for each answered interaction). A dropped bucket is
 * neither in use nor limited; its next request makes a new one.
 */
const sweptEveryMs = 60_000;

/**
 * Makes a client of Discord's REST API. It waits for rate limits of up to 30 s (for edits of messages 2 s), and repeats
 * a request after a 5xx or a lost connection. It stays below Discord's global limit for the bot, and sends alerts
 * first. Answers to interactions do not count towards that limit. They have a separate client, so alerts do not delay
 * them.
 *
 * @param apiUrl base of the API without a version
 * @param what "requests", or the client for answers to interactions
 * @param perSecond Discord's global limit for this bot, in requests
 * @param invalidRequests shared by all clients of the process
 * @param patience by default that of a bot's own requests
 * @param makeRequest sends each attempt; by default over the network
 * @param onRequest called right before an attempt is sent; if it aborts the request's signal, the attempt is not sent
 */
export function createRest(deps: {
  token: string;
  apiUrl: string;
  what?: "requests" | "answers";
  perSecond?: number;
  invalidRequests?: InvalidRequestLimit;
  onRequest?: () => void;
  metrics?: Metrics;
  patience?: Patience;
  makeRequest?: Send | undefined;
}): REST {
  const { token, apiUrl, what = "requests", invalidRequests = createInvalidRequestLimit({}), onRequest } = deps;
  const {
    perSecond = usualPerSecond,
    metrics = noMetrics,
    patience = ownPatience,
    makeRequest = DefaultRestOptions.makeRequest,
  } = deps;
  const certain = counted(withCertainRefusals(withWholeBody(makeRequest)), metrics);
  const send = withDepartures(invalidRequests.wrap(certain));
  const rest = new REST({
    version: "10",
    api: apiUrl,
    retries: patience.retries,
    timeout: longestAnswerMs,
    headers: what === "answers" ? headersOfAnswers(deps) : {},
    // The queue applies this limit. Answers to interactions have none.
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    handlerSweepInterval: sweptEveryMs,
    rejectOnRateLimit(limit) {
      if (limit.timeToReset > longestResetMs) rest.handlers.delete(`${limit.hash}:${limit.majorParameter}`);
      if (isTooLong(limit, patience.limitMs)) return true;
      metrics.rateLimitWait(waitOf(limit));
      return false;
    },
    async makeRequest(url, init) {
      onRequest?.();
      if (init.signal?.aborted) throw new RequestAborted();
      return send(url, init);
    },
  }).setToken(token);
  const allowed = { discordPerSecond: perSecond, longestWaitMs: patience.turnMs };
  if (what === "requests") queueRequests(rest, createRequestQueue(allowed), metrics);
  heedSignals(rest);
  // After one 401 the client forgets the token for good, so it is set again. If Discord really refuses the token, the
  // gateway finds out.
  rest.on(RESTEvents.Response, (_, { status }) => {
    if (status === 401) setImmediate(() => rest.setToken(token));
  });
  return rest;
}
