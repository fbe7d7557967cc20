import { z } from "zod";

export const rhythms = ["day", "week"] as const;
export type Rhythm = (typeof rhythms)[number];

/** A daily and a weekly digest of the same day are different digests. */
export const digestName = { every: z.enum(rhythms), day: z.string() };

const planSchema = z.object({
  channelId: z.string(),
  every: z.enum(rhythms),
  /** From 0 to 23. */
  hour: z.number(),
  /** When these settings were saved (epoch ms). Digests that were due before that are not posted. */
  since: z.number(),
});

export const digestSettingsSchema = z.object({
  /** IANA name. If it is undefined, the server's time zone is used. */
  timezone: z.string().optional(),
  /** Undefined if digests are off. */
  plan: planSchema.optional(),
});

export type DigestPlan = Readonly<z.infer<typeof planSchema>>;
