import type { Span } from "../basics/stats.ts";
import { type CalendarDay, dayAfter, daysFrom } from "../basics/zones.ts";

export interface Days {
  readonly from?: number;
  /** The first moment after the days (epoch ms). */
  readonly before?: number;
}

/** All but `yesterday` include today, which is not over yet. */
export const periods = ["today", "yesterday", "week", "month"] as const;
export type Period = (typeof periods)[number];

/** A week is 7 days, and a month is 30 days. */
export function spanOf(period: Period, today: CalendarDay): Span {
  const to = period === "yesterday" ? dayAfter(today, -1) : today;
  const days = { today: 1, yesterday: 1, week: 7, month: 30 }[period];
  return { from: dayAfter(to, 1 - days), to };
}

const longestPeriod = 30;

/** Undefined if the days cannot come from a button of `/stats`. */
export function spanNamed({ from, to }: Span, today: CalendarDay): Span | undefined {
  const areDays = [from, to].every((day) => /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)));
  return areDays && from <= to && to <= today && from > dayAfter(to, -longestPeriod) ? { from, to } : undefined;
}

/** The span of the same length that ends the day before `span` begins. */
export function spanBefore(span: Span): Span {
  return { from: dayAfter(span.from, -daysFrom(span.from, span.to).length), to: dayAfter(span.from, -1) };
}
