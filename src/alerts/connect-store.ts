import type { Guild } from "../guilds/guild.ts";
import { largestPageSize } from "../store-api/listing.ts";
import { hasStatus } from "../store-api/orders.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { listsOf } from "./lists.ts";
import { pageQuery } from "./scan.ts";
import { forgetWaiting, keepWaiting, keptWaiting, readWaiting, takeAsSeen } from "./waiting.ts";
import type { Watch } from "./watch.ts";

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

/**
 * Any order that the ledger knows proves the store to be the same: on the first or the last page, or asked for by its id.
 * A store that shows none of them is another one, unless neither has an order to be known by.
 */
async function isOtherStore(watch: Watch, store: Store, { statuses, since }: Alerts) {
  const { ledger } = watch;
  const { signal } = watch.deps;
  let isOlder = false;
  for (const list of listsOf(store, statuses)) {
    let lastPage = 1;
    for (let page = 1; page <= lastPage; page = page === 1 ? Math.max(lastPage, 2) : lastPage + 1) {
      await watch.pace();
      const answer = await store.listOrders(pageQuery(page, list), signal);
      lastPage = answer.lastPage;
      const known = await ledger.entries(answer.items.map(({ id }) => id));
      if (known.size > 0) return false;
      isOlder ||= answer.items.some(
        (order) => hasStatus(order, statuses) && order.createdAt !== undefined && order.createdAt < since,
      );
    }
  }
  const witnesses = new Set([...(await ledger.witnesses()), ...(await ledger.followedIds()).slice(-mostAlerted)]);
  for (const id of witnesses) {
    await watch.pace();
    if (await has(store, id, signal)) return false;
  }
  return witnesses.size > 0 || isOlder;
}

/**
 * Does nothing unless another store was connected and that is not finished: forgets the store before, and takes the new
 * one's orders as seen. Only for whoever polls: another process could undo what a poll has recorded since.
 */
export async function startOver(watch: Watch, alerts: Alerts): Promise<void> {
  if (!alerts.isUnread) return;
  const { guildId, ledger, firstReading } = watch;
  const { ids, backlog } = await keptWaiting(watch, alerts);
  await ledger.startOver();
  await takeAsSeen(ledger, ids);
  await firstReading.replace(backlog);
  await watch.deps.guilds.update(guildId, (guild) => {
    if (!guild.alerts) return guild;
    const { isUnread: _, ...others } = guild.alerts;
    return { ...guild, alerts: others };
  });
  await forgetWaiting(watch);
}

/**
 * Checks a new token's store, and keeps the token if it answers. Where alerts are on, what waited rings then; the orders
 * of another store than before are taken as seen.
 *
 * Another store's orders are read and kept before anything else is written, and one write says both that the token is
 * another one and that its orders are to be taken as seen, which the next poll does: neither a failure in between nor a
 * crash nor a poll elsewhere lets them ring.
 *
 * @throws StoreError; then nothing was changed
 */
export async function connectStore(watch: Watch, store: Store, token: string): Promise<Guild> {
  const { guildId, ledger } = watch;
  const { guilds, signal } = watch.deps;
  const { alerts } = await guilds.get(guildId);
  if (!alerts) {
    await watch.pace();
    const { items } = await store.listOrders({ limit: largestPageSize }, signal);
    const known = await ledger.entries(items.map(({ id }) => id));
    const guild = await guilds.connect(guildId, token);
    if (known.size === 0) await ledger.startOver();
    return guild;
  }
  if (!(await isOtherStore(watch, store, alerts))) return guilds.connect(guildId, token);
  const waiting = await readWaiting(watch, store, alerts.statuses);
  const { since } = waiting.backlog;
  await keepWaiting(watch, waiting);
  return guilds.connect(guildId, token, (current) =>
    current.alerts ? { ...current, alerts: { ...current.alerts, since, isUnread: true as const } } : current,
  );
}
