import { createTask, parse, validate } from "node-cron";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../basics/concurrency-limit.ts";
import type { Health, Heartbeat } from "../basics/health.ts";
import type { Log } from "../basics/log.ts";

const dayMs = 24 * 3_600_000;
/** An expression that matches no day within this time never does. (Two 29ths of February on a Monday may be 30 years apart.) */
const longestGapMs = 100 * 366 * dayMs;
/** The wall clock is read this often, to notice that it was set or that the machine slept. */
const wakeEveryMs = 1_000;
/** Polls are spread over the time to the next tick, but at most over this. */
const longestSpreadMs = 60_000;
/** Time between the first polls of servers taken from another process, which may have waited for a while. */
const gainedEveryMs = 10;
/** Shortest wait until a server is polled again, also if its last poll asked for less. */
const shortestRetryMs = 100;
/** Wait after a command asked for a poll while one was under way, which may not have seen the change. */
const askedAgainMs = 1_000;
/** Longest wait of one server. Longer ones (a digest's hour) are computed again then, because the wall clock may have been set. */
const longestRetryMs = dayMs;
/** After this many missed poll rounds, polling counts as broken. */
const missedRounds = 5;
const momentMs = 60_000;
/**
 * Most polls under way at a time. If stores answer within a third of a second, that is more than one core can do
 * (docs/benchmarks.md); if they take a second, it is 256 polls a second. A lower bound helps a busy machine: with 2,500 servers begun at
 * once, 932 polls timed out without a bound, 930 with 512, 443 with 256 and 1 with 128 (measured in trials of 90 to 120 s). But 128 would
 * delay polls when stores are slow.
 */
const mostPolls = 256;
/**
 * A poll that takes longer than this waits for a hanging store or for Discord, and gives up its place. 255 hanging stores delay no other
 * poll. If 1,000 begin to hang at once, others are late once, by at most 40 s, because a store is left alone after it failed.
 */
const longestPollMs = 10_000;

const ascending = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);

/**
 * Returns a function from an epoch ms to the next moment after it at which a cron expression matches (seconds first, UTC); Infinity if
 * there is none. node-cron parses the expression and checks moments; by itself it finds the next one only from its own clock's present.
 * Throws if {@link isSchedule} refuses the expression.
 */
export function nextRunOf(expression: string): (after: number) => number {
  const { hour, minute, second } = parse(expression);
  const [hours, minutes, seconds] = [ascending(hour), ascending(minute), ascending(second)];
  const task = createTask(expression, () => undefined, { timezone: "UTC" });
  // A destroyed task can still match dates; node-cron only forgets it.
  void task.destroy();

  function timeOf(day: number, after: number): number | undefined {
    for (const h of hours) {
      for (const m of minutes) {
        const at = day + (h * 60 + m) * 60_000;
        if (at + 60_000 <= after) continue;
        const s = seconds.find((candidate) => at + candidate * 1_000 > after);
        if (s !== undefined) return at + s * 1_000;
      }
    }
    return undefined;
  }

  // The day that matched last. All rounds of a day ask for the same day.
  let known: number | undefined;
  return (after) => {
    for (let day = Math.floor(after / dayMs) * dayMs; day < after + longestGapMs; day += dayMs) {
      const at = timeOf(day, after);
      if (at === undefined) continue;
      // The time of day is one of the expression's, so only the day may not match.
      if (day !== known && !task.match(new Date(at))) continue;
      known = day;
      return at;
    }
    return Number.POSITIVE_INFINITY;
  };
}

/** Whether a cron expression (seconds first) is valid and ever matches. */
export function isSchedule(expression: string): boolean {
  return validate(expression) && Number.isFinite(nextRunOf(expression)(Date.now()));
}

/** Milliseconds from one tick of the cron expression to the next one. */
export function intervalOf(expression: string): number {
  const nextRun = nextRunOf(expression);
  const first = nextRun(Date.now());
  return nextRun(first) - first;
}

export interface Schedule extends Health {
  /** Polls every server once, then by the cron expression. */
  start(): void;
  /** Polls one server now. Does nothing before `start` and after `stop`. */
  pollSoon(guildId: string): void;
  /** Polls these servers once, at most 100 a second, by the next tick. Does nothing before `start` and after `stop`. */
  spread(guildIds: readonly string[]): void;
  /** No poll begins after this. */
  stop(): void;
}

