import { z } from "zod";
import { zoneName, zoneOf } from "../basics/zones.ts";

const hourSchema = z.int().min(0).max(23);
/**
 * Quiet hours begin with `from` and end before `to`. `timeZone` is an IANA name; if it is undefined, the server's time zone is
 * used.
 */
export const quietSchema = z.object({ from: hourSchema, to: hourSchema, timeZone: z.string().optional() });
type Quiet = Readonly<z.infer<typeof quietSchema>>;

const hours = /^(\d{1,2})(?::00)?\s*h?\s*[-–]\s*(\d{1,2})(?::00)?\s*h?$/i;

/** Reads a text such as "22-8". Undefined for any other text. */
export function quietIn(typed: string): { readonly from: number; readonly to: number } | undefined {
  const [, from, to] = (hours.exec(typed.trim()) ?? []).map(Number);
  const isHour = (hour: number | undefined): hour is number => hour !== undefined && hour < 24;
  return isHour(from) && isHour(to) && from !== to ? { from, to } : undefined;
}

export type QuietHours = NonNullable<ReturnType<typeof quietHoursOf>>;

/** Undefined if there are no quiet hours, or if this machine does not know their time zone. `serverZone` is an IANA name. */
export function quietHoursOf(quiet: Quiet | undefined, serverZone: string) {
  const name = quiet && zoneName(quiet.timeZone ?? serverZone);
  return quiet === undefined || name === undefined ? undefined : { from: quiet.from, to: quiet.to, zone: zoneOf(name) };
}

/** `at` is epoch ms. */
export function isQuiet({ from, to, zone }: QuietHours, at: number): boolean {
  const hour = zone.hourOf(at);
  return from < to ? from <= hour && hour < to : from <= hour || hour < to;
}
