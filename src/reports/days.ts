import { type Choice, firstChoices, searchFor } from "../basics/choices.ts";
import { type Locale, locales } from "../basics/locale.ts";
import { texts } from "../views/catalogue/catalogue.ts";
import { ProblemError } from "../views/problem.ts";

/** A time from the first moment of a day to the last one of another, in UTC; epoch ms. */
export interface Days {
  readonly from?: number;
  /** The first moment that does not belong to it. */
  readonly before?: number;
}

const dayMs = 24 * 60 * 60_000;
const startOf = (ms: number) => Math.floor(ms / dayMs) * dayMs;
/** A day as it is typed and shown: 2026-11-21. */
export const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** The first moment of a day that was typed: a date, or today or yesterday in any language. Throws a `ProblemError`. */
function dayIn(typed: string, now: number): number {
  const word = typed.trim().toLowerCase();
  const says = locales.map((locale) => texts(locale).exports);
  if (says.some(({ today }) => today.toLowerCase() === word)) return startOf(now);
  if (says.some(({ yesterday }) => yesterday.toLowerCase() === word)) return startOf(now) - dayMs;
  const [, year, month, day] = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(word) ?? [];
  const at = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // Date.UTC takes the 31st of February for the 3rd of March, and the year 26 for 1926.
  const isDay = new Date(at).getUTCMonth() === Number(month) - 1 && new Date(at).getUTCFullYear() === Number(year);
  if (year === undefined || Number(day) < 1 || !isDay) throw new ProblemError({ code: "bad_day", today: isoDay(now) });
  return at;
}

/** The days from one to another, both of them included; throws a `ProblemError` for what is no day, or the wrong way round. */
export function daysIn(typed: { readonly from?: string; readonly to?: string }, now: number): Days {
  const [from, to] = [typed.from, typed.to].map((day) => (day?.trim() ? dayIn(day, now) : undefined));
  if (from !== undefined && to !== undefined && from > to) throw new ProblemError({ code: "days_reversed" });
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { before: to + dayMs }) };
}

/** The days that are asked for most, with their dates. */
export function suggestDays(typed: string, now: number, locale: Locale): Choice[] {
  const say = texts(locale).exports;
  const today = new Date(startOf(now));
  const monthBegan = (months: number) => Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + months, 1);
  const days: readonly (readonly [name: string, ms: number])[] = [
    [say.today, today.getTime()],
    [say.yesterday, today.getTime() - dayMs],
    [say.daysAgo("7"), today.getTime() - 7 * dayMs],
    [say.daysAgo("30"), today.getTime() - 30 * dayMs],
    [say.thisMonth, monthBegan(0)],
    [say.lastMonthBegan, monthBegan(-1)],
    [say.lastMonthEnded, monthBegan(0) - dayMs],
  ];
  const isWanted = searchFor(typed);
  return firstChoices(days, ([name, ms]) => {
    const text = `${name} (${isoDay(ms)})`;
    return isWanted(text) ? { name: text, value: isoDay(ms) } : undefined;
  });
}
