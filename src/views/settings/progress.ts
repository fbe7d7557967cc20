import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import { type Problem, problemText } from "../parts/problem.ts";
import { relativeTime } from "../parts/time.ts";

/** How the path from store to channel goes. Times are epoch ms. */
export interface ProgressView {
  readonly lastPollAt?: number;
  /** How far behind the schedule the last good look at the store is. */
  readonly lagMs: number;
  readonly lastError?: { readonly problem: Problem; readonly at: number };
}

/** As names and values. */
export function progressFacts({ lastPollAt, lagMs, lastError }: ProgressView, locale: Locale) {
  const say = texts(locale).settings;
  return [
    [say.lastPoll, lastPollAt === undefined ? say.never : relativeTime(lastPollAt)],
    [say.lag, say.seconds(Math.round(lagMs / 1000).toLocaleString(locale))],
    [
      say.lastError,
      lastError ? `${relativeTime(lastError.at)} · ${problemText(lastError.problem, locale)}` : say.noError,
    ],
  ] as const;
}
