import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import { VaultError } from "../guilds/vault.ts";
import type { Ledger } from "../orders/ledger.ts";
import { listsOf } from "../orders/list-memory.ts";
import { pageQuery } from "../orders/read-list.ts";
import { statusesPolled, triggersOf } from "../orders/triggers.ts";
import type { ServerContext } from "../outbox/context.ts";
import { largestPageSize } from "../store-api/list-pages.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { isUnusable, type Store, StoreError } from "../store-api/store-api.ts";
import type { BaselineReader } from "./baseline-reader.ts";
import { readExistingOrders } from "./read-existing-orders.ts";

/** To identify the store, at most this many followed orders, and as many pending orders, are requested by their ids. */
const mostAlerted = 5;

type Alerts = NonNullable<Guild["alerts"]>;

async function knowsAny(ledger: Ledger, orders: readonly Order[]): Promise<boolean> {
  const known = await ledger.entries(orders.map(({ id }) => id));
  return [...known.values()].some(({ isFormer }) => !isFormer);
}

/**
 * Whether `store` is another store than the one whose orders are in the ledger. `store` is the same store if it has one of
 * these orders: on the first or last page of a list, or by its id. If no id of an order is known, the former store had no
 * orders when alerts began. Then `store` is another store if its lists have an order from before `since`.
 */
async function isOtherStore(
  { ledger, signal, throttle }: ServerContext,
  store: Store,
  { statuses, since }: Alerts,
  pending: readonly string[],
) {
  let isOlder = false;
  for (const list of listsOf(statuses)) {
    let lastPage = 1;
    for (let page = 1; page <= lastPage; page = page === 1 ? Math.max(lastPage, 2) : lastPage + 1) {
      await throttle();
      const answer = await store.listOrders(pageQuery(page, list), signal);
      lastPage = answer.lastPage;
      if (await knowsAny(ledger, answer.items)) return false;
      isOlder ||= answer.items.some(
        (order) => hasStatus(order, statuses) && order.createdAt !== undefined && order.createdAt < since,
      );
    }
  }
  const open = await ledger.openIds();
  const ids = [...(await ledger.ordersOfStore()), ...open.slice(-mostAlerted), ...pending.slice(-mostAlerted)];
  const known = await ledger.entries(ids);
  const witnesses = new Set(ids.filter((id) => !known.get(id)?.isFormer));
  /** A failure that may be about one order alone: the store may show the order to nobody. */
  let failure: StoreError | undefined;
  for (const id of witnesses) {
    await throttle();
    try {
      await store.getOrder(id, signal);
      return false;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // An API may answer that the id of another store's order is unknown, or that it is no id.
      if (error.code === "not_found" || error.code === "invalid") continue;
      if (error.code !== "unauthorized" && !isUnusable(error)) throw error;
      failure = error;
    }
  }
  if (failure) throw failure;
  return witnesses.size > 0 || isOlder;
}

function isTokenOf(guild: Guild, token: string, guilds: Guilds): boolean {
  try {
    return guilds.tokenOf(guild) === token;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

export interface ConnectedStore {
  readonly guild: Guild;
  /** Whether alerts are on and the store is another one than before. */
  readonly isOther: boolean;
}

/**
 * Saves the token if its store answers. If alerts are on and this is another store, its orders are committed with the token,
 * and the next poll treats them as seen. If alerts are on and it is the same store, the next poll announces the orders that
 * arrived since the last poll. If alerts are off and the ledger has no order of page 1, this is probably another store, and the
 * ledger forgets its orders.
 *
 * @throws StoreError; then nothing was changed
 */
export async function connectStore(reader: BaselineReader, store: Store, token: string): Promise<ConnectedStore> {
  const { server } = reader;
  const { guildId, ledger, guilds, signal } = server;
  const present = await guilds.get(guildId);
  const { alerts } = present;
  if (!alerts) {
    await server.throttle();
    const { items } = await store.listOrders({ limit: largestPageSize }, signal);
    const isKnown = await knowsAny(ledger, items);
    const guild = await guilds.connect(guildId, token);
    if (!isKnown) await ledger.startOver();
    return { guild, isOther: false };
  }
  const asSame = async () => ({ guild: await guilds.connect(guildId, token), isOther: false });
  const { ids, isOtherStore: isUnread } = await reader.pending();
  // If `isUnread`, no poll has read the present store yet, so the ledger has none of its orders. Then `store` is
  // the present store if its token is the stored one, or if its lists have a pending order.
  if (isUnread && isTokenOf(present, token, guilds)) return asSame();
  if (!isUnread && !(await isOtherStore(server, store, alerts, [...ids]))) return asSame();
  const triggers = triggersOf(present);
  const { orders, baseline, since } = await readExistingOrders(server, store, statusesPolled(triggers));
  if (orders.some(([id]) => ids.has(id))) return asSame();
  const guild = await guilds.connect(
    guildId,
    token,
    (current) => (current.alerts ? { ...current, alerts: { ...current.alerts, since } } : current),
    reader.begin(baseline, { orders, ...triggers, all: false }, true),
  );
  return { guild, isOther: true };
}
