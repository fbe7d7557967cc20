import type { Locale } from "../../basics/locale.ts";
import { dash } from "./text.ts";

const dayFormats = new Map<string, Intl.DateTimeFormat>();

/** Call the format with the start of a day in UTC. Formats are cached, because making one takes 0.4 ms. */
export function dayFormat(locale: Locale, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = dayFormats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: "UTC" });
  dayFormats.set(key, format);
  return format;
}

function stamped(epochMs = Number.NaN, shown: (seconds: number) => string): string {
  return Number.isNaN(new Date(epochMs).getTime()) ? dash : shown(Math.floor(epochMs / 1000));
}

/** "3 hours ago", updated by Discord. */
export const relativeTime = (epochMs: number | undefined): string => stamped(epochMs, (at) => `<t:${at}:R>`);

/** Shown by Discord in the reader's zone and language. */
export const dateTime = (epochMs: number | undefined): string => stamped(epochMs, (at) => `<t:${at}:f>`);

export const when = (epochMs: number | undefined): string => stamped(epochMs, (at) => `<t:${at}:f> (<t:${at}:R>)`);

/** For an embed. Empty if there is no time, or if the year is not between 1970 and 9999. */
export function isoTime(epochMs: number | undefined): { readonly timestamp?: string } {
  const at = epochMs === undefined ? undefined : new Date(epochMs);
  const isFit = at !== undefined && at.getUTCFullYear() >= 1970 && at.getUTCFullYear() <= 9999;
  return isFit ? { timestamp: at.toISOString() } : {};
}
