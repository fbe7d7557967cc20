import type { RESTOptions } from "@discordjs/rest";
import { BoundedMap } from "../../basics/limits/bounded-map.ts";
import { budgets } from "../../basics/limits/budgets.ts";
import type { Log } from "../../basics/log.ts";
import { anyAnswer } from "./route-of.ts";

export type Send = RESTOptions["makeRequest"];
type Answer = Awaited<ReturnType<Send>>;

/**
 * After 1,000 refusals (`budgets.invalidRequests`), a request that gets a 401 or 403 is not sent again for 10 minutes. So 8,000
 * different requests cause at most 8,000 more refusals. The total of 9,000 is below Discord's limit of 10,000.
 */
const mostResources = 8_000;
/** In characters. Discord's refusals have about 60. A longer body, such as the error page of a proxy, is not stored. */
const longestBody = 1_024;
/** A rate-limited request is not sent again within this time, because Discord may name a short wait each time. */
const shortestLimitMs = 60_000;

interface Refusal {
  /** Monotonic ms. */
  readonly until: number;
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Whether the answer counts towards Discord's ban. A 429 with scope `shared` does not: other programs used up the limit. */
function isInvalid({ status, headers }: Answer): boolean {
  if (status === 429) return headers.get("x-ratelimit-scope") !== "shared";
  return status === 401 || status === 403;
}

const majorParameter = /\/(?:channels|guilds|webhooks)\/(\d+)/;

/** All messages of a channel share one refusal, because requests for them usually have the same result. */
function resourceOf(method: string | undefined, url: string): string {
  const { pathname } = new URL(url);
  return `${method} ${majorParameter.exec(pathname)?.[1]} ${pathname.replaceAll(/\d{17,20}/g, ":id")}`;
}

export type InvalidRequestLimit = (send: Send) => Send;

/**
 * Discord bans an address that gets 10,000 answers of 401, 403 or 429 within 10 minutes. While there are too many refusals, a
 * request that was refused last time is not sent: the caller gets the same answer again. A rate-limited request is sent again
 * after its rate limit, but after at least 1 and at most 10 minutes. Any other refused request is sent again after 10 minutes.
 * The bot's process has one limit for all its clients, because Discord counts by address.
 */
export function createInvalidRequestLimit(deps: {
  log?: Log | undefined;
  allowance?: { readonly windowMs: number; readonly most: number };
  monotonic?: () => number;
}): InvalidRequestLimit {
  const { log, allowance = budgets.invalidRequests, monotonic = () => performance.now() } = deps;
  const { windowMs, most } = allowance;
  /** When Discord refused requests (monotonic ms), the oldest first. */
  const times: number[] = [];
  const refusals = new BoundedMap<string, Refusal>(mostResources);
  let isBraking = false;
  let isTokenKnown = false;

  function brakes(): boolean {
    const since = monotonic() - windowMs;
    while (times.length > 0 && (times[0] ?? 0) <= since) times.shift();
    const answers = times.length;
    if (isBraking === answers >= most) return isBraking;
    isBraking = !isBraking;
    const what = isBraking
      ? "Discord refuses too many requests: those that it refused before are not sent for a while"
      : "requests that Discord refused before are sent again";
    log?.warn({ answers, most }, what);
    return isBraking;
  }

  function refusedBefore(resource: string): Answer | undefined {
    const refusal = brakes() ? refusals.get(resource) : undefined;
    const leftMs = refusal === undefined ? 0 : refusal.until - monotonic();
    if (!refusal || leftMs <= 0) return undefined;
    const { status, type, body } = refusal;
    const limit = status === 429 ? { "retry-after": String(leftMs / 1_000) } : {};
    return new Response(body, { status, headers: { "content-type": type, ...limit } });
  }

  function keep(resource: string, { status, headers }: Answer, whole: string) {
    const limitMs = Math.max(Number(headers.get("retry-after")) * 1_000 || 0, shortestLimitMs);
    const heldMs = status === 429 ? Math.min(limitMs, windowMs) : windowMs;
    const isShort = whole.length <= longestBody;
    const type = (isShort ? headers.get("content-type") : undefined) ?? "text/plain";
    refusals.set(resource, { until: monotonic() + heldMs, status, type, body: isShort ? whole : "" });
    times.push(monotonic());
    brakes();
  }

  /** If Discord never knew the token, the bot's start reports this. */
  function lookAtToken({ status, ok }: Answer, url: string) {
    if (anyAnswer.test(url)) return;
    if (status === 401 && isTokenKnown) {
      log?.error(
        {},
        "Discord no longer knows the token (401), so nothing is sent; set the new DISCORD_TOKEN, and restart the bot",
      );
    }
    if (ok || status === 401) isTokenKnown = ok;
  }

  return (send) => async (url, init) => {
    const resource = resourceOf(init.method, url);
    const said = refusedBefore(resource);
    if (said) return said;
    const answer = await send(url, init);
    lookAtToken(answer, url);
    if (!isInvalid(answer)) {
      // A shared 429 does not show that Discord would accept the request, so the stored refusal stays.
      if (answer.status !== 429) refusals.delete(resource);
      return answer;
    }
    const body = await answer.text();
    keep(resource, answer, body);
    return new Response(body, { status: answer.status, headers: [...answer.headers] });
  };
}
