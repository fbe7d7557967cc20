import type { RESTOptions } from "@discordjs/rest";
import { BoundedMap } from "../../basics/bounded-map.ts";
import { budgets } from "../../basics/budgets.ts";
import type { Log } from "../../basics/log.ts";

/** Sends one attempt of a request (`RESTOptions.makeRequest`). */
export type Send = RESTOptions["makeRequest"];
type Answer = Awaited<ReturnType<Send>>;

/** With the budget, less than Discord's 10,000: each of them may be asked once more within the window. */
const mostResources = 8_000;
/** Discord's refusals are about 60 characters; a page of something in between is not kept whole. */
const longestBody = 1_024;

/** A limit that is said again and again with a short time would be asked for as often; doubled for each in a row. */
const shortestLimitMs = 1_000;

/** What was refused last time, as far as it takes to say it again. */
interface Refusal {
  /** Monotonic ms. Until when it holds: a limit that is not repeated as Discord said, anything else for as long as answers are counted. */
  readonly until: number;
  /** Limits in a row before this one. */
  readonly limits: number;
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Discord counts these towards its ban; not a limit that others have used up (scope `shared`). */
function isInvalid({ status, headers }: Answer): boolean {
  if (status === 429) return headers.get("x-ratelimit-scope") !== "shared";
  return status === 401 || status === 403;
}

const majorParameter = /\/(?:channels|guilds|webhooks)\/(\d+)/;

/** Method, route and major parameter: what is refused for one message of a channel is refused for all. */
function resourceOf(method: string | undefined, url: string): string {
  const { pathname } = new URL(url);
  return `${method} ${majorParameter.exec(pathname)?.[1]} ${pathname.replaceAll(/\d{17,20}/g, ":id")}`;
}

/** Keeps the answers that Discord bans an address for (10,000 of 401, 403 or 429 within 10 minutes) far below that. */
export interface InvalidRequestLimit {
  /**
   * Sends through this: while there were too many, what was refused last time is answered here, with the same answer. It
   * is asked again when there is room, or when the refusal is as old as the window.
   */
  wrap(send: Send): Send;
}

/** One for the process, whatever its clients: Discord counts by address. */
export function createInvalidRequestLimit(deps: {
  log?: Log | undefined;
  allowance?: { readonly windowMs: number; readonly most: number };
  monotonic?: () => number;
}): InvalidRequestLimit {
  const { log, allowance = budgets.invalidRequests, monotonic = () => performance.now() } = deps;
  const { windowMs, most } = allowance;
  /** When they came, monotonic ms, the oldest first. */
  const times: number[] = [];
  /** By resource, the oldest first. */
  const refusals = new BoundedMap<string, Refusal>(mostResources);
  let isBraking = false;

  function brakes(): boolean {
    const since = monotonic() - windowMs;
    while (times.length > 0 && (times[0] ?? 0) <= since) times.shift();
    const answers = times.length;
    if (isBraking === answers >= most) return isBraking;
    isBraking = !isBraking;
    const what = isBraking
      ? "Discord refuses too much: what it refused last time is not asked again for a while"
      : "Discord is asked again for what it refused";
    log?.warn({ answers, most }, what);
    return isBraking;
  }

  /** What is to be said instead of asking. */
  function again(resource: string): Answer | undefined {
    const refusal = brakes() ? refusals.get(resource) : undefined;
    const leftMs = refusal === undefined ? 0 : refusal.until - monotonic();
    if (!refusal || leftMs <= 0) return undefined;
    const { status, type, body } = refusal;
    const limit = status === 429 ? { "retry-after": String(leftMs / 1_000) } : {};
    return new Response(body, { status, headers: { "content-type": type, ...limit } });
  }

  function keep(resource: string, { status, headers }: Answer, whole: string) {
    const at = monotonic();
    const before = refusals.get(resource);
    const limits = status === 429 && before?.status === 429 ? before.limits + 1 : 0;
    const limitedMs = Math.max(Number(headers.get("retry-after")) * 1_000 || 0, shortestLimitMs * 2 ** limits);
    const heldMs = status === 429 ? Math.min(limitedMs, windowMs) : windowMs;
    const body = whole.length <= longestBody ? whole : "";
    const type = body === "" ? "text/plain" : (headers.get("content-type") ?? "text/plain");
    refusals.set(resource, { until: at + heldMs, status, type, body, limits });
    times.push(at);
    brakes();
  }

  return {
    wrap: (send) => async (url, init) => {
      const resource = resourceOf(init.method, url);
      const said = again(resource);
      if (said) return said;
      const answer = await send(url, init);
      if (!isInvalid(answer)) {
        // A limit that others have used up says nothing about what it limits.
        if (answer.status !== 429) refusals.delete(resource);
        return answer;
      }
      const body = await answer.text();
      keep(resource, answer, body);
      return new Response(body, { status: answer.status, headers: [...answer.headers] });
    },
  };
}
