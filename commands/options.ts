import { ChannelType } from "@discordjs/core";
import { suggestZones, zoneTyped } from "../src/basics/zone-choices.ts";
import { zoneOf } from "../src/basics/zones.ts";
import type { Caller } from "../src/discord/commands/caller.ts";
import type { Services } from "../src/discord/commands/services.ts";
import { type Guild, zoneNameOf } from "../src/guilds/guild.ts";
import type { Order } from "../src/store-api/schemas.ts";
import { suggestCategories } from "../src/store-queries/categories.ts";
import { suggestOrders } from "../src/store-queries/find-order.ts";
import { ProblemError } from "../src/views/parts/problem.ts";
import { suggestDays } from "./typed-days.ts";
import { statusesIn, statusesSeen, suggestStatuses } from "./typed-statuses.ts";

export const channelOption = {
  kind: "channel",
  required: true,
  channelTypes: [ChannelType.GuildText, ChannelType.GuildAnnouncement],
} as const;

/** The store may have sent the orders up to 20 s ago. */
export async function recentOrders(services: Services): Promise<readonly Order[]> {
  const { cache } = await services.connected();
  return cache.recentOrders();
}

/** Undefined if no status is typed. Recent orders only help with the spelling, so a failure to read them is ignored. */
export async function statusesTyped(typed: string | undefined, caller: Caller, services: Services) {
  const recent = typed ? await recentOrders(services).catch(() => []) : [];
  return statusesIn(typed, statusesSeen(recent), caller.locale);
}

/** `orderIdIn` reads the typed text. */
export const orderOption = {
  kind: "string",
  required: true,
  max: 1_000,
  async suggest(typed: string, { locale }: Caller, services: Services) {
    const shop = await services.connected();
    return suggestOrders(typed, locale, shop, shop.guild.settings);
  },
} as const;

/** A person types statuses separated by commas. */
export const statusesOption = {
  kind: "string",
  max: 500,
  suggest: async (typed: string, caller: Caller, services: Services) =>
    suggestStatuses(typed, statusesSeen(await recentOrders(services)), caller.locale),
} as const;

export const categoryOption = {
  kind: "string",
  max: 100,
  suggest: async (typed: string, _: Caller, services: Services) => suggestCategories(typed, await services.connected()),
} as const;

/** A day of the server begins and ends in this time zone. */
export const serverZone = (guild: Guild) => zoneOf(zoneNameOf(guild));

/** A day in {@link serverZone}. `daysIn` reads the typed text. */
export const dayOption = {
  kind: "string",
  max: 50,
  suggest: async (typed: string, { guildId, locale }: Caller, { guilds, now }: Services) =>
    suggestDays(typed, serverZone(await guilds.get(guildId)).dayOf(now()), locale),
} as const;

export const zoneOption = {
  kind: "string",
  max: 100,
  suggest: async (typed: string, { locale }: Caller, { now }: Services) => suggestZones(typed, now(), locale),
} as const;

/** Returns the IANA name. Throws a `ProblemError` if there is no such zone. */
export function zoneIn(typed: string): string {
  const zone = zoneTyped(typed);
  if (zone === undefined) throw new ProblemError({ code: "bad_zone" });
  return zone;
}
