import { createTask, parse, validate } from "node-cron";
import { type ConcurrencyLimit, createConcurrencyLimit } from "../basics/concurrency-limit.ts";
import type { Health, Heartbeat } from "../basics/health.ts";
import type { Log } from "../basics/log.ts";

const dayMs = 24 * 3_600_000;
/** An expression that matches no day in so long (30 years may lie between two 29ths of February on a Monday) never does. */
const longestGapMs = 100 * 366 * dayMs;
/** The wall clock is looked at this often, so that a clock that was set, or a machine that slept, is noticed. */
const wakeEveryMs = 1_000;
/** Polls are spread over the time to the next tick, but over no more than this. */
const longestSpreadMs = 60_000;
/** Servers that were another process's may have waited for a while. */
const gainedEveryMs = 10;
/** A server is not polled again sooner than this, whatever its last poll asked for. */
const shortestRetryMs = 100;
/** What a person asked for while a poll was under way, which may not have seen it. */
const askedAgainMs = 1_000;
/** What is waited for that long, a digest's hour, is computed again after a day: the wall clock may have been set. */
const longestRetryMs = dayMs;
/** So many rounds in a row may come to nothing: then something is broken. */
const missedRounds = 5;
const momentMs = 60_000;
/**
 * Polls under way at a time. Of stores that answer within a third of a second, more than a core makes in any second
 * (docs/benchmarks.md); of those that take a second, 256 in each. All of them share the processor: of 2,500 servers begun at
 * once on a machine that others used, 932 polls timed out without a bound, 930 with 512, 443 with 256 and 1 with 128 (measured
 * in a trial, 90 to 120 s each); but 128 would hold slow stores up.
 */
const mostPolls = 256;
/**
 * A poll that takes longer waits for a store that hangs, or for Discord. 255 stores that hang cost their neighbours nothing, and
 * of 1,000 that begin to hang at once others are late by 40 s at most, once, because a store is left alone after it failed.
 */
const longestPollMs = 10_000;

const ascending = (numbers: readonly number[]) => numbers.toSorted((one, other) => one - other);

/**
 * When a cron expression (seconds first, UTC) matches next: from one epoch ms to the next one after it, or to Infinity
 * when there is none. node-cron reads the expression and says which moments match; it gives the next one only from the
 * present of its own clock on. Throws on what {@link isSchedule} refuses.
 */
export function nextRunOf(expression: string): (after: number) => number {
  const { hour, minute, second } = parse(expression);
  const [hours, minutes, seconds] = [ascending(hour), ascending(minute), ascending(second)];
  const task = createTask(expression, () => undefined, { timezone: "UTC" });
  // It stays usable for that; node-cron only forgets it.
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

  // The day that fitted last: all rounds of a day ask for the same one.
  let known: number | undefined;
  return (after) => {
    for (let day = Math.floor(after / dayMs) * dayMs; day < after + longestGapMs; day += dayMs) {
      const at = timeOf(day, after);
      if (at === undefined) continue;
      // Its time of day is one of the expression's: what may not fit is the day.
      if (day !== known && !task.match(new Date(at))) continue;
      known = day;
      return at;
    }
    return Number.POSITIVE_INFINITY;
  };
}

/** Whether the scheduler takes this cron expression (seconds first). */
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
  /** Polls one server now; nothing before `start` and after `stop`. */
  pollSoon(guildId: string): void;
  /** Polls these servers once, 100 a second and by the next tick; nothing before `start` and after `stop`. */
  spread(guildIds: readonly string[]): void;
  /** No poll begins after this. */
  stop(): void;
}

/** The next poll of each server, when one is planned: never more than one, and of two the earlier one. */
function createPlans(deps: { poll(guildId: string): Promise<number | undefined> }, places: ConcurrencyLimit) {
  const polling = new Set<string>();
  /** What ends the wait of those that have no place yet. */
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

  /** Nothing where all is over before there is one. */
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
    // Where the next round is a day away, being left out of this one must not cost a day.
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
 * Polls each server once per tick, the servers spread evenly over the interval, with no more under way at a time than there
 * are places. A server whose last poll still runs is left out. Ticks are told by the wall clock, and waited for on the
 * monotonic one: a wall clock that is set back holds nothing up, and ticks that passed unnoticed are made up for at once, by
 * one round.
 *
 * @param expression cron with seconds first, in UTC
 * @param poll must not reject; resolves to the milliseconds after which it wants to be called again though no round is
 * due (a retry), if it does
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
  /** The wall clock at the last look: it is earlier now only if it was set back. */
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

  /** Said once, until they are not late any more. */
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
