import { z } from "zod";
import { zoneName, zoneOf } from "../basics/zones.ts";

const minuteMs = 60_000;
const unitsMs = { m: minuteMs, h: 60 * minuteMs, d: 24 * 60 * minuteMs } as const;
const longestMs = 7 * unitsMs.d;

/** The reminder settings within a server's record. */
export const remindSettingsSchema = z.object({
  afterMs: z.number().min(minuteMs).max(longestMs),
  /**
   * Hours of the day from 0 to 23. Quiet hours begin with `from` and end before `to`. `timeZone` is an IANA name; if it is
   * undefined, the server's time zone is used.
   */
  quiet: z
    .object({ from: z.int().min(0).max(23), to: z.int().min(0).max(23), timeZone: z.string().optional() })
    .optional()
    .catch(undefined),
});

/** When reminders of one server are due, with its quiet hours. */
export type RemindSettings = Readonly<z.infer<typeof remindSettingsSchema>>;

const durations = /^(\d{1,5})\s*(?:(m)(?:ins?|inutes?|inutos?)?|(h)(?:s|rs?|ours?|oras?)?|(d)(?:ays?|[ií]as?)?)\.?$/i;

/**
 * Returns the milliseconds of a typed duration from a minute to a week, such as "30 minutes", "2h" or "1 dia". Undefined for
 * any other text.
 */
export function durationIn(typed: string): number | undefined {
  const [, count = "", ...units] = durations.exec(typed.trim()) ?? [];
  const unit = units.find((one) => one !== undefined) ?? "";
  const ms = Number(count) * (unitsMs[unit.toLowerCase() as keyof typeof unitsMs] ?? 0);
  return ms >= minuteMs && ms <= longestMs ? ms : undefined;
}

const hours = /^(\d{1,2})(?::00)?\s*h?\s*[-–]\s*(\d{1,2})(?::00)?\s*h?$/i;

/** Returns the two hours of a typed range, such as "22-8". Undefined for any other text. */
export function quietIn(typed: string): { readonly from: number; readonly to: number } | undefined {
  const [, from, to] = (hours.exec(typed.trim()) ?? []).map(Number);
  const isHour = (hour: number | undefined): hour is number => hour !== undefined && hour < 24;
  return isHour(from) && isHour(to) && from !== to ? { from, to } : undefined;
}

/** Hours without reminders in a time zone: from `from` until before `to`. */
export type QuietHours = NonNullable<ReturnType<typeof quietHoursOf>>;

/**
 * Returns the hours without reminders. Undefined if there are none, or if this machine does not know their time zone.
 *
 * @param serverZone IANA name
 */
export function quietHoursOf({ quiet }: RemindSettings, serverZone: string) {
  const name = quiet && zoneName(quiet.timeZone ?? serverZone);
  return quiet === undefined || name === undefined ? undefined : { from: quiet.from, to: quiet.to, zone: zoneOf(name) };
}

/** Whether a time is within the quiet hours. `at` is epoch ms. */
export function isQuiet({ from, to, zone }: QuietHours, at: number): boolean {
  const hour = zone.hourOf(at);
  return from < to ? from <= hour && hour < to : from <= hour || hour < to;
}
