import type { CommittedWith } from "../guilds/guilds.ts";
import type { Rule } from "../guilds/rule.ts";
import { triggersOf } from "../orders/triggers.ts";
import { statusesOf } from "../routing/match-rules.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { Store } from "../store-api/store-api.ts";
import type { BaselineReader } from "./baseline-reader.ts";
import { readExistingOrders } from "./read-existing-orders.ts";

/**
 * A rule with a status applies only to orders that enter this status from now on. So if the status was not polled before, the
 * orders that have it now are treated as seen.
 *
 * @param change may throw; then nothing was changed
 * @throws StoreError when the store cannot be read; then nothing was changed
 */
export async function changeRules(
  reader: BaselineReader,
  store: Store,
  change: (routes: readonly Rule[]) => readonly Rule[],
): Promise<void> {
  const { guildId, guilds } = reader.server;
  const guild = await guilds.get(guildId);
  const { alerting, awaited } = triggersOf(guild);
  const next = statusesOf(change(guild.routes ?? []));
  const added = next.filter((status) => !hasStatus({ status }, [...awaited, ...alerting]));
  let begun: CommittedWith | undefined;
  if (guild.alerts && added.length > 0) {
    const { baseline, orders } = await readExistingOrders(reader.server, store, added);
    begun = reader.begin(baseline, { orders, alerting: [], awaited: added, all: true });
  }
  await guilds.update(guildId, (current) => ({ ...current, routes: [...change(current.routes ?? [])] }), begun);
}
