import { type CalendarDay, dayAfter, daysFrom, weekdayOf } from "../basics/zones.ts";

/** What `/stats` is asked for: whole days that are over, but for today. */
export const periods = ["today", "yesterday", "week", "month"] as const;
export type Period = (typeof periods)[number];

/** From one day to another, both of them included. */
export interface Span {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
}

const lengthOf = ({ from, to }: Span): number => daysFrom(from, to).length;

/** A week is the last 7 days before today, a month the last 30. */
export function spanOf(period: Period, today: CalendarDay): Span {
  if (period === "today") return { from: today, to: today };
  const days = { yesterday: 1, week: 7, month: 30 }[period];
  return { from: dayAfter(today, -days), to: dayAfter(today, -1) };
}

/** As many days right before these. */
export function spanBefore(span: Span): Span {
  return { from: dayAfter(span.from, -lengthOf(span)), to: dayAfter(span.from, -1) };
}

/** How often a digest comes. */
export const rhythms = ["day", "week"] as const;
export type Rhythm = (typeof rhythms)[number];

const monday = 1;
/** The day on which the last digest came until this day, or comes on it: a weekly one comes on Mondays. */
export const digestDay = (every: Rhythm, day: CalendarDay): CalendarDay =>
  every === "day" ? day : dayAfter(day, monday - weekdayOf(day));
/** The day on which the one after that comes. */
export const digestDayAfter = (every: Rhythm, day: CalendarDay): CalendarDay => dayAfter(day, every === "day" ? 1 : 7);
/** What the digest of that day is about. */
export const digestSpan = (every: Rhythm, day: CalendarDay): Span => ({
  from: dayAfter(day, every === "day" ? -1 : -7),
  to: dayAfter(day, -1),
});
