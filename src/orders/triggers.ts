import type { Guild } from "../guilds/guild.ts";
import { statusesOf } from "../routing/match-rules.ts";
import type { Step } from "../storage/table.ts";
import { hasStatus, sameStatus, statusKey } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Change, Ledger } from "./ledger.ts";
import { isAlerted, isDealtWith, type OrderRow } from "./order-row.ts";

export interface Triggers {
  readonly alerting: readonly string[];
  /** Statuses that rules name. Some of them may also cause an alert. */
  readonly awaited: readonly string[];
}

export const triggersOf = ({ alerts, routes }: Pick<Guild, "alerts" | "routes">): Triggers => ({
  alerting: alerts?.statuses ?? [],
  awaited: statusesOf(routes),
});

export const statusesPolled = ({ alerting, awaited }: Triggers): readonly string[] => [
  ...alerting,
  ...awaited.filter((status) => !hasStatus({ status }, alerting)),
];

type Listed = Pick<Order, "id" | "status">;

/**
 * Undefined if alerts and rules know the order in this status. `isNew`: the order's status causes an alert, and the bot has not
 * decided about the order yet. `moved`: the row of an alerted order, if its status has changed. `isEntering`: rules see the
 * order in its status for the first time; the row gets `seen`. But if this status also causes alerts, rules see only new and
 * alerted orders, and none that existed before alerts were turned on.
 */
export function newsOf(order: Listed, row: OrderRow | undefined, { alerting, awaited }: Triggers) {
  const key = statusKey(order.status);
  const isAlerting = hasStatus(order, alerting);
  const isNew = isAlerting && !isDealtWith(row);
  const moved = isAlerted(row) && !sameStatus(row.facts.status, order.status) ? row : undefined;
  const isEntering = hasStatus(order, awaited) && !row?.seen?.includes(key) && (isNew || !!moved || !isAlerting);
  if (!isNew && !isEntering && !moved) return undefined;
  return { isNew, isEntering, moved, seen: isEntering ? [...(row?.seen ?? []), key] : row?.seen };
}

/**
 * Records orders as seen: they get no new alert, and rules post no message about their present status. Without `all`, rules may
 * still post a message about the new status of an alerted order.
 *
 * @param all true if an alerted order may have got its new status before alerts or the rule began
 * @param progress returns a step to commit with each 100 orders. `taken`: how many of the orders so far were unknown to alerts
 * or to rules. `isWhole`: true for the last step
 */
export async function takeAsSeen(
  ledger: Ledger,
  orders: readonly Listed[],
  triggers: Triggers,
  {
    all = false,
    progress,
  }: { readonly all?: boolean; readonly progress?: (taken: number, isWhole: boolean) => Step } = {},
): Promise<void> {
  let taken = 0;
  const take = (order: Listed, row: OrderRow | undefined): Change => {
    const news = newsOf(order, row, triggers);
    if (!news || (news.moved && !(all && news.isEntering))) return {};
    taken += 1;
    const before = news.isNew ? { ...row, state: "closed" as const } : (row ?? { state: "noticed" as const });
    return { orders: [[order.id, { ...before, seen: news.seen }]] };
  };
  const statuses = new Map(orders.map(({ id, status }) => [id, status]));
  const ids = [...statuses.keys()];
  await ledger.write(ids, (rows, _, some) => {
    const changes = some.map((id) => take({ id, status: statuses.get(id) ?? "" }, rows.get(id)));
    return progress ? [...changes, { other: progress(taken, some.at(-1) === ids.at(-1)) }] : changes;
  });
}
