import type { Guild } from "../guilds/guild.ts";
import { statusesOf } from "../routing/fit.ts";
import { hasStatus, sameStatus, withStatus } from "../store-api/orders.ts";
import type { Order } from "../store-api/schemas.ts";
import { isAlerted } from "./departures.ts";
import type { Ledger, LedgerEntry } from "./ledger.ts";
import type { Routed } from "./routed.ts";

/** For what a server's lists are read. */
export interface Polled {
  /** Statuses that ring. */
  readonly ringing: readonly string[];
  /** Statuses that rules wait for; some of them may ring as well. */
  readonly awaited: readonly string[];
}

export const polledOf = ({ alerts, routes }: Pick<Guild, "alerts" | "routes">): Polled => ({
  ringing: alerts?.statuses ?? [],
  awaited: statusesOf(routes),
});

/** Every status that is polled, each once. */
export const statusesPolled = ({ ringing, awaited }: Polled): readonly string[] => [
  ...ringing,
  ...awaited.filter((status) => !hasStatus({ status }, ringing)),
];

/** What lists are of: another token, other statuses or another store make other lists. */
export function memoryOf({ token, alerts, routes }: Guild): string {
  const awaited = statusesOf(routes);
  return JSON.stringify([token?.sealed, alerts?.statuses, alerts?.since, ...(awaited.length > 0 ? [awaited] : [])]);
}

type Listed = Pick<Order, "id" | "status">;

/** Whether it has come to its status since its alert, which may still be owed, however old the order is. */
export const hasMoved = (entry: LedgerEntry | undefined, { status }: Listed): boolean =>
  isAlerted(entry) && !sameStatus(entry.order.status, status);

/**
 * Takes orders as seen that were there before: they do not ring, and no rule counts for the status that they have. Gives how
 * many of them were not known. Throws `StorageError`.
 */
export async function takeAsSeen(
  { ledger, routed }: { readonly ledger: Ledger; readonly routed: Routed },
  orders: readonly Listed[],
  { ringing, awaited }: Polled,
): Promise<number> {
  const some = orders.filter(withStatus([...ringing, ...awaited]));
  const known = await ledger.entries(some.map(({ id }) => id));
  const silent = new Set(some.filter((order) => hasStatus(order, ringing) && !known.has(order.id)).map(({ id }) => id));
  if (silent.size > 0) await ledger.markSeen([...silent]);
  const unmoved = some.filter((order) => hasStatus(order, awaited) && !hasMoved(known.get(order.id), order));
  return silent.size + (await routed.see(unmoved.map(({ id, status }) => [id, status])));
}
