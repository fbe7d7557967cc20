import { type CalendarDay, dayAfter, daysFrom, weekdayOf } from "../basics/zones.ts";

/** What `/stats` is asked for: days of which today, where it is among them, is not over yet. */
export const periods = ["today", "yesterday", "week", "month"] as const;
export type Period = (typeof periods)[number];

/** From one day to another, both of them included. */
export interface Span {
  readonly from: CalendarDay;
  readonly to: CalendarDay;
}

const lengthOf = ({ from, to }: Span): number => daysFrom(from, to).length;

/** A week is the last 7 days, a month the last 30, both with today. */
export function spanOf(period: Period, today: CalendarDay): Span {
  const to = period === "yesterday" ? dayAfter(today, -1) : today;
  const days = { today: 1, yesterday: 1, week: 7, month: 30 }[period];
  return { from: dayAfter(to, 1 - days), to };
}

const longestPeriod = 30;

/** The days that a button names, until today at the latest; undefined for what no button of figures names. */
export function spanNamed({ from, to }: Span, today: CalendarDay): Span | undefined {
  const areDays = [from, to].every((day) => /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day)));
  return areDays && from <= to && to <= today && from > dayAfter(to, -longestPeriod) ? { from, to } : undefined;
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
