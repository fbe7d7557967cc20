import { z } from "zod";

/** How often a digest is posted. */
export const rhythms = ["day", "week"] as const;
export type Rhythm = (typeof rhythms)[number];

const planSchema = z.object({
  channelId: z.string(),
  every: z.enum(rhythms),
  /** The hour of the day, from 0 to 23. */
  hour: z.number(),
  /** When these settings were saved (epoch ms). Digests that were due before are not posted. */
  since: z.number(),
});

/** The digest settings within a server's record. */
export const digestSettingsSchema = z.object({
  /** IANA name of the time zone. If it is undefined, the server's time zone is used. */
  timezone: z.string().optional(),
  /** Undefined if digests are off. */
  plan: planSchema.optional(),
});

/** The channel and times of a server's digests. */
export type DigestPlan = Readonly<z.infer<typeof planSchema>>;
