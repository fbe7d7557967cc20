import { z } from "zod";
import type { Log } from "../../basics/log.ts";
import { pause } from "./pause.ts";

/** Docs: Gateway, "Session Start Limit Object". */
const gatewaySchema = z.object({
  session_start_limit: z.object({
    remaining: z.number(),
    /** Milliseconds. */
    reset_after: z.number().nonnegative(),
    max_concurrency: z.int().positive(),
  }),
});

/** How many sessions may begin, as Discord counts them: a bot that goes beyond loses its token. */
export interface SessionStarts {
  /** Asks Discord. Rejects where it does not answer. */
  look(): Promise<void>;
  /** How many may begin at the same moment. Rejects when `signal` aborts. */
  atOnce(signal: AbortSignal): Promise<number>;
  /** Resolves when another session may begin, and counts that as one. Rejects when `signal` aborts. */
  allowed(signal: AbortSignal): Promise<void>;
}

/** The answer is as good for shards that begin within the same 5 s. */
const keptMs = 5_000;
/** Other processes may begin sessions at the same moment: the last ones of the day are left alone. */
const reserve = 10;
/** The count may be reset by hand; and no timer waits for a day. */
const longestWaitMs = 10 * 60_000;
const retryMs = 5_000;

interface Limit {
  left: number;
  readonly resetMs: number;
  readonly atOnce: number;
}

/** @param fetchGateway `GET /gateway/bot` */
export function createSessionStarts(deps: {
  readonly fetchGateway: () => Promise<unknown>;
  readonly log: Log;
  readonly monotonic?: () => number;
}): SessionStarts {
  const { fetchGateway, log, monotonic = () => performance.now() } = deps;
  let known: Limit | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<Limit> | undefined;
  let isTold = false;

  async function ask(): Promise<Limit> {
    try {
      const { session_start_limit: limit } = gatewaySchema.parse(await fetchGateway());
      known = { left: limit.remaining - reserve, resetMs: limit.reset_after, atOnce: limit.max_concurrency };
      askedAt = monotonic();
      return known;
    } finally {
      asking = undefined;
    }
  }

  function look(): Promise<Limit> {
    asking ??= ask();
    return asking;
  }

  /** What Discord said lately; what it said last where it does not answer, for the gateway may all the same. */
  async function limit(signal: AbortSignal): Promise<Limit> {
    for (;;) {
      signal.throwIfAborted();
      if (known && monotonic() - askedAt < keptMs) return known;
      try {
        return await look();
      } catch (error) {
        if (known) return known;
        log.warn({ err: error }, "Discord does not say how many sessions may begin; asking again");
      }
      await pause(retryMs, signal);
    }
  }

  function tell(resetMs: number) {
    if (isTold) return;
    isTold = true;
    const until = new Date(Date.now() + resetMs).toISOString();
    log.error(
      { until },
      "Discord lets the bot begin no more sessions for now: shards without one wait, and connect by themselves once it does. Alerts go on. Find out what starts the bot again and again",
    );
  }

  return {
    look: async () => void (await look()),
    atOnce: async (signal) => (await limit(signal)).atOnce,
    async allowed(signal) {
      for (;;) {
        const now = await limit(signal);
        if (now.left > 0) {
          now.left--;
          isTold = false;
          return;
        }
        tell(now.resetMs);
        await pause(Math.max(Math.min(now.resetMs, longestWaitMs), keptMs), signal);
      }
    },
  };
}
