import { DefaultRestOptions, type RateLimitData, REST, RESTEvents } from "@discordjs/rest";
import { type Metrics, noMetrics } from "../../basics/metrics.ts";
import { withCertainRefusals, withWholeBody } from "./answer-certainty.ts";
import { createInvalidRequestLimit, type InvalidRequestLimit, type Send } from "./invalid-request-limit.ts";
import { createRequestQueue, queueRequests, usualPerSecond } from "./request-queue.ts";
import { routeOf } from "./route-of.ts";
import { withDepartures } from "./unless-called-off.ts";

/** How long a request may wait here, and how often it is repeated here after a 5xx or a lost connection. */
export interface Patience {
  /** For its turn. */
  readonly turnMs: number;
  /** A rate limit that lasts longer is an error for the caller. */
  readonly limitMs: number;
  readonly retries: number;
}

/** Callers have other work than to wait for half a minute. */
const ownPatience: Patience = { turnMs: Number.POSITIVE_INFINITY, limitMs: 30_000, retries: 3 };
/** A request that has no answer after so long is given up, and repeated as far as the patience goes. */
const longestAnswerMs = 15_000;
/** An edit is never urgent, and what waits in a bucket holds up what comes after it. */
const longestEditWaitMs = 2_000;
/**
 * The client keeps the end of a limit as wall time. One that seems further away was kept before the clock was set back, or is
 * a mistake of something in between: it is forgotten, and the next request asks Discord.
 */
const longestResetMs = 3_600_000;
const messageRoute = /^\/channels\/[^/]+\/messages\/[^/]+$/;

/** How long a limit lasts, in ms. */
export const waitOf = ({ retryAfter, timeToReset }: Pick<RateLimitData, "retryAfter" | "timeToReset">): number =>
  Math.max(retryAfter, timeToReset);

/** Discord limits edits of old messages by the resource (scope `shared`, code 30046), besides the route's own bucket. */
function isTooLong(limit: RateLimitData, longestWaitMs: number): boolean {
  const { method, route, scope, retryAfter } = limit;
  // A 429 that says no time would be repeated as fast as it is answered, for ever.
  const hasTime = retryAfter > 0;
  if (!hasTime) return true;
  const waitMs = waitOf(limit);
  const isEdit = method === "PATCH" && messageRoute.test(route);
  return isEdit ? scope === "shared" || waitMs > longestEditWaitMs : waitMs > longestWaitMs;
}

/** Counts what really goes out, and what comes back. */
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

/** The request's signal was aborted. The client repeats what ends with an `AbortError`, so this is none. */
class RequestAborted extends Error {
  constructor() {
    super("the request was called off");
    this.name = "RequestAborted";
  }
}

/**
 * A caller's signal ends its request at once, wherever it waits. The client itself heeds it only in some of its waits,
 * and never takes its listeners off a signal that lives longer than a request.
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
 * Answers to interactions need no token of the bot's, and Discord gets none with them. Another server at `DISCORD_API_URL`
 * may be the proxy (`rest-proxy.ts`), which serves no request without.
 */
const headersOfAnswers = ({ token, apiUrl }: { token: string; apiUrl: string }): Record<string, string> =>
  new URL(apiUrl).hostname === "discord.com" ? {} : { Authorization: `Bot ${token}` };

/**
 * The client keeps what it knows of a bucket (1.2 kB) until a sweep finds it unused, one for each answered interaction.
 * What a sweep takes is neither in use nor limited; the next request of it begins a new one.
 */
const sweptEveryMs = 60_000;

/**
 * Discord's REST client: waits for rate limits of up to 30 s (edits of messages: 2 s) and repeats what failed with a 5xx or
 * a lost connection. No more requests a second than Discord's global limit for the bot, alerts first; answers to
 * interactions do not count towards it, so they have a client of their own, behind which no alert waits.
 *
 * @param apiUrl base of the API without a version
 * @param what everything else, or answers to interactions
 * @param perSecond Discord's global limit for this bot, in requests
 * @param invalidRequests what all clients of the process share
 * @param patience by default that of a bot's own requests
 * @param makeRequest carries each attempt; by default over the network
 * @param onRequest called right before each attempt of a request leaves; a signal that is aborted in it keeps it here
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
    // The queue keeps the limit of requests, and answers to interactions have none.
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
  // One 401 makes the client forget the token for good. The gateway tells when it is really refused.
  rest.on(RESTEvents.Response, (_, { status }) => {
    if (status === 401) setImmediate(() => rest.setToken(token));
  });
  return rest;
}
