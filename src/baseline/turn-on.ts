import { z } from "zod";
import type { Guild } from "../guilds/guild.ts";
import type { CommittedWith } from "../guilds/guilds.ts";
import { triggersOf } from "../orders/triggers.ts";
import { statusesOf } from "../routing/match-rules.ts";
import { documentedStatus, hasStatus, withStatus } from "../store-api/order-status.ts";
import type { Store } from "../store-api/store-api.ts";
import type { GuildBaseline } from "./guild-baseline.ts";
import { readWaiting } from "./read-waiting.ts";

export const chosenAlertsSchema = z.object({
  channelId: z.string(),
  /** The server's own id, which is the role @everyone, takes the role away. */
  roleId: z.string().optional(),
  /** Statuses that are alerted; at least one. */
  statuses: z.array(z.string()).readonly().optional(),
});

/** What a person chose; what is left out stays as it is (at first: no role, PENDING). */
export type ChosenAlerts = Readonly<z.infer<typeof chosenAlertsSchema>>;

export interface TurnedOn {
  /** Orders that were waiting and are taken as seen. */
  readonly pending: number;
  /** False: at least so many. */
  readonly complete: boolean;
  /** False when only the place or the role changed. */
  readonly isNew: boolean;
}

/** Ids of orders that wait for their payment: some may be paid while the paid ones are read, and are new then. */
const unpaidOf = async (server: GuildBaseline, store: Store) =>
  (await readWaiting(server, store, [documentedStatus])).orders.map(([id]) => id);

/**
 * Turns alerts on, or changes where and for which statuses. `keep` records the new settings, durably, with what begins, and
 * from when on they count where alerts were off; what else the record says then is left as it is.
 *
 * @throws MessengerError when nothing can be posted in the channel, StoreError when the store cannot be read; then
 * nothing was changed
 */
export async function turnOn(
  server: GuildBaseline,
  store: Store,
  chosen: ChosenAlerts,
  keep: (settings: Omit<NonNullable<Guild["alerts"]>, "since">, since: number, begun?: CommittedWith) => Promise<void>,
): Promise<TurnedOn> {
  const { guildId, ledger, baselineReader, notices } = server;
  const guild = await server.deps.guilds.get(guildId);
  const before = guild.alerts;
  // What was not chosen stays as it was: who moves the alerts keeps the rest.
  const settings = {
    channelId: chosen.channelId,
    statuses: [...(chosen.statuses ?? before?.statuses ?? [documentedStatus])],
    roleId: chosen.roleId === guildId ? undefined : (chosen.roleId ?? before?.roleId),
  };
  const { alerting = [], awaited } = before ? triggersOf(guild) : { awaited: statusesOf(guild.routes) };
  const isNow = withStatus(settings.statuses);
  const added = [
    ...settings.statuses.filter((status) => !hasStatus({ status }, alerting)),
    // What was alerted by itself until now begins to be a matter of rules alone.
    ...awaited.filter((status) => !isNow({ status }) && (!before || hasStatus({ status }, alerting))),
  ];
  if (before && added.length === 0) {
    await notices.announce(guild, chosen.channelId, { about: "alerts_moved" });
    await keep(settings, before.since);
    return { pending: 0, complete: true, isNew: false };
  }
  // What became of them while alerts were off is no news any more.
  if (!before) await ledger.end();
  const unpaid = before || isNow({ status: documentedStatus }) ? [] : await unpaidOf(server, store);
  const waiting = await readWaiting(server, store, added);
  const { complete } = waiting;
  const baseline = unpaid.length === 0 ? waiting.baseline : { ...waiting.baseline, unpaid };
  const orders = waiting.orders.filter(([id, status]) => !(unpaid.includes(id) && isNow({ status })));
  const pending = orders.filter(([, status]) => isNow({ status })).length;
  await notices.announce(guild, chosen.channelId, { about: "alerts_on", pending, complete });
  const begun = baselineReader.begin(baseline, {
    orders,
    alerting: settings.statuses,
    awaited: awaited.filter((status) => !before || !isNow({ status })),
    // Also what had an alert before: it came to its status while alerts were off.
    all: !before,
  });
  await keep(settings, before?.since ?? baseline.since, begun);
  return { pending, complete, isNew: true };
}
