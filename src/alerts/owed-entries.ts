import type { Guild } from "../guilds/guild.ts";
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
  },
): Promise<OwedEntry[]> {
  const { guild, foundAt } = found;
  const channelIds = guild.alerts ? [guild.alerts.channelId] : [];
  const owed: OwedEntry[] = [];
  for (const order of fresh) {
    const sentSince = await found.sentSince(order);
    const shown = toAlertOrder(order, guild.settings.privacy);
    const doubt = sentSince === undefined ? {} : { sentSince };
    owed.push({ state: "owed", order: shown, channelIds, foundAt, ...doubt });
  }
  return owed;
}
