import { z } from "zod";
import { dayAfter, type Zone } from "../basics/zones.ts";
import { type DigestPlan, rhythms } from "../guilds/digest-settings.ts";
import { digestDay, digestDayAfter } from "../reports/days.ts";
import type { TableShape } from "../storage/table.ts";

/** Names one digest of a server. Daily and weekly digests of the same day are different. */
const nameSchema = z.object({ every: z.enum(rhythms), day: z.string() });

const stateSchema = z.object({
  /** The last digest that was posted, or skipped for a later one, and when (epoch ms). */
  done: nameSchema.extend({ at: z.number() }).optional(),
  /** A digest that is about to be sent, and every channel to which it may have been sent. */
  sending: nameSchema.extend({ channelIds: z.array(z.string()) }).optional(),
});

/** Which digest of a server was posted last, and which is being sent. */
export type DigestState = Readonly<z.infer<typeof stateSchema>>;

/**
 * By the ids of servers, 200 bytes each. Only the process that polls the server writes it. A malformed row counts as empty: a
 * digest that may have been posted is looked for in its channel first.
 */
export const digestStatesTable: TableShape<DigestState> = {
  name: "digest-states",
  schema: stateSchema.catch({}),
  version: 1,
};

/** A digest that has to be posted. */
export interface DueDigest {
  /** The day on which it is due. */
  readonly day: string;
  /** Epoch ms. */
  readonly dueAt: number;
  /** Earlier digests that were never posted. */
  readonly missed: number;
}

/** Most digests that are counted as missed: more than a year of them. */
const mostMissed = 400;

/**
 * The clocks of several processes differ by less than this. A plan chosen later than this after now comes from a clock that was
 * fast.
 */
const mostAheadMs = 24 * 60 * 60_000;

/**
 * The latest digest that was due until `now` (epoch ms) and is not posted yet; and when the next one is due. A record of a future
 * time, from a clock that was fast, does not delay it.
 */
export function digestsAt(
  { plan, done }: Pick<DigestState, "done"> & { readonly plan: DigestPlan },
  zone: Zone,
  now: number,
): { readonly due: DueDigest | undefined; readonly nextAt: number } {
  const { every, hour } = plan;
  const at = (day: string) => zone.atHour(day, hour);
  const before = (day: string) => digestDay(every, dayAfter(day, -1));
  const since = plan.since <= now + mostAheadMs ? plan.since : undefined;
  const last = done?.every === every ? done : undefined;
  // A day in the future may have begun already in the time zone that was chosen before.
  const isKnown = last !== undefined && (last.day <= zone.dayOf(now) || last.at <= now);
  const doneDay = isKnown ? last.day : undefined;
  const isOpen = (day: string) => day > (doneDay ?? "") && at(day) > (since ?? 0);
  let day = digestDay(every, zone.dayOf(now));
  if (at(day) > now) day = before(day);
  let next = digestDayAfter(every, day);
  while (next <= (doneDay ?? "")) next = digestDayAfter(every, next);
  const nextAt = at(next);
  if (!isOpen(day)) return { due: undefined, nextAt };
  // If a clock was fast, it is unknown which digests were posted.
  const isCounted = doneDay !== undefined || (last === undefined && since !== undefined);
  let missed = 0;
  for (let one = before(day); isCounted && isOpen(one) && missed < mostMissed; one = before(one)) missed += 1;
  return { due: { day, dueAt: at(day), missed }, nextAt };
}
