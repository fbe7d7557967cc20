import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import { VaultError } from "../guilds/vault.ts";
import type { Ledger } from "../orders/ledger.ts";
import { listsOf } from "../orders/lists.ts";
import type { OrderRow } from "../orders/order-row.ts";
import { pageQuery } from "../orders/scan.ts";
import { statusesPolled, takeAsSeen, triggersOf } from "../orders/triggers.ts";
import { largestPageSize } from "../store-api/listing.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import type { GuildBaseline } from "./guild-baseline.ts";
import { readWaiting } from "./read-waiting.ts";

/** Orders asked for by their ids, the newest that rang: a store that tidies up keeps those longest. */
const mostAlerted = 5;

type Alerts = NonNullable<Guild["alerts"]>;

async function has(store: Store, id: string, signal: AbortSignal): Promise<boolean> {
  try {
    await store.getOrder(id, signal);
    return true;
  } catch (error) {
    if (error instanceof StoreError && error.code === "not_found") return false;
    throw error;
  }
}

/** Orders of the store before are posted late, and prove nothing. */
const isFormer = (row: OrderRow | undefined) => row?.isFormer === true;

async function knowsAny(ledger: Ledger, orders: readonly Order[]): Promise<boolean> {
  const known = await ledger.entries(orders.map(({ id }) => id));
  return [...known.values()].some((entry) => !isFormer(entry));
}

/**
 * Any order that the ledger knows proves the store to be the same: on the first or the last page, or asked for by its id.
 * A store that shows none of them is another one, unless neither has an order to be known by.
 */
async function isOtherStore(server: GuildBaseline, store: Store, { statuses, since }: Alerts) {
  const { ledger } = server;
  const { signal } = server.deps;
  let isOlder = false;
  for (const list of listsOf(statuses)) {
    let lastPage = 1;
    for (let page = 1; page <= lastPage; page = page === 1 ? Math.max(lastPage, 2) : lastPage + 1) {
      await server.pace();
      const answer = await store.listOrders(pageQuery(page, list), signal);
      lastPage = answer.lastPage;
      if (await knowsAny(ledger, answer.items)) return false;
      isOlder ||= answer.items.some(
        (order) => hasStatus(order, statuses) && order.createdAt !== undefined && order.createdAt < since,
      );
    }
  }
  const ids = [...(await ledger.witnesses()), ...(await ledger.openIds()).slice(-mostAlerted)];
  const formers = await ledger.entries(ids);
  const witnesses = new Set(ids.filter((id) => !isFormer(formers.get(id))));
  for (const id of witnesses) {
    await server.pace();
    if (await has(store, id, signal)) return false;
  }
  return witnesses.size > 0 || isOlder;
}

/**
 * Does nothing unless another store was connected and that is not finished: forgets the store before, and takes the new
 * one's orders as seen. Only for the process that polls. The record stays as it is, because people change it meanwhile.
 */
export async function startOver(server: GuildBaseline, guild: Guild & { readonly alerts: Alerts }): Promise<void> {
  const { newStore, ledger, baselineReader } = server;
  const { alerts } = guild;
  if (!(await newStore.isUnread(alerts))) return;
  const { orders } = await newStore.waiting(alerts);
  const ids = orders.map(([id]) => id);
  await server.assertCurrent();
  await ledger.startOver(ids, () => server.assertCurrent());
  await server.assertCurrent();
  const waited = orders.map(([id, status]) => ({ id, status }));
  await takeAsSeen(ledger, waited, triggersOf(guild));
  await server.assertCurrent();
  await baselineReader.restart();
  await server.assertCurrent();
  await newStore.started(alerts);
}

/** Whether it is the token that the server has; one that cannot be opened is none. */
function isTokenOf(guild: Guild, token: string, guilds: Guilds): boolean {
  try {
    return guilds.tokenOf(guild) === token;
  } catch (error) {
    if (error instanceof VaultError) return false;
    throw error;
  }
}

/**
 * Checks a new token's store, and keeps the token if it answers. Where alerts are on, what waited is alerted then; the orders
 * of another store than before are taken as seen.
 *
 * Another store's orders are read and kept before anything else is written, and one write says both that the token is
 * another one and that its orders are to be taken as seen, which the next poll does: neither a failure in between nor a
 * crash nor a poll elsewhere lets them be alerted.
 *
 * @throws StoreError; then nothing was changed
 */
export async function connectStore(server: GuildBaseline, store: Store, token: string): Promise<Guild> {
  const { guildId, ledger, newStore } = server;
  const { guilds, signal } = server.deps;
  const present = await guilds.get(guildId);
  const { alerts } = present;
  if (!alerts) {
    await server.pace();
    const { items } = await store.listOrders({ limit: largestPageSize }, signal);
    const isKnown = await knowsAny(ledger, items);
    const guild = await guilds.connect(guildId, token);
    if (!isKnown) await ledger.startOver();
    return guild;
  }
  // The ledger says nothing of a store that was not polled yet.
  const isUnread = await newStore.isUnread(alerts);
  if (isUnread && isTokenOf(present, token, guilds)) return guilds.connect(guildId, token);
  if (!isUnread && !(await isOtherStore(server, store, alerts))) return guilds.connect(guildId, token);
  const waiting = await readWaiting(server, store, statusesPolled(triggersOf(present)));
  const unread = new Map(isUnread ? (await newStore.waiting(alerts)).orders : []);
  if (waiting.orders.some(([id]) => unread.has(id))) return guilds.connect(guildId, token);
  const since = await newStore.keep(waiting, alerts);
  return guilds.connect(guildId, token, (current) =>
    current.alerts ? { ...current, alerts: { ...current.alerts, since, isUnread: true as const } } : current,
  );
}
