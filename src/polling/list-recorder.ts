import { setImmediate } from "node:timers/promises";
import { type BaselineState, isOfBaseline } from "../baseline/baseline-rules.ts";
import type { Guild } from "../guilds/guild.ts";
import { type ListMemory, sortingOf } from "../orders/list-memory.ts";
import { isAlerted, isDealtWith, type OrderRow } from "../orders/order-row.ts";
import { feedBound } from "../orders/outbox-bounds.ts";
import { type ObservedOrder, planMessages } from "../orders/plan-messages.ts";
import { type InspectedPage, type ListReading, pageQuery, readList } from "../orders/read-list.ts";
import { newsOf, takeAsSeen, triggersOf } from "../orders/triggers.ts";
import type { Current, ServerContext } from "../outbox/context.ts";
import { planningOf } from "../outbox/planning.ts";
import type { Sender } from "../outbox/sender.ts";
import type { ProductCategories } from "../routing/match-rules.ts";
import { type CategoryMemory, createProductCategories } from "../routing/product-categories.ts";
import { hasStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import type { OrderPage, Store } from "../store-api/store-api.ts";

/**
 * A run is a group of neighbouring pages with new orders. If a process ends in the middle of a run, the orders recorded so far
 * are no longer new. So until the next process has read every page of the list, a page also belongs to a run if it has an
 * alerted order that was found at most this long ago. The time is longer than a day, because a server may be polled once a day.
 */
const longestRunMs = 25 * 60 * 60_000;
/** After this many orders, other work of the process runs. An order takes at most 1 ms (25 rules about products, 100 items). */
const plannedAtOnce = 20;

interface Reading {
  readonly current: Current;
  readonly store: Store;
  readonly memory: ListMemory;
  readonly baseline: BaselineState | undefined;
  arrived: number;
}

/** Reads one server's lists. Records the orders of each page together with the messages about them. */
export class ListRecorder {
  private readonly server: ServerContext;
  private readonly sender: Pick<Sender, "wake">;
  private categories: CategoryMemory | undefined;

  constructor(server: ServerContext, sender: Pick<Sender, "wake">) {
    this.server = server;
    this.sender = sender;
  }

  /** `arrived` is the number of new orders, and `missing` has followed orders that left the list. */
  async read(
    current: Current,
    store: Store,
    memory: ListMemory,
    baseline: BaselineState | undefined,
  ): Promise<ListReading & { readonly arrived: number }> {
    const { ledger, lease } = this.server;
    const reading: Reading = { current, store, memory, baseline, arrived: 0 };
    let { newest } = memory;
    const { failures, missing } = await readList(memory, {
      ledger,
      readPage: (page, fingerprint) =>
        store.changedOrders(pageQuery(page, memory.statuses), fingerprint, lease.untilOver()),
      inspect: (page) => {
        newest = Math.max(newest, ...page.items.map(({ createdAt = newest }) => createdAt));
        return this.inspect(page, reading);
      },
    });
    memory.newest = newest;
    return { failures, missing, arrived: reading.arrived };
  }

  private async inspect(page: OrderPage, reading: Reading): Promise<InspectedPage> {
    const { ledger, restored, failed, now } = this.server;
    const { current, store, baseline, memory } = reading;
    if (page.skipped > 0) failed("malformed");
    const triggers = triggersOf(current.guild);
    const known = await ledger.entries(page.items.map(({ id }) => id));
    const old: Order[] = [];
    const seen: ObservedOrder[] = [];
    const fresh = new Set<string>();
    let count = 0;
    for (const order of oldestFirst(page.items)) {
      const news = newsOf(order, known.get(order.id), triggers);
      if (!news) continue;
      if (!news.moved && baseline && isOfBaseline(order, baseline)) old.push(order);
      else {
        seen.push({ order, since: await restored.sinceOfOrder(order, !memory.isComplete) });
        if (news.isNew) fresh.add(order.id);
        if (news.isNew || news.isEntering) count++;
      }
    }
    const isOfRun = (row: OrderRow | undefined) => isAlerted(row) && row.foundAt >= now() - longestRunMs;
    // If the API ignores the filter, all orders of a page may be new and have other statuses. The next page may then have new
    // orders of this list.
    const hidesOthers =
      page.items.some((order) => !hasStatus(order, memory.statuses)) &&
      page.items.every(({ id, createdAt = memory.newest }) => !isDealtWith(known.get(id)) && createdAt > memory.newest);
    return {
      leadsOn: count > 0 || hidesOthers || (!memory.isComplete && [...known.values()].some(isOfRun)),
      isAllNew: count > 0 && count === page.items.length,
      record: async () => {
        current.stop.throwIfAborted();
        await takeAsSeen(ledger, old, triggers);
        reading.arrived += await this.plan(current.guild, store, seen);
        return page.items.flatMap(({ id }) => (fresh.has(id) || isAlerted(known.get(id)) ? [id] : []));
      },
    };
  }

  private async categoriesOf(guild: Guild, store: Store, seen: readonly ObservedOrder[]): Promise<ProductCategories> {
    if (!guild.routes?.some(({ category }) => category !== undefined)) return new Map();
    this.categories ??= createProductCategories(this.server.monotonic);
    const items = seen.flatMap(({ order }) => order.items);
    return this.categories.of(items, store, this.server.lease.untilOver());
  }

  /** Returns the number of new orders. */
  async plan(guild: Guild, store: Store, seen: readonly ObservedOrder[]): Promise<number> {
    const { ledger, log, guildId } = this.server;
    const planning = await planningOf(this.server, guild, await this.categoriesOf(guild, store, seen));
    let arrived = 0;
    let left = 0;
    for (let start = 0; start < seen.length; start += plannedAtOnce) {
      if (start > 0) await setImmediate();
      const some = seen.slice(start, start + plannedAtOnce);
      const ids = some.map(({ order }) => order.id);
      await ledger.write(ids, (orders, outbox) => {
        const fits = feedBound(guild, outbox);
        return some.flatMap((one) => {
          const change = planMessages(one, orders.get(one.order.id), outbox, planning);
          if (change === undefined) return [];
          const { put = [] } = change;
          if (put.some(({ kind }) => kind === "alert")) arrived++;
          const fitting = put.filter(fits);
          left += put.length - fitting.length;
          return { ...change, put: fitting };
        });
      });
    }
    if (left > 0) log.warn({ guild: guildId, orders: left }, "a feed is full: orders are left out");
    if (arrived > 0) log.info({ guild: guildId, orders: arrived }, "new orders found");
    this.sender.wake();
    return arrived;
  }
}

/** Returns each order once. For orders with the same time, the sorting of the list decides. */
function oldestFirst(items: readonly Order[]): Order[] {
  const age = ({ createdAt }: Order) => createdAt ?? Number.MAX_VALUE;
  const isRising = sortingOf(items) === "oldest_first";
  const inList = [...new Map((isRising ? items : items.toReversed()).map((order) => [order.id, order])).values()];
  return inList.sort((one, other) => age(one) - age(other));
}
