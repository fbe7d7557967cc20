import type { Route } from "../guilds/route.ts";
import { takeAsSeen, triggersOf } from "../orders/triggers.ts";
import { statusesOf } from "../routing/fit.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { Store } from "../store-api/store-api.ts";
import type { GuildBaseline } from "./guild-baseline.ts";
import { readWaiting } from "./read-waiting.ts";

/**
 * Changes a server's rules. Orders that are in a status which nothing was read for before are taken as seen in it: a rule
 * counts for orders that enter its status from now on.
 *
 * @param change may throw; then nothing was changed
 * @throws StoreError when the store cannot be read; then nothing was changed
 */
export async function changeRoutes(
  server: GuildBaseline,
  store: Store,
  change: (routes: readonly Route[]) => readonly Route[],
): Promise<void> {
  const { guildId, newStore, baselineReader, ledger } = server;
  const { guilds } = server.deps;
  const guild = await guilds.get(guildId);
  const { alerts } = guild;
  const { alerting, awaited } = triggersOf(guild);
  const next = statusesOf(change(guild.routes ?? []));
  const added = next.filter((status) => !hasStatus({ status }, [...awaited, ...alerting]));
  if (alerts && added.length > 0) {
    const waiting = await readWaiting(server, store, added);
    // The next poll forgets what is recorded of the store before, and would forget these with it.
    if (await newStore.isUnread(alerts)) await newStore.add(alerts, waiting);
    const orders = waiting.orders.map(([id, status]) => ({ id, status }));
    await takeAsSeen(ledger, orders, { alerting: [], awaited: added }, true);
    await baselineReader.begin(waiting.baseline, guild);
  }
  await guilds.update(guildId, (current) => ({ ...current, routes: [...change(current.routes ?? [])] }));
}
