import { z } from "zod";
import { dayAfter, type Zone, zoneName } from "../basics/zones.ts";
import { digestDay, digestDayAfter, rhythms } from "../reports/periods.ts";
import type { TableShape } from "../storage/table.ts";

const planSchema = z.object({
  channelId: z.string(),
  every: z.enum(rhythms),
  /** Of the day, from 0 to 23. */
  hour: z.number(),
  /** When this was chosen, epoch ms: nothing that was due before is posted. */
  since: z.number(),
});
const blockedSchema = z.object({
  reason: z.enum(["channel_gone", "forbidden"]),
  since: z.number(),
  /** Whether the owner was told. */
  told: z.boolean(),
});

const recordSchema = z.object({
  /** As IANA has it; a zone that is known no more is UTC. */
  timezone: z
    .string()
    .transform((name) => zoneName(name) ?? "UTC")
    .default("UTC"),
  /** None where digests are off. */
  plan: planSchema.optional(),
  /** The day of the last digest that was posted, or that a later one took the place of. */
  done: z.string().optional(),
  /** A digest that is about to be sent, and every channel to which it may have been. */
  sending: z.object({ day: z.string(), channelIds: z.array(z.string()) }).optional(),
  blocked: blockedSchema.optional(),
});

/** What is kept of one server's digests. */
export type DigestRecord = Readonly<z.infer<typeof recordSchema>>;
export type DigestPlan = Readonly<z.infer<typeof planSchema>>;

export const noDigest: DigestRecord = { timezone: "UTC" };

/** By the ids of servers, 400 bytes each. What is malformed is no digest. */
export const digestsTable: TableShape<DigestRecord> = {
  name: "digests",
  schema: recordSchema.catch(noDigest),
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

/** The latest digest that was due until `now` (epoch ms) and was not posted; and when the next one is due. */
export function digestsAt(
  { plan, done = "" }: Pick<DigestRecord, "done"> & { readonly plan: DigestPlan },
  zone: Zone,
  now: number,
): { readonly due: DueDigest | undefined; readonly nextAt: number } {
  const { every, hour, since } = plan;
  const at = (day: string) => zone.atHour(day, hour);
  const before = (day: string) => digestDay(every, dayAfter(day, -1));
  const isOpen = (day: string) => day > done && at(day) > since;
  let day = digestDay(every, zone.dayOf(now));
  if (at(day) > now) day = before(day);
  let next = digestDayAfter(every, day);
  while (next <= done) next = digestDayAfter(every, next);
  const nextAt = at(next);
  if (!isOpen(day)) return { due: undefined, nextAt };
  let missed = 0;
  for (let one = before(day); isOpen(one) && missed < mostMissed; one = before(one)) missed += 1;
  return { due: { day, dueAt: at(day), missed }, nextAt };
}
