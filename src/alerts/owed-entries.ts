import type { Guild } from "../guilds/guild.ts";
import type { Routing } from "../routing/fit.ts";
import type { Order } from "../store-api/schemas.ts";
import { toAlertOrder } from "./alert-order.ts";
import type { OwedEntry } from "./ledger.ts";

/**
 * New orders as they are recorded before anything is sent.
 *
 * @param found `foundAt`: epoch ms; `sentSince`: from when on an alert of the order may stand in the channel, if it may
 */
export async function owedEntries(
  fresh: readonly Order[],
  found: {
    readonly guild: Guild;
    readonly foundAt: number;
    sentSince(order: Order): Promise<number | undefined>;
    /** Where rules have the alert go; undefined where there are none. */
    routingOf(orderId: string): Routing | undefined;
  },
): Promise<OwedEntry[]> {
  const { guild, foundAt } = found;
  const owed: OwedEntry[] = [];
  for (const order of fresh) {
    const { staff: route, isUnsure } = found.routingOf(order.id) ?? {};
    const channelId = route?.channelId ?? guild.alerts?.channelId;
    const sentSince = await found.sentSince(order);
    const shown = toAlertOrder(order, guild.settings.privacy);
    const doubt = sentSince === undefined ? {} : { sentSince };
    // Where the rule had lost its channel, it was posted in the alerts' own.
    const others = sentSince === undefined || !guild.alerts ? [] : [guild.alerts.channelId];
    owed.push({
      state: "owed",
      order: shown,
      channelIds: channelId ? [...others.filter((other) => other !== channelId), channelId] : [],
      foundAt,
      ...doubt,
      ...(route ? { route: route.id } : {}),
      ...(isUnsure ? { isUnsure } : {}),
    });
  }
  return owed;
}
