import { ChannelType } from "@discordjs/core";
import { suggestZones, zoneTyped } from "../src/basics/zone-choices.ts";
import { zoneOf } from "../src/basics/zones.ts";
import type { Caller } from "../src/discord/commands/caller.ts";
import type { Services } from "../src/discord/commands/services.ts";
import { type Guild, zoneNameOf } from "../src/guilds/guild.ts";
import { suggestDays } from "../src/reports/days.ts";
import type { Order } from "../src/store-api/schemas.ts";
import { suggestCategories } from "../src/store-queries/categories.ts";
import { suggestOrders } from "../src/store-queries/find-order.ts";
import { statusesIn, statusesSeen, suggestStatuses } from "../src/store-queries/statuses.ts";
import { ProblemError } from "../src/views/parts/problem.ts";

/** A channel in which alerts or digests can be posted. */
export const channelOption = {
  kind: "channel",
  required: true,
  channelTypes: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
} as const;

/** Returns the store's newest orders, as they were read at most 20 s ago. */
export async function recentOrders(services: Services): Promise<readonly Order[]> {
  const { cache } = await services.connected();
  return cache.recentOrders();
}

/**
 * Reads typed statuses; undefined if none are typed. Recent orders only help with the spelling, so a failure to read
 * them is ignored.
 */
export async function statusesTyped(typed: string | undefined, caller: Caller, services: Services) {
  const recent = typed ? await recentOrders(services).catch(() => []) : [];
  return statusesIn(typed, statusesSeen(recent), caller.locale);
}

/** An option for the id of an order; `orderIdIn` reads it. Suggests the newest orders. */
export const orderOption = {
  kind: "string",
  required: true,
  max: 1_000,
  async suggest(typed: string, { locale }: Caller, services: Services) {
    const shop = await services.connected();
    return suggestOrders(typed, locale, shop, shop.guild.settings);
  },
} as const;

/** Statuses separated by commas. Suggests the statuses of the newest orders. */
export const statusesOption = {
  kind: "string",
  max: 500,
  suggest: async (typed: string, caller: Caller, services: Services) =>
    suggestStatuses(typed, statusesSeen(await recentOrders(services)), caller.locale),
} as const;

/** The id of a category. Suggests the categories of the newest products. */
export const categoryOption = {
  kind: "string",
  max: 100,
  suggest: async (typed: string, _: Caller, services: Services) => suggestCategories(typed, await services.connected()),
} as const;

/** The time zone that decides when a day of the server begins. */
export const serverZone = (guild: Guild) => zoneOf(zoneNameOf(guild));

/** An option for a day in {@link serverZone}; `daysIn` reads it. A suggestion's name has at most 50 characters. */
export const dayOption = {
  kind: "string",
  max: 50,
  suggest: async (typed: string, { guildId, locale }: Caller, { guilds, now }: Services) =>
    suggestDays(typed, serverZone(await guilds.get(guildId)).dayOf(now()), locale),
} as const;

/** A time zone. Suggestions show its present time. */
export const zoneOption = {
  kind: "string",
  max: 100,
  suggest: async (typed: string, { locale }: Caller, { now }: Services) => suggestZones(typed, now(), locale),
} as const;

/** Reads a time zone, and returns its IANA name. Throws a `ProblemError` for anything else. */
export function zoneIn(typed: string): string {
  const zone = zoneTyped(typed);
  if (zone === undefined) throw new ProblemError({ code: "bad_zone" });
  return zone;
}
