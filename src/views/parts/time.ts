import type { Locale } from "../../basics/locale.ts";
import { dash } from "./text.ts";

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** Shows days of a calendar, each by its start in UTC. Kept as those of numbers are. */
export function dayFormat(locale: Locale, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = dayFormats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
  dayFormats.set(key, format);
  return format;
}

/** When a day such as 2026-11-21 begins in UTC, in epoch ms. */
export const utcStart = (day: string): number => Date.parse(`${day}T00:00:00Z`);

/** The last moment that a Date can hold (ECMAScript, time values); Discord shows no later one. */
const latestMs = 8.64e15;

function seconds(epochMs: number | undefined): number | undefined {
  if (epochMs === undefined || !(Math.abs(epochMs) <= latestMs)) return undefined;
  return Math.floor(epochMs / 1000);
}

/** "3 hours ago", kept current by Discord; a dash for no time. */
export function relativeTime(epochMs: number | undefined): string {
  const at = seconds(epochMs);
  return at === undefined ? dash : `<t:${at}:R>`;
}

/** For an embed, which shows it in the reader's zone and language; nothing for no time, or one that no calendar has. */
export function isoTime(epochMs: number | undefined): { readonly timestamp?: string } {
  const at = epochMs === undefined ? undefined : new Date(epochMs);
  const isFit = at !== undefined && at.getUTCFullYear() >= 1970 && at.getUTCFullYear() <= 9999;
  return isFit ? { timestamp: at.toISOString() } : {};
}

/** Date and time in the reader's own zone and language, by Discord; a dash for no time. */
export function dateTime(epochMs: number | undefined): string {
  const at = seconds(epochMs);
  return at === undefined ? dash : `<t:${at}:f>`;
}

/** As {@link dateTime}, and how long ago. */
export function when(epochMs: number | undefined): string {
  const at = seconds(epochMs);
  return at === undefined ? dash : `<t:${at}:f> (<t:${at}:R>)`;
}
