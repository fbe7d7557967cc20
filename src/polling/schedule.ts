import { nextRuns } from "../basics/cron.ts";
import type { Heartbeat } from "../basics/health.ts";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../basics/limits/concurrency-limit.ts";
import type { Log } from "../basics/log.ts";

const dayMs = 24 * 3_600_000;
/** Time between two reads of the wall clock, to notice that it was set or that the machine slept. */
const wakeEveryMs = 1_000;
/** The polls of a round (one per server) are spread over this time, or over the time until the next round if that is less. */
const longestSpreadMs = 60_000;
/** The servers of a partition that was just taken are polled one after another, with at most this time in between. */
const gainedEveryMs = 10;
/** The shortest wait if a poll asks for another poll. */
const shortestRetryMs = 100;
/** The wait if a command asks for a poll during a poll. The running poll may have missed what the command changed. */
const askedAgainMs = 1_000;
/** A longer wait (for a digest's hour) is computed again after this time, because the wall clock may have been set. */
const longestRetryMs = dayMs;
/** After this many missed poll rounds, polling counts as broken. */
const missedRounds = 5;
const momentMs = 60_000;
/**
 * At most this many polls run at once. Measured with 2,500 servers at once on a busy machine, in trials of 90 to 120 s: 932
 * polls timed out without a limit, 930 with a limit of 512, 443 with 256, and 1 with 128. A limit of 128 would delay polls when
 * stores are slow.
 */
const mostPolls = 256;
/** A poll that takes longer than this no longer counts for {@link mostPolls}. It probably waits for a store that hangs. */
const longestPollMs = 10_000;

/** Plans at most one poll per server. */
function createPlans(deps: { poll(guildId: string): Promise<number | undefined> }, places: ConcurrencyLimit) {
  /** Includes servers that wait until fewer polls run. */
  const polling = new Set<string>();
  /** `at` is monotonic. */
  const planned = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>();
  const over = new AbortController();

  function plan(guildId: string, inMs: number, isAsked = false): void {
    if (over.signal.aborted) return;
    const at = performance.now() + inMs;
    const before = planned.get(guildId);
    if (before && before.at <= at) return;
    clearTimeout(before?.timer);
    const timer = setTimeout(() => {
      planned.delete(guildId);
      void poll(guildId, isAsked);
    }, inMs);
    planned.set(guildId, { at, timer });
  }

  async function poll(guildId: string, isAsked: boolean) {
    // The next round may be a day away, so a server that misses this round is polled soon.
    if (polling.has(guildId)) return plan(guildId, isAsked ? askedAgainMs : longestSpreadMs, isAsked);
    polling.add(guildId);
    const leave = await places.take(isAsked, over.signal);
    const polled = over.signal.aborted ? Promise.resolve(undefined) : deps.poll(guildId);
    const retryMs = await polled.finally(() => {
      polling.delete(guildId);
      leave?.();
    });
    if (retryMs !== undefined) plan(guildId, Math.min(Math.max(retryMs, shortestRetryMs), longestRetryMs));
  }

  return {
    plan,
    end() {
      over.abort();
      for (const { timer } of planned.values()) clearTimeout(timer);
      planned.clear();
    },
  };
}

/**
 * Polls each server once in each round. A round begins at each time of the cron expression. A server whose last poll still runs
 * misses the round, and is polled within about a minute. The times follow the wall clock, which is read every second. If the
 * clock was set back, the next time is computed again, so no poll is delayed. If times were missed, one round begins at once.
 *
 * @param expression cron with seconds first, in UTC
 * @param poll must not reject. Resolves to the milliseconds until the server needs another poll, or to undefined if the rounds
 * are enough
 */
export function createSchedule(deps: {
  expression: string;
  guildIds(): readonly string[];
  poll(guildId: string): Promise<number | undefined>;
  log: Log;
  places?: ConcurrencyLimit;
}) {
  const { log, expression, places = createConcurrencyLimit(mostPolls, longestPollMs) } = deps;
  const plans = createPlans(deps, places);
  let state: "new" | "running" | "stopped" = "new";
  let next = Number.POSITIVE_INFINITY;
  /** The wall clock at the last read. If the next read gives an earlier time, the clock was set back. */
  let seen = Number.NEGATIVE_INFINITY;
  let isLate = false;
  let waker: NodeJS.Timeout | undefined;
  let heartbeat: Heartbeat = { name: "polls", beats: 0, longestSilenceMs: momentMs };

  function plan() {
    [next = Number.POSITIVE_INFINITY] = nextRuns(expression, 1);
    heartbeat = { ...heartbeat, longestSilenceMs: missedRounds * (next - Date.now()) + momentMs };
  }

  function spread(guildIds: readonly string[], mostMs = guildIds.length * gainedEveryMs) {
    if (state !== "running") return;
    const overMs = Math.min(Math.max(next - Date.now(), 0), longestSpreadMs, mostMs);
    for (const [index, id] of guildIds.entries()) plans.plan(id, (overMs * index) / guildIds.length);
  }

  function tellLateness() {
    const lateMs = places.lateMs();
    const wasLate = isLate;
    // A busy process may begin a round after the next one was due.
    isLate = lateMs > Math.min(Math.max(next - Date.now(), 0), longestSpreadMs);
    if (isLate && !wasLate) {
      log.warn({ lateMs }, "polls run late: there are too few workers, or the stores answer slowly");
    }
  }

  function round() {
    tellLateness();
    spread(deps.guildIds(), longestSpreadMs);
    heartbeat = { ...heartbeat, beats: heartbeat.beats + 1 };
  }

  function wake() {
    const wall = Date.now();
    const isDue = wall >= next;
    if (isDue || wall < seen) plan();
    seen = wall;
    if (isDue) round();
    waker = setTimeout(wake, Math.min(next - wall, wakeEveryMs));
  }

  return {
    start() {
      state = "running";
      plan();
      wake();
      round();
    },
    /** Does nothing before `start` and after `stop`. */
    pollSoon(guildId: string) {
      if (state === "running") plans.plan(guildId, 0, true);
    },
    /** Polls the servers of a partition once before the next round. Does nothing before `start` and after `stop`. */
    spread: (guildIds: readonly string[]) => spread(guildIds),
    stop() {
      state = "stopped";
      clearTimeout(waker);
      plans.end();
    },
    notReady: () => (state === "running" ? undefined : "polls: not begun"),
    heartbeats: () => (state === "running" ? [heartbeat] : []),
  };
}

export type Schedule = ReturnType<typeof createSchedule>;
