import { z } from "zod";
import type { Span } from "../basics/stats.ts";
import { type CalendarDay, dayAfter, weekdayOf, type Zone, zoneOf } from "../basics/zones.ts";
import { type DigestPlan, digestName, type Rhythm } from "../guilds/digest-settings.ts";
import { digestZoneNameOf, type Guild } from "../guilds/guild.ts";
import type { Storage, TableShape } from "../storage/table.ts";

const stateSchema = z.object({
  /** The last digest that was posted, and when (epoch ms). */
  done: z.object({ ...digestName, at: z.number() }).optional(),
});

export type DigestState = Readonly<z.infer<typeof stateSchema>>;

/**
 * Keys are server ids. The commit that removes a posted digest from the outbox writes this row. If the row is malformed, the
 * latest digest may be posted again.
 */
export const digestStatesTable: TableShape<DigestState> = {
  name: "digest-states",
  schema: stateSchema.catch({}),
  version: 1,
};

export const digestStateOf = async (storage: Pick<Storage, "table">, guildId: string): Promise<DigestState> =>
  (await storage.table(digestStatesTable).get(guildId)) ?? {};

export const digestZone = (guild: Guild): Zone => zoneOf(digestZoneNameOf(guild));

const monday = 1;
/** The day of the latest digest on or before `day`. Weekly digests come on Mondays. */
export const digestDay = (every: Rhythm, day: CalendarDay): CalendarDay =>
  every === "day" ? day : dayAfter(day, monday - weekdayOf(day));
/** `day` is the day of a digest. */
const digestDayAfter = (every: Rhythm, day: CalendarDay): CalendarDay => dayAfter(day, every === "day" ? 1 : 7);
/** The days that the digest of `day` covers. */
export const digestSpan = (every: Rhythm, day: CalendarDay): Span => ({
  from: dayAfter(day, every === "day" ? -1 : -7),
  to: dayAfter(day, -1),
});

export interface DueDigest {
  readonly day: string;
  /** Epoch ms. */
  readonly dueAt: number;
  /** How many earlier digests were never posted: at most 400; 0 if unknown. */
  readonly missed: number;
  /** True if a clock was fast when the last digest was recorded. Then the due digest may have been posted already. */
  readonly isUnsure: boolean;
}

/** More than a year of daily digests. */
const mostMissed = 400;

/**
 * The clocks of two processes differ by less than this. If `plan.since` is further in the future, the clock was fast when the
 * plan (the settings of digests) was chosen.
 */
const mostAheadMs = 24 * 60 * 60_000;

/**
 * `latest`: the day of the newest digest that was due. `due`: that digest, if it has to be posted. `nextAt`: when the next
 * digest is due. Times are epoch ms. Stored times are ignored if they show that a clock was fast.
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
  // After a change of the server's time zone, `last.day` may be in the future. If `last.at` is in the future, too, the digest
  // was recorded while a clock was fast.
  const isKnown = last !== undefined && (last.day <= zone.dayOf(now) || last.at <= now);
  const doneDay = isKnown ? last.day : undefined;
  const isOpen = (day: string) => day > (doneDay ?? "") && at(day) > (since ?? 0);
  let day = digestDay(every, zone.dayOf(now));
  if (at(day) > now) day = before(day);
  let next = digestDayAfter(every, day);
  while (next <= (doneDay ?? "")) next = digestDayAfter(every, next);
  const nextAt = at(next);
  if (!isOpen(day)) return { latest: day, due: undefined, nextAt };
  // If a clock was fast, it is unknown which digests were posted.
  const isCounted = doneDay !== undefined || (last === undefined && since !== undefined);
  let missed = 0;
  for (let one = before(day); isCounted && isOpen(one) && missed < mostMissed; one = before(one)) missed += 1;
  return { latest: day, due: { day, dueAt: at(day), missed, isUnsure: last !== undefined && !isKnown }, nextAt };
}
