import { type InternalRequest, RateLimitError, type REST } from "@discordjs/rest";
import { createBudget } from "../../basics/budget.ts";
import { budgets } from "../../basics/budgets.ts";
import { noMetrics } from "../../basics/metrics.ts";
import { marksOf } from "./rest-messenger.ts";
import { newMessage } from "./route-of.ts";

/**
 * Maximum number of waiting requests, urgent and others separately; sending them takes 50 s. One alert of each of 2,000
 * servers fits, at some 4 kB each.
 */
const mostWaiting = 2_000;
/**
 * Maximum number of urgent requests in a row while others wait. Without this limit, 45 channels with an order a second
 * each could take every turn for ever.
 */
const mostUrgentInARow = 3;

/** Shortest wait of the timer. A shorter wait would only be a turn of the event loop. */
const shortestWaitMs = 10;
/** Shortest wait before a rejected request may come back. */
const shortestRetryMs = 1_000;
/**
 * A body of more bytes is not parsed, so its request is not urgent. A message without files has some 20 kB at most, so
 * a larger body is not an alert.
 */
const longestAlert = 64 * 1_024;

/** The request for a server's command permissions. A person waits for it. */
const commandSettings = /^\/applications\/\d+\/guilds\/\d+\/commands\/permissions$/;

/** Sends requests on at the rate of the budget. */
export interface RequestQueue {
  /**
   * Resolves to true when the request may be sent: at once if no request waits and the budget allows it. Urgent
   * requests go first, but others get every fourth turn. Among requests of the same class, the first comes first.
   *
   * @returns false at once if the queue is full, and after `longestWaitMs`; rejects when the signal aborts
   */
  wait(isUrgent: boolean, signal?: AbortSignal): Promise<boolean>;
  /** How long a rejected request should wait before it comes back, in ms. */
  waitMs(): number;
  readonly perSecond: number;
}

/** Discord's limit for most bots, in requests a second (https://discord.com/developers/docs/topics/rate-limits#global-rate-limit). */
export const usualPerSecond = 50;

/**
 * Makes a queue.
 *
 * @param discordPerSecond requests that Discord allows a second
 * @param longestWaitMs longest wait of a request before it is rejected; by default there is none
 * @param monotonic a monotonic clock, in ms
 */
export function createRequestQueue({
  discordPerSecond = usualPerSecond,
  longestWaitMs = Number.POSITIVE_INFINITY,
  monotonic = () => performance.now(),
} = {}): RequestQueue {
  const allowance = {
    burst: Math.max(budgets.discordRequests.burst * discordPerSecond, 1),
    perSecond: budgets.discordRequests.perSecond * discordPerSecond,
  };
  const budget = createBudget(allowance, monotonic);
  const urgent = new Set<() => void>();
  const others = new Set<() => void>();
  let urgentInARow = 0;
  let timer: NodeJS.Timeout | undefined;

  const size = () => urgent.size + others.size;

  function nextClass(): Set<() => void> {
    const isForOthers = others.size > 0 && (urgent.size === 0 || urgentInARow >= mostUrgentInARow);
    urgentInARow = isForOthers || others.size === 0 ? 0 : urgentInARow + 1;
    return isForOthers ? others : urgent;
  }

  function serve() {
    timer = undefined;
    while (size() > 0) {
      const waitMs = budget.spend("all");
      if (waitMs > 0) {
        timer = setTimeout(serve, Math.ceil(waitMs));
        return;
      }
      const waiting = nextClass();
      const [go] = waiting;
      if (!go) return;
      waiting.delete(go);
      go();
    }
  }

  return {
    async wait(isUrgent, signal) {
      signal?.throwIfAborted();
      if (size() === 0 && budget.spend("all") === 0) return true;
      const waiting = isUrgent ? urgent : others;
      if (waiting.size >= mostWaiting) return false;
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      const go = () => resolve(true);
      const abort = () => reject(signal?.reason);
      waiting.add(go);
      if (!timer) serve();
      signal?.addEventListener("abort", abort);
      const late = Number.isFinite(longestWaitMs) ? setTimeout(resolve, longestWaitMs, false) : undefined;
      try {
        return await promise;
      } finally {
        waiting.delete(go);
        clearTimeout(late);
        signal?.removeEventListener("abort", abort);
      }
    },
    waitMs: () => (size() / allowance.perSecond) * 1_000,
    perSecond: allowance.perSecond,
  };
}

/** Makes the error that the client itself throws for a long rate limit. It tells callers when to try again. */
function turnedAway({ method, fullRoute }: InternalRequest, queue: RequestQueue): RateLimitError {
  const retryAfter = Math.max(queue.waitMs(), shortestRetryMs);
  return new RateLimitError({
    method,
    route: fullRoute,
    url: fullRoute,
    majorParameter: "global",
    hash: "request queue",
    global: true,
    limit: queue.perSecond,
    retryAfter,
    timeToReset: retryAfter,
    sublimitTimeout: 0,
    scope: "user",
  });
}

/**
 * Reads the body of a request. It is an object, or JSON in bytes if the request came through the proxy from another
 * process.
 */
function contentOf({ body }: InternalRequest): unknown {
  if (!(body instanceof Uint8Array)) return body;
  if (body.length > longestAlert) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}

/**
 * Whether the request posts an alert: a new message with a button or menu, which notices do not have. The alert of an
 * order whose id is too long for a button waits with the other requests.
 */
function isAlert(request: InternalRequest): boolean {
  if (request.method !== "POST" || !newMessage.test(request.fullRoute)) return false;
  const content = contentOf(request);
  return (
    typeof content === "object" && content !== null && "components" in content && marksOf(content.components).length > 0
  );
}

/**
 * Makes every request of the client wait in the queue first. Alerts and look-ups of access are urgent. A request that
 * does not get its turn rejects with a `RateLimitError`.
 */
export function queueRequests(rest: REST, queue = createRequestQueue(), metrics = noMetrics): void {
  const queueRequest = rest.queueRequest.bind(rest);
  rest.queueRequest = async (request) => {
    const begun = performance.now();
    const isUrgent = isAlert(request) || commandSettings.test(request.fullRoute);
    if (!(await queue.wait(isUrgent, request.signal ?? undefined))) throw turnedAway(request, queue);
    const waitedMs = performance.now() - begun;
    if (waitedMs >= shortestWaitMs) metrics.rateLimitWait(waitedMs);
    return queueRequest(request);
  };
}
