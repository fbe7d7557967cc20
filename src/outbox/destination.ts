import type { Guild } from "../guilds/guild.ts";
import type { Route } from "../guilds/route.ts";

/** Where messages about an order go. */
export interface Destination {
  readonly channelId: string;
  /** The role that is mentioned there. */
  readonly roleId: string | undefined;
  readonly showsCustomers: boolean;
  /** The rule that chose this channel; undefined for the alert channel. */
  readonly route: Route | undefined;
  /** The rule whose channel is lost, if this is the alert channel in its place. */
  readonly fallbackFor?: Route | undefined;
}

/** Where the rule of this id posts: in the alert channel if the rule is gone. Returns undefined if alerts are off. */
export function destinationOf({ alerts, routes = [] }: Guild, routeId: string | undefined): Destination | undefined {
  const route = routeId === undefined ? undefined : routes.find(({ id }) => id === routeId);
  if (alerts === undefined) return undefined;
  if (route === undefined) {
    return { channelId: alerts.channelId, roleId: alerts.roleId, showsCustomers: true, route };
  }
  const { channelId, roleId } = route;
  const showsCustomers = route.showsCustomers === true || channelId === alerts.channelId;
  return { channelId, roleId, showsCustomers, route };
}

/** Where replies and reminders of an alert go. A rule decides if the alert is in that rule's channel, also a rule that was removed and added again. */
export function destinationOfPosted(
  guild: Guild,
  posted: { readonly route?: string | undefined; readonly channelId: string },
) {
  const place = destinationOf(guild, posted.route);
  if (place?.channelId === posted.channelId) return place;
  return posted.route === undefined ? destinationOf(guild, undefined) : destinationOfChannel(guild, posted.channelId);
}

/** Where messages about an alert go of which only the channel is known. */
export function destinationOfChannel(guild: Guild, channelId: string): Destination | undefined {
  const isAlerts = channelId === guild.alerts?.channelId;
  const route = guild.routes?.find((one) => one.style === "staff" && one.channelId === channelId);
  return destinationOf(guild, isAlerts ? undefined : route?.id);
}
