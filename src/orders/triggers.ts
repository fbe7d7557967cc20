import type { Guild } from "../guilds/guild.ts";
import { statusesOf } from "../routing/match-rules.ts";
import { hasStatus, sameStatus, statusKey, withStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Change, Ledger } from "./ledger.ts";
import { isAlerted, isDealtWith, type OrderRow } from "./order-row.ts";

/** The statuses for which a server's lists are read. */
export interface Triggers {
  /** Statuses that are alerted. */
  readonly alerting: readonly string[];
  /** Statuses that rules wait for. Some may be alerted as well. */
  readonly awaited: readonly string[];
}

export const triggersOf = ({ alerts, routes }: Pick<Guild, "alerts" | "routes">): Triggers => ({
  alerting: alerts?.statuses ?? [],
  awaited: statusesOf(routes),
});

/** Every polled status, once. */
export const statusesPolled = ({ alerting, awaited }: Triggers): readonly string[] => [
  ...alerting,
  ...awaited.filter((status) => !hasStatus({ status }, alerting)),
];

/** Identifies a server's lists: it changes with the token, the statuses and the store. */
export function listsKeyOf({ token, alerts, routes }: Guild): string {
  const awaited = statusesOf(routes);
  return JSON.stringify([token?.sealed, alerts?.statuses, alerts?.since, ...(awaited.length > 0 ? [awaited] : [])]);
}

type Listed = Pick<Order, "id" | "status">;

/** Whether the order's status has changed since its alert, which may still be in the outbox. */
export const hasMoved = (row: OrderRow | undefined, { status }: Listed): boolean =>
  isAlerted(row) && !sameStatus(row.facts.status, status);

/**
 * Treats orders as already seen: they are not alerted, and no rule fires for their present status. Returns how many were not known.
 * Throws `StorageError`.
 *
 * @param all also orders whose status has changed since their alert, because it changed while alerts were off
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
    const noted = seen ? { seen } : {};
    if (isDealtWith(row)) return { orders: [[order.id, { ...row, ...noted }]] };
    const alertedFor = row?.alertedFor && { alertedFor: row.alertedFor };
    return { orders: [[order.id, { ...alertedFor, ...noted, state: isSilent ? "closed" : "noticed" }]] };
  };
  await ledger.witness(listed.filter(withStatus(alerting)).map(({ id }) => id));
  await ledger.write([...byId.keys()], (rows, _, ids) => ids.map((id) => take(byId.get(id), rows.get(id))));
  return taken;
}
