import type { DigestPlan } from "../guilds/digest-settings.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Rule } from "../guilds/rule.ts";

/** The channel in which messages are posted, and how they look there. */
export interface Destination {
  readonly channelId: string;
  readonly roleId: string | undefined;
  readonly showsCustomers: boolean;
  /** The rule that chose this channel; undefined for the alert channel. */
  readonly rule: Rule | undefined;
  /** The rule whose channel is lost. Set only if the message goes to the alert channel instead. */
  readonly fallbackFor?: Rule | undefined;
  /** The settings of digests that chose this channel. */
  readonly digest?: DigestPlan;
}

/**
 * Returns the destination that the rule with this id chose. If there is no such rule, returns the alert channel. If alerts are
 * off, returns undefined.
 */
export function destinationOf({ alerts, routes = [] }: Guild, ruleId: string | undefined): Destination | undefined {
  const rule = ruleId === undefined ? undefined : routes.find(({ id }) => id === ruleId);
  if (alerts === undefined) return undefined;
  if (rule === undefined) {
    return { channelId: alerts.channelId, roleId: alerts.roleId, showsCustomers: true, rule };
  }
  const { channelId, roleId } = rule;
  const showsCustomers = rule.showsCustomers === true || channelId === alerts.channelId;
  return { channelId, roleId, showsCustomers, rule };
}

/**
 * Returns the destination of the rule's messages. If the channel of a `staff` rule is lost, this is the alert channel. A public
 * line never goes there, but waits until its channel works. Without a rule, returns the alert channel. If alerts are off,
 * returns undefined.
 */
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
 * Returns the id of the rule that decides where replies and reminders of a posted alert go. Undefined means the alert channel.
 * The rule of the alert decides while it still posts in the channel of the posted alert. Otherwise another staff rule with the
 * same channel decides, because an owner may have removed the rule and added it again.
 */
export function ruleOfPosted(
  guild: Guild,
  { route, channelId }: { readonly route?: string | undefined; readonly channelId: string },
): string | undefined {
  if (route === undefined || destinationOf(guild, route)?.channelId === channelId) return route;
  if (channelId === guild.alerts?.channelId) return undefined;
  return guild.routes?.find((one) => one.style === "staff" && one.channelId === channelId)?.id;
}
