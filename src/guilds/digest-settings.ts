import { z } from "zod";

/** How often a digest comes. */
export const rhythms = ["day", "week"] as const;
export type Rhythm = (typeof rhythms)[number];

const planSchema = z.object({
  channelId: z.string(),
  every: z.enum(rhythms),
  /** Of the day, from 0 to 23. */
  hour: z.number(),
  /** When this was chosen, epoch ms: nothing that was due before is posted. */
  since: z.number(),
});

/** Kept in the server's record. */
export const digestSettingsSchema = z.object({
  /** As IANA has it; undefined: the server's time zone. */
  timezone: z.string().optional(),
  /** Undefined: digests are off. */
  plan: planSchema.optional(),
});

/** Where and when digests of one server are posted. */
export type DigestPlan = Readonly<z.infer<typeof planSchema>>;
