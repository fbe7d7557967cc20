import type { Choice } from "../src/basics/choices.ts";
import { type Locale, locales } from "../src/basics/locale.ts";
import { type CalendarDay, dayAfter, utcStart, type Zone } from "../src/basics/zones.ts";
import { texts } from "../src/locales/texts.ts";
import type { Days } from "../src/reports/days.ts";
import { ProblemError } from "../src/views/parts/problem.ts";
import { suggest } from "../src/views/parts/suggest.ts";

function dayIn(typed: string, today: CalendarDay): CalendarDay {
  const word = typed.trim().toLowerCase();
  const says = locales.map((locale) => texts(locale).exports);
  if (says.some(({ today }) => today.toLowerCase() === word)) return today;
  if (says.some(({ yesterday }) => yesterday.toLowerCase() === word)) return dayAfter(today, -1);
  // The text may also be the name of a suggestion, such as "Yesterday (2026-11-20)" (basics/choices.ts).
  const [, year = "", month = "", day = ""] = /(?:^|\()(\d{4})-(\d{1,2})-(\d{1,2})\)?$/.exec(word) ?? [];
  const date = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const at = utcStart(date);
  // `Date` reads the 31st of February as the 3rd of March. Years before 100 are typing errors.
  const isDay = Number(year) >= 100 && !Number.isNaN(at) && new Date(at).toISOString().startsWith(date);
  if (!isDay) throw new ProblemError({ code: "bad_day", about: today });
  return date;
}

/** Both days are included. Throws a `ProblemError` if a text is no day, or if the last day is before the first. */
export function daysIn(typed: { readonly from?: string; readonly to?: string }, now: number, zone: Zone): Days {
  const today = zone.dayOf(now);
  const [from, to] = [typed.from, typed.to].map((day) => (day?.trim() ? dayIn(day, today) : undefined));
  if (from !== undefined && to !== undefined && from > to) throw new ProblemError({ code: "days_reversed" });
  return {
    ...(from === undefined ? {} : { from: zone.startOf(from) }),
    ...(to === undefined ? {} : { before: zone.startOf(dayAfter(to, 1)) }),
  };
}

export function suggestDays(typed: string, today: CalendarDay, locale: Locale): Choice[] {
  const say = texts(locale).exports;
  const firstOfMonth = `${today.slice(0, 7)}-01`;
  const lastOfLast = dayAfter(firstOfMonth, -1);
  const days: readonly (readonly [name: string, day: CalendarDay])[] = [
    [say.today, today],
    [say.yesterday, dayAfter(today, -1)],
    [say.daysAgo("7"), dayAfter(today, -7)],
    [say.daysAgo("30"), dayAfter(today, -30)],
    [say.thisMonth, firstOfMonth],
    [say.lastMonthBegan, `${lastOfLast.slice(0, 7)}-01`],
    [say.lastMonthEnded, lastOfLast],
  ];
  return suggest(typed, days, ([name, day]) => ({ name: `${name} (${day})`, value: day }));
}
