import { z } from "zod";
import { zoneName, zoneOf } from "../basics/zones.ts";

const minuteMs = 60_000;
const unitsMs = { m: minuteMs, h: 60 * minuteMs, d: 24 * 60 * minuteMs } as const;
const longestMs = 7 * unitsMs.d;

export const remindSettingsSchema = z.object({
  afterMs: z.number().min(minuteMs).max(longestMs),
  /**
   * Hours from 0 to 23. Quiet hours begin with `from` and end before `to`. `timeZone` is an IANA name; if it is undefined, the
   * server's time zone is used.
   */
  quiet: z
    .object({ from: z.int().min(0).max(23), to: z.int().min(0).max(23), timeZone: z.string().optional() })
    .optional()
    .catch(undefined),
});

export type RemindSettings = Readonly<z.infer<typeof remindSettingsSchema>>;

const durations = /^(\d{1,5})\s*(?:(m)(?:ins?|inutes?|inutos?)?|(h)(?:s|rs?|ours?|oras?)?|(d)(?:ays?|[ií]as?)?)\.?$/i;

/** Milliseconds of "30 minutes", "2h" or "1 dia", from a minute to a week. Undefined for any other text. */
export function durationIn(typed: string): number | undefined {
  const [, count = "", ...units] = durations.exec(typed.trim()) ?? [];
  const unit = units.find((one) => one !== undefined) ?? "";
  const ms = Number(count) * (unitsMs[unit.toLowerCase() as keyof typeof unitsMs] ?? 0);
  return ms >= minuteMs && ms <= longestMs ? ms : undefined;
}

const hours = /^(\d{1,2})(?::00)?\s*h?\s*[-–]\s*(\d{1,2})(?::00)?\s*h?$/i;

/** Reads a text such as "22-8". Undefined for any other text. */
export function quietIn(typed: string): { readonly from: number; readonly to: number } | undefined {
  const [, from, to] = (hours.exec(typed.trim()) ?? []).map(Number);
  const isHour = (hour: number | undefined): hour is number => hour !== undefined && hour < 24;
  return isHour(from) && isHour(to) && from !== to ? { from, to } : undefined;
}

export type QuietHours = NonNullable<ReturnType<typeof quietHoursOf>>;

/** Undefined if there are no quiet hours, or if this machine does not know their time zone. `serverZone` is an IANA name. */
export function quietHoursOf({ quiet }: RemindSettings, serverZone: string) {
  const name = quiet && zoneName(quiet.timeZone ?? serverZone);
  return quiet === undefined || name === undefined ? undefined : { from: quiet.from, to: quiet.to, zone: zoneOf(name) };
}

/** `at` is epoch ms. */
export function isQuiet({ from, to, zone }: QuietHours, at: number): boolean {
  const hour = zone.hourOf(at);
  return from < to ? from <= hour && hour < to : from <= hour || hour < to;
}
