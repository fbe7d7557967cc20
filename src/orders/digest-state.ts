import { z } from "zod";
import { dayAfter, type Zone, zoneOf } from "../basics/zones.ts";
import { type DigestPlan, rhythms } from "../guilds/digest-settings.ts";
import { digestZoneNameOf, type Guild } from "../guilds/guild.ts";
import { digestDay, digestDayAfter } from "../reports/days.ts";
import type { TableShape } from "../storage/table.ts";

/** The fields that identify one digest of a server. A daily and a weekly digest of the same day are different digests. */
export const digestName = { every: z.enum(rhythms), day: z.string() };

const stateSchema = z.object({
  /** The last digest that was posted, and when (epoch ms). */
  done: z.object({ ...digestName, at: z.number() }).optional(),
});

/** The last digest of a server. */
export type DigestState = Readonly<z.infer<typeof stateSchema>>;

/**
 * Keys are server ids. A row is written in the commit that removes the digest from the outbox. A malformed row reads as empty:
 * the latest digest may then be posted again.
 */
export const digestStatesTable: TableShape<DigestState> = {
  name: "digest-states",
  schema: stateSchema.catch({}),
  version: 1,
};

export const digestZone = (guild: Guild): Zone => zoneOf(digestZoneNameOf(guild));

/** A digest that has to be posted. */
export interface DueDigest {
  readonly day: string;
  /** Epoch ms. */
  readonly dueAt: number;
  /** Number of earlier digests that were never posted. */
  readonly missed: number;
  /** Whether it may have been posted already: the last digest was recorded while a clock was fast. */
  readonly isUnsure: boolean;
}

/** Maximum number of digests that are counted as missed: more than a year of them. */
const mostMissed = 400;

/**
 * The clocks of several processes differ by less than this. If the time at which a plan (the settings of digests) was chosen is
 * further in the future, the clock was fast at that time.
 */
const mostAheadMs = 24 * 60 * 60_000;

/**
 * Returns the day of the latest digest whose hour is over at `now` (epoch ms), that digest if it has to be posted, and when the
 * next one is due. A time in the future, recorded while a clock was fast, does not delay a digest.
 */
export function digestsAt(
  { plan, done }: Pick<DigestState, "done"> & { readonly plan: DigestPlan },
  zone: Zone,
  now: number,
): { readonly latest: string; readonly due: DueDigest | undefined; readonly nextAt: number } {
  const { every, hour } = plan;
  const at = (day: string) => zone.atHour(day, hour);
  const before = (day: string) => digestDay(every, dayAfter(day, -1));
  const since = plan.since <= now + mostAheadMs ? plan.since : undefined;
  const last = done?.every === every ? done : undefined;
  // A day in the future is valid if its digest was posted in the past: the server then had another time zone, in which the day
  // had already begun.
  const isKnown = last !== undefined && (last.day <= zone.dayOf(now) || last.at <= now);
  const doneDay = isKnown ? last.day : undefined;
  const isOpen = (day: string) => day > (doneDay ?? "") && at(day) > (since ?? 0);
  let day = digestDay(every, zone.dayOf(now));
  if (at(day) > now) day = before(day);
  let next = digestDayAfter(every, day);
  while (next <= (doneDay ?? "")) next = digestDayAfter(every, next);
  const nextAt = at(next);
  if (!isOpen(day)) return { latest: day, due: undefined, nextAt };
  // If a clock was fast, it is unknown which digests were posted, so none are counted as missed.
  const isCounted = doneDay !== undefined || (last === undefined && since !== undefined);
  let missed = 0;
  for (let one = before(day); isCounted && isOpen(one) && missed < mostMissed; one = before(one)) missed += 1;
  return { latest: day, due: { day, dueAt: at(day), missed, isUnsure: last !== undefined && !isKnown }, nextAt };
}
