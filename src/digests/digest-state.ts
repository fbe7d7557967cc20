import { z } from "zod";
import { dayAfter, type Zone } from "../basics/zones.ts";
import { type DigestPlan, rhythms } from "../guilds/digest-settings.ts";
import { digestDay, digestDayAfter } from "../reports/days.ts";
import type { TableShape } from "../storage/table.ts";

/** Which of a server's digests: a day of one rhythm is not that of another. */
const nameSchema = z.object({ every: z.enum(rhythms), day: z.string() });

const stateSchema = z.object({
  /** The last digest that was posted, or that a later one took the place of, and when that was found (epoch ms). */
  done: nameSchema.extend({ at: z.number() }).optional(),
  /** A digest that is about to be sent, and every channel to which it may have been. */
  sending: nameSchema.extend({ channelIds: z.array(z.string()) }).optional(),
});

/** How far one server's digests are. */
export type DigestState = Readonly<z.infer<typeof stateSchema>>;

/**
 * By the ids of servers, 200 bytes each; written only by the process that polls the server. What is malformed says
 * nothing: a digest that may have been posted is looked for in its channel first.
 */
export const digestStatesTable: TableShape<DigestState> = {
  name: "digest-states",
  schema: stateSchema.catch({}),
  version: 1,
};

/** A digest that is to be posted. */
export interface DueDigest {
  /** The day on which it is due. */
  readonly day: string;
  /** Epoch ms. */
  readonly dueAt: number;
  /** Digests before it that were never posted. */
  readonly missed: number;
}

/** Digests that are counted as missed: more than a year of them. */
const mostMissed = 400;

/** Clocks of several processes differ by less: a plan that was chosen later than so long after now is of a clock that was fast. */
const mostAheadMs = 24 * 60 * 60_000;

/**
 * The latest digest that was due until `now` (epoch ms) and was not posted; and when the next one is due. What a clock that
 * was fast put down for a time that is still to come holds nothing back.
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
  // A day that is still to come may have begun in the time zone that was chosen before.
  const isKnown = last !== undefined && (last.day <= zone.dayOf(now) || last.at <= now);
  const doneDay = isKnown ? last.day : undefined;
  const isOpen = (day: string) => day > (doneDay ?? "") && at(day) > (since ?? 0);
  let day = digestDay(every, zone.dayOf(now));
  if (at(day) > now) day = before(day);
  let next = digestDayAfter(every, day);
  while (next <= (doneDay ?? "")) next = digestDayAfter(every, next);
  const nextAt = at(next);
  if (!isOpen(day)) return { due: undefined, nextAt };
  // Where a clock was fast, nothing says which were posted.
  const isCounted = doneDay !== undefined || (last === undefined && since !== undefined);
  let missed = 0;
  for (let one = before(day); isCounted && isOpen(one) && missed < mostMissed; one = before(one)) missed += 1;
  return { due: { day, dueAt: at(day), missed }, nextAt };
}
