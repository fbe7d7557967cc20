import { z } from "zod";
import type { Guild } from "../guilds/guild.ts";
import type { CommittedWith } from "../guilds/guilds.ts";
import { triggersOf } from "../orders/triggers.ts";
import type { ServerContext } from "../outbox/context.ts";
import type { Notices } from "../outbox/notices.ts";
import { documentedStatus, hasStatus } from "../store-api/order-status.ts";
import type { Store } from "../store-api/store-api.ts";
import type { BaselineReader } from "./baseline-reader.ts";
import { readExistingOrders } from "./read-existing-orders.ts";

export const chosenAlertsSchema = z.object({
  channelId: z.string(),
  /** The server's own id (the role @everyone) removes the role. */
  roleId: z.string().optional(),
  /** Statuses that cause an alert; at least one. */
  statuses: z.array(z.string()).readonly().optional(),
});

/** A missing setting stays as it is. By default there is no role, and the status is PENDING. */
export type ChosenAlerts = Readonly<z.infer<typeof chosenAlertsSchema>>;

export interface TurnedOn {
  /** Number of existing orders that would have caused an alert, and are treated as seen. */
  readonly pending: number;
  /** False if there may be more such orders. */
  readonly complete: boolean;
  /** False if alerts were on, and no status is new to alerts or to rules. */
  readonly isNew: boolean;
}

const unpaidOf = async (server: ServerContext, store: Store) =>
  (await readExistingOrders(server, store, [documentedStatus])).orders.map(([id]) => id);

/**
 * Turns alerts on, or changes their settings. Existing orders are treated as seen.
 *
 * @throws MessengerError when nothing can be posted in the channel, StoreError when the store cannot be read; then no setting
 * was changed
 */
export async function turnOn(
  reader: BaselineReader,
  notices: Notices,
  store: Store,
  chosen: ChosenAlerts,
): Promise<TurnedOn> {
  const { server } = reader;
  const { guildId, guilds, ledger, now } = server;
  const guild = await guilds.get(guildId);
  const before = guild.alerts;
  const settings = {
    channelId: chosen.channelId,
    statuses: [...(chosen.statuses ?? before?.statuses ?? [documentedStatus])],
  };
  /** `since` is epoch ms. */
  const keep = async (since: number, begun?: CommittedWith) => {
    const change = (current: Guild) => {
      // Somebody may have removed the role since the command began.
      const roleId = chosen.roleId === guildId ? undefined : (chosen.roleId ?? current.alerts?.roleId);
      return { ...current, alerts: { since, ...current.alerts, ...settings, roleId } };
    };
    await notices.channelWorks(await guilds.update(guildId, change, begun), settings.channelId);
  };
  const { alerting, awaited } = triggersOf(guild);
  const isNow = (status: string) => hasStatus({ status }, settings.statuses);
  const added = [
    ...settings.statuses.filter((status) => !hasStatus({ status }, alerting)),
    ...awaited.filter((status) => !isNow(status) && (!before || hasStatus({ status }, alerting))),
  ];
  if (before && added.length === 0) {
    await notices.announce(guild, chosen.channelId, { about: "alerts_moved" }, now());
    await keep(before.since);
    return { pending: 0, complete: true, isNew: false };
  }
  // Status changes that happened while alerts were off are not reported.
  if (!before) await ledger.end();
  const unpaid = isNow(documentedStatus) ? [] : await unpaidOf(server, store);
  const existing = await readExistingOrders(server, store, added);
  const { complete } = existing;
  const baseline = unpaid.length === 0 ? existing.baseline : { ...existing.baseline, unpaid };
  const orders = existing.orders.filter(([id, status]) => !(unpaid.includes(id) && isNow(status)));
  const pending = orders.filter(([, status]) => isNow(status)).length;
  await notices.announce(guild, chosen.channelId, { about: "alerts_on", pending, complete }, now());
  const begun = reader.begin(baseline, {
    orders,
    alerting: settings.statuses,
    awaited: awaited.filter((status) => !before || !isNow(status)),
    // While alerts were off, the status of orders with an alert may have changed.
    all: !before,
  });
  await keep(existing.since, begun);
  return { pending, complete, isNew: true };
}
