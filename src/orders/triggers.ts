import type { Guild } from "../guilds/guild.ts";
import { statusesOf } from "../routing/match-rules.ts";
import { hasStatus, sameStatus, statusKey, withStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Change, Ledger } from "./ledger.ts";
import { isAlerted, isDealtWith, type OrderRow } from "./order-row.ts";

/** The statuses whose lists are read for a server. */
export interface Triggers {
  /** Statuses that cause an alert. */
  readonly alerting: readonly string[];
  /** Statuses that rules name. Some of them may also cause an alert. */
  readonly awaited: readonly string[];
}

export const triggersOf = ({ alerts, routes }: Pick<Guild, "alerts" | "routes">): Triggers => ({
  alerting: alerts?.statuses ?? [],
  awaited: statusesOf(routes),
});

/** Returns every status to read, each once. */
export const statusesPolled = ({ alerting, awaited }: Triggers): readonly string[] => [
  ...alerting,
  ...awaited.filter((status) => !hasStatus({ status }, alerting)),
];

type Listed = Pick<Order, "id" | "status">;

/** Whether an order that waits for its alert, or is followed, has another status now than in its row. */
export const hasMoved = (row: OrderRow | undefined, { status }: Listed): boolean =>
  isAlerted(row) && !sameStatus(row.facts.status, status);

/**
 * Treats orders as seen: they get no alert, and no rule posts a message for their present status. Returns how many of them were
 * unknown. An order that was unknown both to alerts and to rules counts twice. Throws `StorageError`.
 *
 * @param all true: rules also count the new status of an alerted order as seen, because it changed while alerts were off
 */
export async function takeAsSeen(
  ledger: Ledger,
  orders: readonly Listed[],
  { alerting, awaited }: Triggers,
  all = false,
): Promise<number> {
  const listed = orders.filter(withStatus([...alerting, ...awaited]));
  const byId = new Map(listed.map((order) => [order.id, order]));
  let taken = 0;
  const take = (order: Listed | undefined, row: OrderRow | undefined): Change => {
    if (order === undefined) return {};
    const isSilent = hasStatus(order, alerting) && !isDealtWith(row);
    const key = statusKey(order.status);
    const isUnseen = hasStatus(order, awaited) && (all || !hasMoved(row, order)) && !row?.seen?.includes(key);
    if (!isSilent && !isUnseen) return {};
    taken += Number(isSilent) + Number(isUnseen);
    const seen = isUnseen ? [...(row?.seen ?? []), key] : row?.seen;
    if (isDealtWith(row)) return { orders: [[order.id, { ...row, seen }]] };
    return { orders: [[order.id, { ...row, seen, state: isSilent ? "closed" : "noticed" }]] };
  };
  await ledger.rememberOrdersOfStore(listed.filter(withStatus(alerting)).map(({ id }) => id));
  await ledger.write([...byId.keys()], (rows, _, ids) => ids.map((id) => take(byId.get(id), rows.get(id))));
  return taken;
}
