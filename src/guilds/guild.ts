import { z } from "zod";
import { discordIdSchema } from "../basics/discord-id.ts";
import { mostRules } from "../basics/limits/limits-in-texts.ts";
import { locales } from "../basics/locale.ts";
import { zoneName } from "../basics/zones.ts";
import { digestSettingsSchema } from "./digest-settings.ts";
import { remindSettingsSchema } from "./remind-settings.ts";
import { ruleSchema } from "./rule.ts";

/** `none` shows the least of a customer, `full` the most. `/store settings` compares the positions in this list. */
export const privacies = ["none", "masked", "full"] as const;
export type Privacy = (typeof privacies)[number];

const timeSchema = z.number().int().nonnegative();

/** The record of one Discord server (called guild in the API). Times are epoch ms. */
export const guildSchema = z.strictObject({
  id: discordIdSchema,
  settings: z.strictObject({
    /** ISO 4217. */
    currency: z.string().optional(),
    language: z.enum(locales),
    privacy: z.enum(privacies),
    staffRoleId: discordIdSchema.optional(),
    /** IANA name, for all days and hours. Digests and quiet hours can have another time zone. */
    timezone: z.string().optional(),
  }),
  token: z
    .strictObject({
      sealed: z.string().min(1),
      last4: z.string(),
      since: timeSchema,
      /** When the store first refused the token. Only version 0.1.0 wrote this. */
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
  /** If several rules of style `staff` match an order, only the first of them applies. */
  routes: z.array(ruleSchema).max(mostRules).optional(),
  /** A malformed value turns reminders off. */
  remind: remindSettingsSchema.optional().catch(undefined),
  /** A malformed value turns digests off. */
  digest: digestSettingsSchema.optional().catch(undefined),
  /** When a check first found that the bot is not in the server. */
  missingSince: timeSchema.optional(),
});

export type Guild = z.infer<typeof guildSchema>;

export function newGuild(id: string): Guild {
  return { id, settings: { language: "en", privacy: "none" } };
}

export const isPolled = (guild: Pick<Guild, "alerts" | "digest"> | undefined): boolean =>
  guild?.alerts !== undefined || guild?.digest?.plan !== undefined;

/** IANA name. UTC if no zone was chosen, or if this machine does not know the zone. */
export const zoneNameOf = ({ settings }: Pick<Guild, "settings">): string => zoneName(settings.timezone ?? "") ?? "UTC";

/** IANA name. {@link zoneNameOf} if no zone was chosen for digests, or if this machine does not know the zone. */
export const digestZoneNameOf = (guild: Pick<Guild, "settings" | "digest">): string =>
  zoneName(guild.digest?.timezone ?? "") ?? zoneNameOf(guild);

/**
 * If the new settings change the digests' time zone, a digest whose hour has already passed in the new zone is not posted.
 * `now`: epoch ms.
 */
export function withSettings(guild: Guild, settings: Guild["settings"], now: number): Guild {
  const next = { ...guild, settings };
  const { plan } = guild.digest ?? {};
  if (plan === undefined || digestZoneNameOf(next) === digestZoneNameOf(guild)) return next;
  return { ...next, digest: { ...guild.digest, plan: { ...plan, since: now } } };
}
