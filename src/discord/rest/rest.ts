import { DefaultRestOptions, REST } from "@discordjs/rest";
import { type Metrics, noMetrics } from "../../basics/metrics.ts";
import { createInvalidRequestLimit, type InvalidRequestLimit, type Send } from "./invalid-request-limit.ts";
import { isTooLong, longestResetMs, ownPatience, type Patience, waitOf } from "./rate-limits.ts";
import { createRequestQueue, isUrgent, usualPerSecond } from "./request-queue.ts";
import { RequestAborted, trackRequest, withAttempts } from "./request-state.ts";
import { routeOf } from "./route-of.ts";
import { withWholeBody } from "./with-whole-body.ts";

const longestAnswerMs = 15_000;
/**
 * How often the client drops unused buckets. A bucket is what the client knows about one rate limit (1.2 kB). Each answered
 * interaction has a bucket of its own.
 */
const sweptEveryMs = 60_000;
/** A shorter wait is not counted, because it is only a delay of the event loop. */
const shortestWaitMs = 10;

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
 * The client waits for rate limits: by default up to 30 s, and for edits of messages up to 2 s. After a 5xx, ECONNRESET or 15 s
 * without a reply from Discord, it pauses and sends the request again. The bot's first answer to an interaction, and an edit of
 * that answer, are sent again after any failure to get a reply. The client stays below Discord's global limit for the bot
 * (`perSecond`), and sends urgent requests first ({@link isUrgent}). Answers to interactions do not count towards the global
 * limit. They have a separate client (`what`), so alerts do not delay them.
 *
 * @param apiUrl base of the API without a version
 * @param invalidRequests shared by all clients of the process
 * @param onRequest called right before an attempt is sent. If the request's signal is aborted then, the attempt is not sent
 */
export function createRest({
  token,
  apiUrl,
  what = "requests",
  perSecond = usualPerSecond,
  invalidRequests = createInvalidRequestLimit({}),
  metrics = noMetrics,
  patience = ownPatience,
  makeRequest = DefaultRestOptions.makeRequest,
  onRequest,
}: {
  token: string;
  apiUrl: string;
  what?: "requests" | "answers";
  perSecond?: number;
  invalidRequests?: InvalidRequestLimit;
  metrics?: Metrics;
  patience?: Patience;
  makeRequest?: Send | undefined;
  onRequest?: () => void;
}): REST {
  // Discord needs no token for answers to interactions. Other addresses may be the proxy's, which always needs the token.
  const needsToken = what === "requests" || new URL(apiUrl).hostname !== "discord.com";
  const send = withAttempts(invalidRequests(counted(withWholeBody(makeRequest), metrics)), patience.retries);
  const rest = new REST({
    version: "10",
    api: apiUrl,
    retries: patience.retries,
    timeout: longestAnswerMs,
    headers: needsToken ? { Authorization: `Bot ${token}` } : {},
    globalRequestsPerSecond: Number.POSITIVE_INFINITY,
    handlerSweepInterval: sweptEveryMs,
    rejectOnRateLimit(limit) {
      if (limit.timeToReset > longestResetMs) {
        rest.handlers.delete(`${limit.hash}:${limit.majorParameter}`);
        // These fields hold the global limit and the wait for it.
        Object.assign(rest, { globalReset: -1, globalDelay: null });
      }
      if (isTooLong(limit, patience.limitMs)) return true;
      metrics.rateLimitWait(waitOf(limit));
      return false;
    },
    async makeRequest(url, init) {
      onRequest?.();
      if (init.signal?.aborted) throw new RequestAborted();
      // Discord documents paths such as /users/@me with "@", but the client encodes the "@". Some proxies of
      // Discord's API do not decode it.
      return send(url.replace("%40", "@"), init);
    },
  });
  const queue = what === "requests" ? createRequestQueue(perSecond) : undefined;
  const queueRequest = rest.queueRequest.bind(rest);
  rest.queueRequest = (request) =>
    trackRequest(request.signal, async (signal) => {
      const begun = performance.now();
      await queue?.(isUrgent(request), signal);
      const waitedMs = performance.now() - begun;
      if (waitedMs >= shortestWaitMs) metrics.rateLimitWait(waitedMs);
      // The token is a fixed header of this client, because `@discordjs/rest` itself forgets a token after one 401.
      return queueRequest({ ...request, auth: false, signal });
    });
  return rest;
}
