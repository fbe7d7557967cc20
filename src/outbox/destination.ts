import type { DigestPlan } from "../guilds/digest-settings.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Rule } from "../guilds/rule.ts";

export interface Destination {
  readonly channelId: string;
  readonly roleId?: string | undefined;
  readonly showsCustomers: boolean;
  /** Undefined for the alert channel. */
  readonly rule?: Rule;
  /** Set if the message goes to the alert channel because the channel of this rule is lost. */
  readonly fallbackFor?: Rule;
  readonly digest?: DigestPlan;
}

/** The destination of the rule with this id, or the alert channel if there is no such rule. Undefined if alerts are off. */
export function destinationOf({ alerts, routes = [] }: Guild, ruleId: string | undefined): Destination | undefined {
  const rule = ruleId === undefined ? undefined : routes.find(({ id }) => id === ruleId);
  if (alerts === undefined) return undefined;
  if (rule === undefined) return { channelId: alerts.channelId, roleId: alerts.roleId, showsCustomers: true };
  const { channelId, roleId } = rule;
  const showsCustomers = rule.showsCustomers === true || channelId === alerts.channelId;
  return { channelId, roleId, showsCustomers, rule };
}

/** As `destinationOf`. But if the channel of a `staff` rule is lost, the result is the alert channel. */
export function workingDestination(
  guild: Guild,
  ruleId: string | undefined,
  channels: { isLost(channelId: string): boolean },
): Destination | undefined {
  const place = destinationOf(guild, ruleId);
  const own = destinationOf(guild, undefined);
  const isOwn = place?.channelId === own?.channelId;
  if (place?.rule?.style !== "staff" || isOwn || !channels.isLost(place.channelId)) return place;
  return own && { ...own, fallbackFor: place.rule };
}

/**
 * The id of the rule that decides where replies and reminders of a posted alert go. Undefined for the alert channel. If the
 * alert's rule was removed, a staff rule with the same channel decides, because an owner may have added the rule again.
 */
export function ruleOfPosted(
  guild: Guild,
  { route, channelId }: { readonly route?: string | undefined; readonly channelId: string },
): string | undefined {
  if (route === undefined || destinationOf(guild, route)?.channelId === channelId) return route;
  if (channelId === guild.alerts?.channelId) return undefined;
  return guild.routes?.find((one) => one.style === "staff" && one.channelId === channelId)?.id;
}
