import { type InternalRequest, RateLimitError, type REST } from "@discordjs/rest";
import { createBudget } from "../../basics/budget.ts";
import { budgets } from "../../basics/budgets.ts";
import { noMetrics } from "../../basics/metrics.ts";
import { marksOf } from "./rest-messenger.ts";

/** Requests of one channel or server that wait at a time: of its own, one server has a handful. */
const mostOfOne = 100;
/** Waiting at a time in either class: 50 s of turns. One alert of each of 2,000 servers fits, at some 4 kB each. */
const mostWaiting = 2_000;
/**
 * Turns in a row for what is urgent while something else waits: 45 channels with an order a second each could take every
 * turn for ever, and who looks something up in another server waits for an answer, too.
 */
const mostUrgentInARow = 3;

/** Less is no wait, but a turn of the event loop. */
const shortestWaitMs = 10;
/** Whoever is turned away comes back after so long at least, or the line would be asked again and again. */
const shortestAwayMs = 1_000;
/** A message has some 20 kB at most, without files; what is larger is none of the alerts, and is not parsed. */
const longestAlert = 64 * 1_024;

const major = /\/(?:channels|guilds|webhooks)\/(\d+)/;
const newMessage = /^\/channels\/\d+\/messages$/;

/** The channel, server or webhook that a request is about; one word for all that are about none. */
export const majorOf = (path: string): string => major.exec(path)?.[1] ?? "other";

/** Those who wait in one class: each key in its turn, and of one key the first first. */
function createLine() {
  const waiting = new Map<string, Set<() => void>>();
  let size = 0;

  return {
    /** Gives what takes it out of the line again, or nothing where the line is full. */
    join(key: string, go: () => void): (() => void) | undefined {
      const own = waiting.get(key) ?? new Set();
      if (size >= mostWaiting || own.size >= mostOfOne) return undefined;
      waiting.set(key, own.add(go));
      size++;
      return () => {
        if (!own.delete(go)) return;
        size--;
        if (own.size === 0) waiting.delete(key);
      };
    },
    /** Takes out whose turn it is. The key goes to the end. */
    next(): (() => void) | undefined {
      for (const [key, own] of waiting) {
        const [go] = own;
        waiting.delete(key);
        if (!go) continue;
        own.delete(go);
        size--;
        if (own.size > 0) waiting.set(key, own);
        return go;
      }
      return undefined;
    },
    get size() {
      return size;
    },
  };
}

/** Gives out turns, as many a second as the budget says. */
export interface FairShare {
  /**
   * Resolves when it is this key's turn: at once while nobody waits and the budget allows it. What is urgent goes before
   * what is not, which has every fourth turn; in either class, one key with many requests waiting delays another by one
   * turn of that class.
   *
   * @returns false at once where the line is full, and after `longestWaitMs`; rejects when the signal is aborted
   */
  turn(key: string, isUrgent: boolean, signal?: AbortSignal): Promise<boolean>;
  /** How long somebody who is turned away should stay away, in ms. */
  waitMs(): number;
  readonly perSecond: number;
}

/** Discord's limit for most bots, in requests a second (https://discord.com/developers/docs/topics/rate-limits#global-rate-limit). */
export const usualPerSecond = 50;

/**
 * @param discordPerSecond requests that Discord allows a second
 * @param longestWaitMs who has waited for so long is turned away; by default nobody is
 * @param monotonic a clock that nobody sets, in ms
 */
export function createFairShare({
  discordPerSecond = usualPerSecond,
  longestWaitMs = Number.POSITIVE_INFINITY,
  monotonic = () => performance.now(),
} = {}): FairShare {
  const allowance = {
    burst: Math.max(budgets.discordRequests.burst * discordPerSecond, 1),
    perSecond: budgets.discordRequests.perSecond * discordPerSecond,
  };
  const budget = createBudget(allowance, monotonic);
  const urgent = createLine();
  const rest = createLine();
  const size = () => urgent.size + rest.size;
  let urgentInARow = 0;
  let timer: NodeJS.Timeout | undefined;

  function next() {
    const isForRest = rest.size > 0 && (urgent.size === 0 || urgentInARow >= mostUrgentInARow);
    urgentInARow = isForRest || rest.size === 0 ? 0 : urgentInARow + 1;
    return isForRest ? rest.next() : urgent.next();
  }

  function serve() {
    timer = undefined;
    while (size() > 0) {
      const waitMs = budget.spend("all");
      if (waitMs > 0) {
        timer = setTimeout(serve, Math.ceil(waitMs));
        return;
      }
      next()?.();
    }
  }

  return {
    async turn(key, isUrgent, signal) {
      signal?.throwIfAborted();
      if (size() === 0 && budget.spend("all") === 0) return true;
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      const leave = (isUrgent ? urgent : rest).join(key, () => resolve(true));
      if (!leave) return false;
      if (!timer) serve();
      const abort = () => {
        leave();
        reject(signal?.reason);
      };
      const giveUp = () => {
        leave();
        resolve(false);
      };
      signal?.addEventListener("abort", abort);
      const late = Number.isFinite(longestWaitMs) ? setTimeout(giveUp, longestWaitMs) : undefined;
      try {
        return await promise;
      } finally {
        clearTimeout(late);
        signal?.removeEventListener("abort", abort);
      }
    },
    waitMs: () => (size() / allowance.perSecond) * 1_000,
    perSecond: allowance.perSecond,
  };
}

/** What the client says of a limit that lasts too long: callers take it as "not now", and know when. */
function turnedAway({ method, fullRoute }: InternalRequest, key: string, share: FairShare): RateLimitError {
  const retryAfter = Math.max(share.waitMs(), shortestAwayMs);
  return new RateLimitError({
    method,
    route: fullRoute,
    url: fullRoute,
    majorParameter: key,
    hash: "fair share",
    global: true,
    limit: share.perSecond,
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
 * Every request of the client waits for its turn first: alerts before all others, and no channel or server behind the many
 * requests of another one. What is turned away rejects with a `RateLimitError`.
 */
export function shareFairly(rest: REST, share = createFairShare(), metrics = noMetrics): void {
  const queueRequest = rest.queueRequest.bind(rest);
  rest.queueRequest = async (request) => {
    const { fullRoute, signal } = request;
    const key = majorOf(fullRoute);
    const begun = performance.now();
    if (!(await share.turn(key, isAlert(request), signal ?? undefined))) {
      throw turnedAway(request, key, share);
    }
    const waitedMs = performance.now() - begun;
    if (waitedMs >= shortestWaitMs) metrics.rateLimitWait(waitedMs);
    return queueRequest(request);
  };
}
