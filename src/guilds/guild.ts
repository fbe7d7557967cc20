import { z } from "zod";
import { discordIdSchema } from "../basics/discord-id.ts";
import { locales } from "../basics/locale.ts";
import { zoneName } from "../basics/zones.ts";
import { digestSettingsSchema } from "./digest-settings.ts";
import { remindSettingsSchema } from "./remind-settings.ts";
import { mostRules, ruleSchema } from "./rule.ts";

const privacySchema = z.enum(["none", "masked", "full"]);
const localeSchema = z.enum(locales);
const timeSchema = z.number().int().nonnegative();

/** What is kept for one Discord server. Times are epoch milliseconds. */
export const guildSchema = z.strictObject({
  id: discordIdSchema,
  settings: z.strictObject({
    /** ISO 4217 code. */
    currency: z.string().optional(),
    language: localeSchema,
    /** How much of a customer is shown. */
    privacy: privacySchema,
    staffRoleId: discordIdSchema.optional(),
    /** As IANA has it. Used for all days and hours for which no other time zone was chosen. */
    timezone: z.string().optional(),
  }),
  token: z
    .strictObject({
      sealed: z.string().min(1),
      last4: z.string(),
      since: timeSchema,
      /** When the store refused it first. Only 0.1.0 wrote this. */
      refusedAt: timeSchema.optional(),
    })
    .optional(),
  alerts: z
    .strictObject({
      channelId: discordIdSchema,
      roleId: discordIdSchema.optional(),
      statuses: z.array(z.string()),
      since: timeSchema,
    })
    .optional(),
  /** Rules about where orders are posted: instead of the alert channel, or in addition to it. The first rule that fits wins. */
  routes: z.array(ruleSchema).max(mostRules).optional(),
  /** Reminders of orders that no person took. A malformed value turns reminders off. */
  remind: remindSettingsSchema.optional().catch(undefined),
  /** Digests. A malformed value turns digests off. */
  digest: digestSettingsSchema.optional().catch(undefined),
  /** When the bot was first found not to be in the server. */
  missingSince: timeSchema.optional(),
});

export type Guild = z.infer<typeof guildSchema>;

/** The record of a server of which nothing is kept yet. */
export function newGuild(id: string): Guild {
  return { id, settings: { language: "en", privacy: "none" } };
}

/** The server's time zone as IANA has it: UTC if none was chosen, or this machine does not know it. */
export const zoneNameOf = ({ settings }: Pick<Guild, "settings">): string => zoneName(settings.timezone ?? "") ?? "UTC";

/** The time zone of the server's digests: the server's if none was chosen for them, or this machine does not know it. */
export const digestZoneNameOf = (guild: Pick<Guild, "settings" | "digest">): string =>
  zoneName(guild.digest?.timezone ?? "") ?? zoneNameOf(guild);

/**
 * The record with other settings. If the time zone of its digests changes with them, no digest is due for an hour that is already
 * over there.
 *
 * @param now epoch ms
 */
export function withSettings(guild: Guild, settings: Guild["settings"], now: number): Guild {
  const next = { ...guild, settings };
  const { plan } = guild.digest ?? {};
  if (plan === undefined || digestZoneNameOf(next) === digestZoneNameOf(guild)) return next;
  return { ...next, digest: { ...guild.digest, plan: { ...plan, since: now } } };
}
