import { z } from "zod";
import type { Guild } from "../guilds/guild.ts";
import { documentedStatus, hasStatus } from "../store-api/orders.ts";
import type { Order } from "../store-api/schemas.ts";
import { takesSeveral } from "../store-api/several-statuses.ts";
import type { Page, Store } from "../store-api/store-api.ts";
import { type BacklogState, newBacklog } from "./backlog.ts";
import type { Ledger } from "./ledger.ts";
import { listsOf } from "./lists.ts";
import { observeSorting, pageQuery } from "./scan.ts";
import type { Watch } from "./watch.ts";

/** The backlog of a list with more pages than this is read in the background. */
const pagesReadAtOnce = 5;
const dayMs = 24 * 60 * 60_000;

export const chosenAlertsSchema = z.object({
  channelId: z.string(),
  /** The server's own id, which is the role @everyone, takes the role away. */
  roleId: z.string().optional(),
  /** Statuses that ring; at least one. */
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

/** What waits in a store, as far as a few requests show it. */
export interface Waiting {
  readonly ids: readonly string[];
  /** Whether these are all. */
  readonly complete: boolean;
  /** The reading that goes on from there. */
  readonly backlog: BacklogState;
}

/**
 * From when on orders are new, by what the store calls its time (epoch ms): when it answered, or, where its orders say so,
 * earlier. Some stores write local time without a zone, and all of their orders look hours older than they are.
 */
function beginningOf({ items, servedAt }: Page<Order>, now: number): number {
  const answered = servedAt ?? now;
  const newest = items[0]?.createdAt;
  const isNewestFirst = observeSorting(undefined, items) === "newest_first";
  // A date without a time would make everything of today new.
  if (!isNewestFirst || newest === undefined || newest % dayMs === 0) return answered;
  return Math.min(answered, newest);
}

/**
 * Reads what is in the lists of these statuses: all of it where that takes a few requests, else the first and the last
 * page. What these answers show was there before, whatever its creation time says. Writes nothing.
 */
export async function readWaiting(watch: Watch, store: Store, statuses: readonly string[]): Promise<Waiting> {
  const { signal, now } = watch.deps;
  const ids = new Set<string>();
  let since = Number.POSITIVE_INFINITY;
  let isAll = true;
  let isRead = true;
  await takesSeveral(store, statuses, signal);
  for (const list of listsOf(store, statuses)) {
    const read = async (page: number) => {
      await watch.pace();
      const answer = await store.listOrders(pageQuery(page, list), signal);
      for (const order of answer.items) if (hasStatus(order, statuses)) ids.add(order.id);
      if (page === 1) since = Math.min(since, beginningOf(answer, now()));
      return answer.lastPage;
    };
    const lastPage = await read(1);
    const atOnce = lastPage <= pagesReadAtOnce;
    for (let page = 2; atOnce && page <= lastPage; page++) await read(page);
    if (!atOnce) await read(lastPage);
    isAll &&= atOnce;
    isRead &&= lastPage === 1;
  }
  const backlog = { ...newBacklog(since, statuses), done: isRead, counted: ids.size };
  return { ids: [...ids], complete: isAll, backlog };
}

/** Takes those as seen of which nothing is known. */
export async function takeAsSeen(ledger: Ledger, ids: readonly string[]): Promise<void> {
  const known = await ledger.entries(ids);
  await ledger.markSeen(ids.filter((id) => !known.has(id)));
}

/**
 * Turns alerts on, or changes where and for what they ring. `keep` records the new settings, durably.
 *
 * @throws MessengerError when nothing can be posted in the channel, StoreError when the store cannot be read; then
 * nothing was changed
 */
export async function turnOn(
  watch: Watch,
  store: Store,
  chosen: ChosenAlerts,
  keep: (alerts: NonNullable<Guild["alerts"]>) => Promise<void>,
): Promise<TurnedOn> {
  const { guildId, ledger, firstReading, troubles } = watch;
  const guild = await watch.deps.guilds.get(guildId);
  const before = guild.alerts;
  // What was not chosen stays as it was: whoever moves the alerts does not want to lose the rest.
  const settings = {
    channelId: chosen.channelId,
    statuses: [...(chosen.statuses ?? before?.statuses ?? [documentedStatus])],
    roleId: chosen.roleId === guildId ? undefined : (chosen.roleId ?? before?.roleId),
  };
  const added = settings.statuses.filter((status) => !before || !hasStatus({ status }, before.statuses));
  if (before && added.length === 0) {
    await troubles.announce(guild, chosen.channelId, { about: "alerts_moved" });
    await keep({ ...before, ...settings });
    return { pending: 0, complete: true, isNew: false };
  }
  if (!before) await ledger.dropOwed();
  const { ids, complete, backlog } = await readWaiting(watch, store, added);
  await takeAsSeen(ledger, ids);
  await troubles.announce(guild, chosen.channelId, { about: "alerts_on", pending: ids.length, complete });
  await firstReading.begin(backlog);
  await keep({ ...before, ...settings, since: before?.since ?? backlog.since });
  return { pending: ids.length, complete, isNew: true };
}
