import { z } from "zod";
import { longestReminderDays } from "../basics/limits/limits-in-texts.ts";
import { quietSchema } from "./quiet-hours.ts";

const minuteMs = 60_000;
const unitsMs = { m: minuteMs, h: 60 * minuteMs, d: 24 * 60 * minuteMs } as const;
const longestMs = longestReminderDays * unitsMs.d;

export const remindSettingsSchema = z.object({
  afterMs: z.number().min(minuteMs).max(longestMs),
  quiet: quietSchema.optional().catch(undefined),
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
