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
  /** Longest rate limit that is waited for, in ms. The caller gets an error for a longer one. */
  readonly limitMs: number;
  readonly retries: number;
}

/** The bot's own requests wait at most half a minute for a rate limit: callers have other work. */
const ownPatience: Patience = { turnMs: Number.POSITIVE_INFINITY, limitMs: 30_000, retries: 3 };
/** Time limit of one attempt. After that the request is repeated as far as the patience allows. */
const longestAnswerMs = 15_000;
/** Longest wait of an edit. It is never urgent, and delays everything after it in its bucket. */
const longestEditWaitMs = 2_000;
/**
 * Longest rate limit that is believed. The client keeps the end of a limit as wall time. If it seems further away, the
 * clock was set back, or a proxy in between made a mistake. Then the limit is forgotten, and the next request asks
 * Discord.
 */
const longestResetMs = 3_600_000;
const messageRoute = /^\/channels\/[^/]+\/messages\/[^/]+$/;

/** How long a limit lasts, in ms. */
export const waitOf = ({ retryAfter, timeToReset }: Pick<RateLimitData, "retryAfter" | "timeToReset">): number =>
  Math.max(retryAfter, timeToReset);

/**
 * Whether a rate limit lasts too long for the caller. Discord limits edits of old messages by the resource (scope
 * `shared`, code 30046), in addition to the route's own bucket.
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

/** Counts the attempts that leave, and their answers. */
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
 * The request's signal was aborted. It is not called `AbortError`, because the client repeats a request with that
 * error.
 */
class RequestAborted extends Error {
  constructor() {
    super("the request was called off");
    this.name = "RequestAborted";
  }
}

/**
 * Makes a caller's signal end its request at once, in every wait. The client itself obeys the signal only in some
 * waits, and never removes its listeners from a signal that outlives a request.
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
 * Headers of answers to interactions. They need no token, so Discord gets none. Another server at `DISCORD_API_URL` may
 * be the proxy (`rest-proxy.ts`), which serves no request without the token.
 */
const headersOfAnswers = ({ token, apiUrl }: { token: string; apiUrl: string }): Record<string, string> =>
  new URL(apiUrl).hostname === "discord.com" ? {} : { Authorization: `Bot ${token}` };

/**
 * How often the client drops unused buckets (1.2 kB each, one for each answered interaction). A dropped bucket is
 * neither in use nor limited; its next request makes a new one.
 */
const sweptEveryMs = 60_000;

/**
 * Makes a client of Discord's REST API. It waits for rate limits of up to 30 s (edits of messages: 2 s), and repeats a
 * request after a 5xx or a lost connection. It sends no more requests a second than Discord's global limit for the bot,
 * alerts first. Answers to interactions do not count towards that limit, so they have a client of their own, and no
 * alert delays them.
 *
 * @param apiUrl base of the API without a version
 * @param what everything else, or answers to interactions
 * @param perSecond Discord's global limit for this bot, in requests
 * @param invalidRequests shared by all clients of the process
 * @param patience by default that of a bot's own requests
 * @param makeRequest sends each attempt; by default over the network
 * @param onRequest called right before an attempt leaves; a signal that it aborts keeps the attempt here
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
  // One 401 makes the client forget the token for good. The gateway finds out if the token is really refused.
  rest.on(RESTEvents.Response, (_, { status }) => {
    if (status === 401) setImmediate(() => rest.setToken(token));
  });
  return rest;
}