/** The next planned poll of each server, at most one: of two, the earlier one. */
function createPlans(deps: { poll(guildId: string): Promise<number | undefined> }, places: ConcurrencyLimit) {
  const polling = new Set<string>();
  /** Servers that wait for a place, each with what ends the wait. */
  const waiting = new Map<string, AbortController>();
  /** `at` is monotonic. */
  const planned = new Map<string, { readonly at: number; readonly timer: NodeJS.Timeout }>();
  let isOver = false;

  function plan(guildId: string, inMs: number, isAsked = false): void {
    if (isOver) return;
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

  /** Resolves to undefined if everything ends before a place is free. */
  async function placeFor(guildId: string, isAsked: boolean): Promise<(() => void) | undefined> {
    const wait = new AbortController();
    waiting.set(guildId, wait);
    const leave = await places.take(isAsked, wait.signal);
    waiting.delete(guildId);
    if (!isOver) return leave ?? placeFor(guildId, true);
    leave?.();
    return undefined;
  }

  async function poll(guildId: string, isAsked: boolean) {
    const wait = waiting.get(guildId);
    if (wait) return isAsked ? wait.abort() : undefined;
    // The next round may be a day away, so a server that is left out of this one is polled soon.
    if (polling.has(guildId)) return plan(guildId, isAsked ? askedAgainMs : longestSpreadMs, isAsked);
    const leave = await placeFor(guildId, isAsked);
    if (!leave) return;
    polling.add(guildId);
    const retryMs = await deps.poll(guildId).finally(() => {
      polling.delete(guildId);
      leave();
    });
    if (retryMs !== undefined) plan(guildId, Math.min(Math.max(retryMs, shortestRetryMs), longestRetryMs));
  }

  return {
    plan,
    end() {
      isOver = true;
      for (const { timer } of planned.values()) clearTimeout(timer);
      planned.clear();
      for (const wait of waiting.values()) wait.abort();
    },
  };
}

/**
 * Polls each server once per tick, spread evenly over the interval, with at most as many polls under way as there are places. A server
 * whose last poll still runs is left out. Ticks follow the wall clock, and the wait for them the monotonic clock. So a wall clock that is
 * set back delays nothing, and ticks that were missed are made up for at once, by one round.
 *
 * @param expression cron with seconds first, in UTC
 * @param poll must not reject. Resolves to the milliseconds until a retry before the next round; undefined for no retry
 * @param now wall clock, epoch ms
 */
export function createSchedule(deps: {
  expression: string;
  guildIds(): readonly string[];
  poll(guildId: string): Promise<number | undefined>;
  log: Log;
  now?: () => number;
  places?: ConcurrencyLimit;
}): Schedule {
  const { log, now = Date.now, places = createConcurrencyLimit(mostPolls, longestPollMs) } = deps;
  const nextRun = nextRunOf(deps.expression);
  const plans = createPlans(deps, places);
  let state: "new" | "running" | "stopped" = "new";
  let next = Number.POSITIVE_INFINITY;
  /** The wall clock when it was last read. It is earlier now only if it was set back. */
  let seen = Number.NEGATIVE_INFINITY;
  let isLate = false;
  let waker: NodeJS.Timeout | undefined;
  let heartbeat: Heartbeat = { name: "polls", beats: 0, longestSilenceMs: momentMs };

  const longestSilence = (wall: number) => missedRounds * (nextRun(wall) - wall) + momentMs;

  function spread(guildIds: readonly string[], mostMs = guildIds.length * gainedEveryMs) {
    if (state !== "running") return;
    const overMs = Math.min(Math.max(next - now(), 0), longestSpreadMs, mostMs);
    for (const [index, id] of guildIds.entries()) plans.plan(id, (overMs * index) / guildIds.length);
  }

  /** Logs once that polls are late, until they are on time again. */
  function tellLateness() {
    const lateMs = places.lateMs();
    const wasLate = isLate;
    isLate = lateMs > longestSpreadMs || lateMs > next - now();
    if (isLate && !wasLate) {
      log.warn({ lateMs }, "polls run late: there are too few workers, or the stores answer slowly");
    }
  }

  function round() {
    tellLateness();
    spread(deps.guildIds(), longestSpreadMs);
    heartbeat = { ...heartbeat, beats: heartbeat.beats + 1, longestSilenceMs: longestSilence(now()) };
  }

  function wake() {
    const wall = now();
    if (wall < seen) {
      next = nextRun(wall);
      heartbeat = { ...heartbeat, longestSilenceMs: longestSilence(wall) };
    }
    seen = wall;
    if (wall >= next) {
      next = nextRun(wall);
      round();
    }
    waker = setTimeout(wake, Math.min(next - wall, wakeEveryMs));
  }

  return {
    start() {
      state = "running";
      next = nextRun(now());
      wake();
      round();
    },
    pollSoon(guildId) {
      if (state === "running") plans.plan(guildId, 0, true);
    },
    spread: (guildIds) => spread(guildIds),
    stop() {
      state = "stopped";
      clearTimeout(waker);
      plans.end();
    },
    notReady: () => (state === "running" ? undefined : "polls: not begun"),
    heartbeats: () => (state === "running" ? [heartbeat] : []),
  };
}
