import { setTimeout as wait } from "node:timers/promises";
import { ProblemError } from "./problem-error.ts";

/** What one person may ask for at once, and how many a second after that. */
const burst = 10;
const perSecond = 4;
/** Whoever would have to wait longer is told to slow down instead. */
const longestWaitMs = 1_500;

/** Keeps one person from using up a store's API: resolves when it is this request's turn, throws "cooldown" for too many. */
export type Throttle = (person: string) => Promise<void>;

/**
 * At most 10 requests of a person at once and 4 a second after that; whoever would wait longer than 1.5 s is refused.
 * In memory: times in ms by `now`, a clock that nobody sets.
 */
export function createThrottle(now: () => number = () => performance.now()): Throttle {
  /** Per person the time (ms) at which all that was asked for is worked off. */
  const busyUntil = new Map<string, number>();
  const costMs = 1_000 / perSecond;

  return async (person) => {
    for (const [other, until] of busyUntil) if (until <= now()) busyUntil.delete(other);
    const until = Math.max(busyUntil.get(person) ?? 0, now());
    const waitMs = until - now() - (burst - 1) * costMs;
    if (waitMs > longestWaitMs)
      throw new ProblemError({ code: "cooldown", seconds: Math.ceil((waitMs - longestWaitMs) / 1_000) });
    busyUntil.set(person, until + costMs);
    if (waitMs > 0) await wait(waitMs);
  };
}
