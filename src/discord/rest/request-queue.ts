import { type InternalRequest, RateLimitError, type REST } from "@discordjs/rest";
import { createBudget } from "../../basics/budget.ts";
import { budgets } from "../../basics/budgets.ts";
import { noMetrics } from "../../basics/metrics.ts";
import { marksOf } from "./rest-messenger.ts";
import { newMessage } from "./route-of.ts";

/** Waiting at a time in either class, which takes 50 s. One alert of each of 2,000 servers fits, at some 4 kB each. */
const mostWaiting = 2_000;
/** Urgent requests in a row while others wait: 45 channels with an order a second each could take every turn for ever. */
const mostUrgentInARow = 3;

/** Less is no wait, but a turn of the event loop. */
const shortestWaitMs = 10;
/** A request that is turned away comes back after so long at least. */
const shortestRetryMs = 1_000;
/** A message has some 20 kB at most, without files; what is larger is none of the alerts, and is not parsed. */
const longestAlert = 64 * 1_024;

/** A server's settings of the commands, which say whether a person may use one: the person waits. */
const commandSettings = /^\/applications\/\d+\/guilds\/\d+\/commands\/permissions$/;

/** Lets requests out, as many a second as the budget says. */
export interface RequestQueue {
  /**
   * Resolves when the request may leave: at once while none waits and the budget allows it. Urgent requests go before others,
   * which have every fourth turn; in either class the first comes first.
   *
   * @returns false at once where the queue is full, and after `longestWaitMs`; rejects when the signal is aborted
   */
  wait(isUrgent: boolean, signal?: AbortSignal): Promise<boolean>;
  /** How long a request that is turned away should stay away, in ms. */
  waitMs(): number;
  readonly perSecond: number;
}

/** Discord's limit for most bots, in requests a second (https://discord.com/developers/docs/topics/rate-limits#global-rate-limit). */
export const usualPerSecond = 50;

/**
 * @param discordPerSecond requests that Discord allows a second
 * @param longestWaitMs a request that has waited for so long is turned away; by default none is
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

/** The client's own error for a limit that lasts too long: callers take it as "not now", and know when. */
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

/** The body of a request as it was made, or as it came here from another process: then it is the bytes of JSON. */
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
 * A new message with something to press: of what is posted, alerts have that, and notices have not. An alert of an order
 * whose id is too long for a button waits with the rest.
 */
function isAlert(request: InternalRequest): boolean {
  if (request.method !== "POST" || !newMessage.test(request.fullRoute)) return false;
  const content = contentOf(request);
  return (
    typeof content === "object" && content !== null && "components" in content && marksOf(content.components).length > 0
  );
}

/**
 * Every request of the client goes through the queue first, alerts and look-ups of access before all others. What is turned away rejects with a
 * `RateLimitError`.
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
