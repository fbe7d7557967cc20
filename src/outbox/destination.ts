import type { Guild } from "../guilds/guild.ts";
import type { Route } from "../guilds/route.ts";

/** Where messages about an order go. */
export interface Destination {
  readonly channelId: string;
  /** Mentioned there. */
  readonly roleId: string | undefined;
  readonly showsCustomers: boolean;
  /** The rule that says so; none for the alerts' own channel. */
  readonly route: Route | undefined;
}

/** Where the rule of this id has messages go: to the alerts' own channel where there is no such rule any more. */
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

/** Where replies and reminders of an alert go: by a rule where the alert stands in that rule's channel, also by one that was made again. */
export function destinationOfPosted(
  guild: Guild,
  posted: { readonly route?: string | undefined; readonly channelId: string },
) {
  const place = destinationOf(guild, posted.route);
  if (place?.channelId === posted.channelId) return place;
  return posted.route === undefined ? destinationOf(guild, undefined) : destinationOfChannel(guild, posted.channelId);
}

/** Where something is said about an alert of which only the channel is known. */
export function destinationOfChannel(guild: Guild, channelId: string): Destination | undefined {
  const isAlerts = channelId === guild.alerts?.channelId;
  const route = guild.routes?.find((one) => one.style === "staff" && one.channelId === channelId);
  return destinationOf(guild, isAlerts ? undefined : route?.id);
}
