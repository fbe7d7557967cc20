import { setImmediate } from "node:timers/promises";
import type { Guild } from "../guilds/guild.ts";
import type { BaselineState } from "../orders/baseline.ts";
import type { Lists, Statuses } from "../orders/lists.ts";
import { feedBound } from "../orders/outbox-bounds.ts";
import { type ObservedOrder, plan } from "../orders/plan.ts";
import { type ListReading, readList } from "../orders/read-list.ts";
import { type Arrivals, pageQuery } from "../orders/scan.ts";
import { takeAsSeen, triggersOf } from "../orders/triggers.ts";
import type { ServerContext } from "../outbox/context.ts";
import type { PlanningSource } from "../outbox/planning-source.ts";
import type { Sender } from "../outbox/sender.ts";
import { sameStatus } from "../store-api/order-status.ts";
import type { Store } from "../store-api/store-api.ts";

/** A run of new orders that was not read to its end is continued within this time, so also by the next daily poll. */
const longestRunMs = 25 * 60 * 60_000;
/**
 * Number of orders planned before other work of the process gets a turn. Planning takes 1 ms per order with 25 rules about
 * products and 100 lines without product ids.
 */
const plannedAtOnce = 20;

/** The other parts of the poller that a recorder needs. */
export interface RecorderParts {
  readonly lists: Lists;
  readonly sender: Pick<Sender, "wake">;
  readonly planning: PlanningSource;
  /** Returns how far the baseline was read, or undefined if there is none. */
  baseline(guild: Guild): Promise<BaselineState | undefined>;
  /** Throws `ConflictError` if another process polls now, or if the store, the statuses or the alerts were changed. */
  assertCurrent(): Promise<void>;
}

/**
 * Reads one server's lists, and records their orders with the messages about them. orders/read-list.ts finds what is new;
 * orders/plan.ts decides the messages. Throws `StorageError` and `ConflictError`.
 */
export class ListRecorder {
  private readonly server: ServerContext;
  private readonly parts: RecorderParts;

  constructor(server: ServerContext, parts: RecorderParts) {
    this.server = server;
    this.parts = parts;
  }

  /**
   * Reads one list. The orders of page 1 are recorded before other pages are read, because those requests may hang. Returns the
   * number of new orders among them; `recordAll` records the rest.
   */
  async readRecordingPage1(
    guild: Guild,
    store: Store,
    list: Statuses,
  ): Promise<{ readonly reading: ListReading; arrived: number }> {
    const { ledger, untilOver, pace, now } = this.server;
    const { lists } = this.parts;
    const baseline = await this.parts.baseline(guild);
    const isPaced = baseline !== undefined && !baseline.done;
    const { alerting, awaited } = triggersOf(guild);
    let arrived = 0;
    const reading = await readList({
      readPage: async (page, fingerprint) => {
        if (isPaced) await pace();
        return store.changedOrders(pageQuery(page, list), fingerprint, untilOver());
      },
      known: (ids) => ledger.entries(ids),
      alertedIds: () => ledger.alertedIds(),
      early: async (found) => {
        arrived = await this.record(guild, store, list, { ...found, changed: [] });
      },
      statuses: list,
      alerting,
      awaited,
      ...(isPaced ? { baseline } : {}),
      runSince: lists.memory(list).isPlaced ? undefined : now() - longestRunMs,
      memory: lists.memory(list),
    });
    return { reading, arrived };
  }

  /** Records new and changed orders, and then remembers the list. Returns the number of new orders. */
  async recordAll(guild: Guild, store: Store, list: Statuses, reading: ListReading): Promise<number> {
    const { ledger, failed } = this.server;
    const { lists, assertCurrent } = this.parts;
    const { baseline, skipped, memory } = reading;
    if (baseline.length > 0) {
      await assertCurrent();
      await takeAsSeen(ledger, baseline, triggersOf(guild));
    }
    const arrived = await this.record(guild, store, list, reading);
    if (skipped > 0) failed("malformed");
    lists.remember(list, memory);
    return arrived;
  }

  private async record(
    guild: Guild,
    store: Store,
    list: Statuses,
    { fresh, entered, changed }: Arrivals & Pick<ListReading, "changed">,
  ): Promise<number> {
    const { restored } = this.server;
    const { lists, assertCurrent } = this.parts;
    if (fresh.length + entered.length + changed.length === 0) return 0;
    await assertCurrent();
    const isFirstRound = !lists.memory(list).isPlaced;
    const isFresh = new Set(fresh.map(({ id }) => id));
    const sightings: ObservedOrder[] = [];
    for (const order of fresh) {
      sightings.push({ order, isFresh: true, since: await restored.sentSince(order, isFirstRound) });
    }
    // While pages are read, an order may change. Then one page shows it as new, and a later page shows it with another status.
    const statusOf = new Map(fresh.map(({ id, status }) => [id, status]));
    const moved = entered.filter(({ id, status }) => !isFresh.has(id) || !sameStatus(statusOf.get(id) ?? "", status));
    const seen = new Set(moved.map(({ id }) => id));
    for (const order of [...moved, ...changed.filter(({ id }) => !seen.has(id))]) {
      sightings.push({ order, isFresh: false, since: await restored.sentSince(order, isFirstRound) });
    }
    return this.plan(guild, store, sightings);
  }

  /** Records these orders with the messages about them. Returns the number of new orders. */
  async plan(guild: Guild, store: Store, sightings: readonly ObservedOrder[]): Promise<number> {
    const { ledger, log, guildId } = this.server;
    const planning = await this.parts.planning(
      guild,
      sightings.map(({ order }) => order),
      store,
    );
    await ledger.rememberOrdersOfStore(sightings.flatMap(({ order, isFresh }) => (isFresh ? [order.id] : [])));
    let arrived = 0;
    let left = 0;
    for (let start = 0; start < sightings.length; start += plannedAtOnce) {
      if (start > 0) await setImmediate();
      const some = sightings.slice(start, start + plannedAtOnce);
      await ledger.write([...new Set(some.map(({ order }) => order.id))], (orders, outbox) => {
        const fits = feedBound(guild, outbox);
        // An order may be listed twice: as new, and with a later status. The second change builds on the first.
        const after = new Map(orders);
        return some.flatMap((sighting) => {
          const change = plan(sighting, after.get(sighting.order.id), outbox, planning);
          if (change === undefined) return [];
          for (const [id, row] of change.orders ?? []) if (row) after.set(id, row);
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
    this.parts.sender.wake();
    return arrived;
  }
}
