import { StoreError } from "../store-api/store-api.ts";
import { restFor } from "./long-work.ts";
import type { ReadPage } from "./whole-list.ts";

/** Tries of a page that the store fails to give, each of which is three requests already. */
const mostTries = 3;
const defaultPauseMs = 5_000;
/** Whoever is asked to wait for longer is told so instead. */
const longestHeldMs = 120_000;
/** By then a store that asks to wait and names no time takes requests again, mostly. */
const usualHeldMs = 30_000;
const passing: ReadonlySet<string> = new Set(["unavailable", "timeout", "malformed"]);

/** After how many ms something that nobody has to wait for is asked for again; undefined where it is not. */
export function waitAfter(error: unknown, tries: number, pauseMs = defaultPauseMs): number | undefined {
  if (!(error instanceof StoreError)) return undefined;
  if (error.code === "rate_limited") {
    const waitMs = error.retryAfterMs ?? usualHeldMs;
    return waitMs <= longestHeldMs ? Math.max(waitMs, 1) : undefined;
  }
  return passing.has(error.code) && tries < mostTries ? pauseMs : undefined;
}

/**
 * The same pages, read at this pace, and with the patience of something that nobody has to wait for: a page fails only
 * after three tries, and where the store asks for time, it gets that. The first page has none: it says whether there is a
 * store at all.
 *
 * @param lateMs 0 where a request may be made now, else after how many ms to ask again
 */
export function patientReads<Row>(
  read: ReadPage<Row>,
  how: { lateMs(): number; readonly signal: AbortSignal; readonly pauseMs?: number },
): ReadPage<Row> {
  const { lateMs, signal, pauseMs } = how;
  let isFirst = true;

  return async (page, limit) => {
    for (let tries = 1; ; tries += 1) {
      for (let late = lateMs(); late > 0; late = lateMs()) await restFor(Math.ceil(late), signal);
      try {
        const answer = await read(page, limit);
        isFirst = false;
        return answer;
      } catch (error) {
        const waitMs = isFirst ? undefined : waitAfter(error, tries, pauseMs);
        if (waitMs === undefined) throw error;
        await restFor(waitMs, signal);
      }
    }
  };
}
