/** A day of a calendar, such as 2026-11-21. */
export type CalendarDay = string;

const dayMs = 24 * 60 * 60_000;
const secondMs = 1_000;
/** No zone is further from UTC than 14 hours, and none has ever left out more than a day. */
const earliestStartMs = -15 * 60 * 60_000;
const latestStartMs = 39 * 60 * 60_000;
/** Every offset of today's zones is a multiple of this, so within it the hour is the same. */
const quarterMs = 15 * 60_000;
/** Moments of which the hour is remembered: a month has fewer quarters. */
const mostRemembered = 10_000;

/** What a calendar and a clock on a wall of this zone show. */
export interface Zone {
  /** As IANA has it. */
  readonly name: string;
  dayOf(ms: number): CalendarDay;
  /** From 0 to 23. */
  hourOf(ms: number): number;
  /** The first moment of a day, which is not midnight everywhere; of a day that was left out, that of the next one. Epoch ms. */
  startOf(day: CalendarDay): number;
  /** The first moment of a day at which the clock shows this hour, or a later one where this hour is left out. Epoch ms. */
  atHour(day: CalendarDay, hour: number): number;
}

/** So many days later, or earlier. */
export const dayAfter = (day: CalendarDay, days: number): CalendarDay =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * dayMs).toISOString().slice(0, 10);

/** 1 is Monday, 7 is Sunday. */
export const weekdayOf = (day: CalendarDay): number => new Date(`${day}T00:00:00Z`).getUTCDay() || 7;

/** From one day to another, both of them included. */
export function daysFrom(from: CalendarDay, to: CalendarDay): CalendarDay[] {
  const days: CalendarDay[] = [];
  for (let day = from; day <= to; day = dayAfter(day, 1)) days.push(day);
  return days;
}

/** The zone as IANA writes it; undefined for what is none. An offset such as +03:00 is none: it knows no daylight saving. */
export function zoneName(typed: string): string | undefined {
  const name = typed.trim().replaceAll(" ", "_");
  if (!/^[a-z][\w+/-]{1,63}$/i.test(name)) return undefined;
  const listed = zoneNames().find((one) => one.toLowerCase() === name.toLowerCase());
  if (listed !== undefined) return listed;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

let names: readonly string[] | undefined;
/** All that Node knows, by name. */
export function zoneNames(): readonly string[] {
  names ??= [...new Set(["UTC", ...Intl.supportedValuesOf("timeZone")])];
  return names;
}

/** @param name as {@link zoneName} gives it; throws a `RangeError` for any other */
export function zoneOf(name: string): Zone {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone: name,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    hourCycle: "h23",
  });
  const hours = new Map<number, number>();

  /** Such as 2026-11-21T09: in the sequence of time, but for an hour that a clock shows twice. */
  function shown(ms: number): string {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
    return `${(parts.year ?? "").padStart(4, "0")}-${parts.month}-${parts.day}T${parts.hour}`;
  }

  /** The first moment from which on this or something later is shown. */
  function firstOf(day: CalendarDay, wanted: string): number {
    const midnight = Date.parse(`${day}T00:00:00Z`);
    let [before, from] = [(midnight + earliestStartMs) / secondMs, (midnight + latestStartMs) / secondMs];
    while (from - before > 1) {
      const middle = Math.floor((before + from) / 2);
      if (shown(middle * secondMs) >= wanted) from = middle;
      else before = middle;
    }
    return from * secondMs;
  }

  return {
    name,
    dayOf: (ms) => shown(ms).slice(0, 10),
    hourOf(ms) {
      const quarter = Math.floor(ms / quarterMs);
      const known = hours.get(quarter);
      if (known !== undefined) return known;
      const hour = Number(shown(ms).slice(-2));
      if (hours.size >= mostRemembered) hours.clear();
      hours.set(quarter, hour);
      return hour;
    },
    startOf: (day) => firstOf(day, day),
    atHour: (day, hour) => firstOf(day, `${day}T${String(hour).padStart(2, "0")}`),
  };
}
