import { z } from "zod";

const dayMs = 24 * 60 * 60_000;

/** If fields are missing or malformed, as in the answers of some proxies, the values of a small bot apply. */
const limitSchema = z.object({
  total: z.int().positive().catch(1_000),
  remaining: z.int().nonnegative().catch(1_000),
  /** Ms. */
  reset_after: z.number().min(0).max(dayMs).catch(0),
  max_concurrency: z.int().positive().catch(1),
});
export type SessionLimit = z.infer<typeof limitSchema>;

const botSchema = z.object({
  url: z.string(),
  shards: z.int().positive().catch(1),
  session_start_limit: limitSchema,
});

/** Reads an answer to `GET /gateway/bot`. Throws a `TypeError` if the answer is not Discord's. */
export function gatewayBotIn(answer: unknown): z.infer<typeof botSchema> {
  const { data } = botSchema.safeParse(answer);
  if (data === undefined) throw new TypeError("this is no answer of Discord");
  return data;
}
