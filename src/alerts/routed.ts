import { setImmediate } from "node:timers/promises";
import type { Log } from "../basics/log.ts";
import { createQueue } from "../basics/queue.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Route } from "../guilds/route.ts";
import { type ProductCategories, type Routing, routesFor, statusesOf } from "../routing/fit.ts";
import { type CategoryMemory, createProductCategories } from "../routing/product-categories.ts";
import type { Storage, Table } from "../storage/table.ts";
import { statusKey, withStatus } from "../store-api/orders.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";
import { toAlertOrder } from "./alert-order.ts";
import { createIdList, type IdList } from "./id-list.ts";
import type { Restored } from "./restored.ts";
import {
  firstRing,
  type RoutedEntry,
  routedKey,
  routedTable,
  ruleOfKey,
  type Sight,
  sightsTable,
} from "./routed-entry.ts";

/** Lines that wait, of one feed: 800 bytes each, 20 MB of all feeds of a server. Whatever fits it beyond that is left out of it. */
const mostWaiting = 1_000;
/** Entries read or written at a time: SQLite works on the event loop, which others wait for. */
const sliceSize = 100;
/** Orders matched with rules before the event loop turns: 1 ms each with 25 rules about products and 100 lines without product ids. */
const matchedAtOnce = 20;

/** An order, and a status in which it was seen. */
export type Seen = readonly [orderId: string, status: string];

export interface RoutedDeps {
  readonly guildId: string;
  readonly storage: Storage;
  readonly restored: Pick<Restored, "sentSince">;
  readonly monotonic: () => number;
  readonly log: Log;
  /** Aborted when the process ends, or its right to poll. */
  untilOver(): AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
}

/** Orders in which rules may be interested. */
export interface Found {
  readonly guild: Guild;
  readonly store: Store;
  readonly orders: readonly Order[];
  /** Those that ring for the first time. */
  readonly fresh: ReadonlySet<string>;
  /** The list has not been read whole since its memory was lost. */
  readonly isFirstRound: boolean;
  /** Throws where nothing may be recorded any more. */
  assertMine(): void;
}

const unseen: Sight = { statuses: [] };

/**
 * What rules have to do with one server's orders: in which statuses each was seen, and which messages are still to be sent.
 * Every method throws `StorageError`.
 *
 * Messages are put down before the status is, and are sent only after either: a crash in between makes the same messages
 * due again, of which those that were sent are known by their rule.
 */
export class Routed {
  /** Keys of messages of which it is certain that no send was ever under way. */
  readonly neverSent = new Set<string>();
  private readonly deps: RoutedDeps;
  private readonly writes = createQueue();
  private waiting: readonly string[] | undefined;
  private categories: CategoryMemory | undefined;

  constructor(deps: RoutedDeps) {
    this.deps = deps;
  }

  // There is one of this for each of thousands of servers, of which few have rules.
  private get sightsOf(): Table<Sight> {
    return this.deps.storage.table(sightsTable, this.deps.guildId);
  }

  private get table(): Table<RoutedEntry | null> {
    return this.deps.storage.table(routedTable, this.deps.guildId);
  }

  private get list(): IdList {
    return createIdList(this.deps.storage, `${this.deps.guildId}:routed`);
  }

  /** What is known of these orders. */
  async sights(ids: readonly string[]): Promise<Map<string, Sight>> {
    const known = new Map<string, Sight>();
    for (let start = 0; start < ids.length; start += sliceSize) {
      if (start > 0) await setImmediate();
      const some = ids.slice(start, start + sliceSize);
      for (const [index, sight] of (await this.sightsOf.getMany(some)).entries()) {
        if (sight) known.set(some[index] ?? "", sight);
      }
    }
    return known;
  }

  private async keepSights(sights: readonly (readonly [string, Sight])[]) {
    for (let start = 0; start < sights.length; start += sliceSize) {
      if (start > 0) await setImmediate();
      await this.sightsOf.setMany(sights.slice(start, start + sliceSize));
    }
  }

  /** Takes these statuses as seen: no rule counts for what was there before it. Gives how many were not. */
  see(seen: readonly Seen[]): Promise<number> {
    if (seen.length === 0) return Promise.resolve(0);
    return this.writes.run(async () => {
      const known = await this.sights(seen.map(([id]) => id));
      const fresh = seen.filter(([id, status]) => !known.get(id)?.statuses.includes(statusKey(status)));
      const next = fresh.map(([id, status]) => {
        const sight = known.get(id) ?? unseen;
        return [id, { ...sight, statuses: [...sight.statuses, statusKey(status)] }] as const;
      });
      await this.keepSights(next);
      return fresh.length;
    });
  }

  private async categoriesOf({ guild, orders, store }: Found): Promise<ProductCategories> {
    if (guild.routes?.every(({ category }) => category === undefined) ?? true) return new Map();
    this.categories ??= createProductCategories(this.deps.monotonic);
    const items = orders.flatMap((order) => order.items);
    return this.categories.of(items, store, this.deps.untilOver());
  }

  /**
   * Puts down what rules say of these orders: what is to be sent, and that it was seen. Gives where those go that ring for
   * the first time.
   */
  async find(found: Found): Promise<ReadonlyMap<string, Routing>> {
    const { guild, fresh, assertMine } = found;
    const routes = guild.routes ?? [];
    const own = guild.alerts?.channelId;
    const isWaitedFor = withStatus(statusesOf(routes));
    const orders = found.orders.filter((order) => fresh.has(order.id) || isWaitedFor(order));
    const first = new Map<string, Routing>();
    if (routes.length === 0 || orders.length === 0) return first;
    const categories = await this.categoriesOf({ ...found, orders });
    for (const [index, order] of orders.entries()) {
      if (index % matchedAtOnce === matchedAtOnce - 1) await setImmediate();
      if (!fresh.has(order.id)) continue;
      first.set(order.id, routesFor(routes, order, categories, { isNew: true, isEntering: isWaitedFor(order) }));
    }
    await this.writes.run(async () => {
      const known = await this.sights(orders.map(({ id }) => id));
      const sights: [string, Sight][] = [];
      const entries = new Map<string, RoutedEntry>();
      for (const [index, order] of orders.entries()) {
        if (index % matchedAtOnce === matchedAtOnce - 1) await setImmediate();
        const sight = known.get(order.id) ?? unseen;
        const key = statusKey(order.status);
        const isNew = fresh.has(order.id);
        const events = [...(isNew ? [firstRing] : []), ...(isWaitedFor(order) ? [key] : [])];
        const now = events.filter((event) => !sight.statuses.includes(event));
        if (now.length === 0) continue;
        const event = { isNew: now.includes(firstRing), isEntering: now.includes(key) };
        const { staff, feeds } = routesFor(routes, order, categories, event);
        const isRung = !isNew && staff !== undefined;
        for (const route of isRung ? [staff, ...feeds] : feeds) {
          if (sight.sent?.includes(route.id)) continue;
          const sentSince = await this.deps.restored.sentSince(order, found.isFirstRound);
          entries.set(routedKey(route.id, order.id), {
            route: route.id,
            order: toAlertOrder(order, "none"),
            event: route.status === undefined ? firstRing : key,
            // Where the rule had lost its channel, it was posted in the alerts' own.
            channelIds: sentSince && own && route.style === "staff" ? [own, route.channelId] : [route.channelId],
            foundAt: this.deps.now(),
            ...(sentSince === undefined ? {} : { sentSince }),
          });
        }
        const rung = isRung ? [...(sight.rung ?? []), key] : sight.rung;
        sights.push([order.id, { ...sight, statuses: [...sight.statuses, ...now], ...(rung ? { rung } : {}) }]);
      }
      if (sights.length === 0) return;
      assertMine();
      await this.owe(entries, routes);
      assertMine();
      await this.keepSights(sights);
    });
    return first;
  }

  /** Only what is not there already: that may have been sent. */
  private async owe(entries: ReadonlyMap<string, RoutedEntry>, routes: readonly Route[]) {
    if (entries.size === 0) return;
    const waiting = await this.listed();
    const isFeed = new Set(routes.flatMap(({ id, style }) => (style === "feed" ? [id] : [])));
    const keys = [...entries.keys()];
    const there = await this.table.getMany(keys);
    const lines = new Map<string, number>();
    const count = (route: string) => {
      const before = lines.get(route) ?? waiting.filter((key) => ruleOfKey(key) === route).length;
      lines.set(route, before + 1);
      return before;
    };
    const fresh = [...entries].filter((_, index) => !there[index]);
    const added = fresh.filter(([, { route }]) => !isFeed.has(route) || count(route) < mostWaiting);
    const left = fresh.length - added.length;
    if (left > 0) this.deps.log.warn({ guild: this.deps.guildId, orders: left }, "a feed is full: orders are left out");
    if (added.length === 0) return;
    const names = added.map(([key]) => key);
    this.waiting = undefined;
    await this.list.add(names);
    for (const [key, { sentSince }] of added) if (sentSince === undefined) this.neverSent.add(key);
    for (let start = 0; start < added.length; start += sliceSize) {
      await this.table.setMany(added.slice(start, start + sliceSize));
    }
    this.waiting = [...new Set([...waiting, ...names])];
  }

  private async listed(): Promise<readonly string[]> {
    this.waiting ??= await this.list.read();
    return this.waiting;
  }

  /** The statuses for which a message by one of these rules, or by one before, rings that this order came to them. */
  async rung(orderId: string, routes: readonly Route[] = []): Promise<readonly string[]> {
    const { rung = [], sent = [] } = (await this.sights([orderId])).get(orderId) ?? unseen;
    // What was put down, or sent, before the status was: the process ended in between.
    const staff = routes.filter(({ style }) => style === "staff");
    const there = await this.entries(staff.map(({ id }) => routedKey(id, orderId)));
    const isSent = ({ id }: Route) => sent.includes(id) || there.has(routedKey(id, orderId));
    return [...rung, ...statusesOf(staff.filter(isSent))];
  }

  /** Keys of what is to be sent, the oldest first; from memory once they were read. */
  due(): Promise<readonly string[]> {
    return this.waiting ? Promise.resolve(this.waiting) : this.writes.run(() => this.listed());
  }

  /** How many messages in the style of alerts are to be sent. */
  async ringsDue(routes: readonly Route[] = []): Promise<number> {
    const rings = new Set(routes.flatMap(({ id, style }) => (style === "staff" ? [id] : [])));
    return rings.size === 0 ? 0 : (await this.due()).filter((key) => rings.has(ruleOfKey(key))).length;
  }

  /** The messages of these keys that are still to be sent. */
  async entries(keys: readonly string[]): Promise<Map<string, RoutedEntry>> {
    const found = await this.table.getMany(keys);
    return new Map(keys.flatMap((key, index) => (found[index] ? [[key, found[index]] as const] : [])));
  }

  /** To be sent as before, with more known of where they may stand. */
  keep(entries: readonly RoutedEntry[]): Promise<void> {
    return this.writes.run(() =>
      this.table.setMany(entries.map((entry) => [routedKey(entry.route, entry.order.id), entry])),
    );
  }

  /** They stand in their channels. */
  sent(entries: readonly RoutedEntry[]): Promise<void> {
    return this.writes.run(async () => {
      const known = await this.sights(entries.map(({ order }) => order.id));
      const changed = new Map<string, Sight>();
      for (const { order, event, route } of entries) {
        const sight = changed.get(order.id) ?? known.get(order.id) ?? unseen;
        const isKnown = sight.statuses.includes(event) || sight.sent?.includes(route);
        if (!isKnown) changed.set(order.id, { ...sight, sent: [...(sight.sent ?? []), route] });
      }
      await this.keepSights([...changed]);
      await this.remove(entries.map((entry) => routedKey(entry.route, entry.order.id)));
    });
  }

  /**
   * Nobody is to send them any more.
   *
   * @param isOver asked once more when it is the turn of this: what was listed and not there may have been put down meanwhile
   */
  drop(keys: readonly string[], isOver: (entry: RoutedEntry | undefined) => boolean): Promise<void> {
    return this.writes.run(async () => {
      const entries = await this.entries(keys);
      await this.remove(keys.filter((key) => isOver(entries.get(key))));
    });
  }

  private async remove(keys: readonly string[]) {
    if (keys.length === 0) return;
    const gone = new Set(keys);
    const before = await this.listed();
    this.waiting = undefined;
    await this.table.deleteMany(keys);
    await this.list.remove(keys);
    for (const key of keys) this.neverSent.delete(key);
    this.waiting = before.filter((key) => !gone.has(key));
  }

  /**
   * The store is another one, or may be: nothing but what is to be sent is of any use.
   *
   * @param but orders that wait in the new store: another process may have taken them as seen already
   */
  startOver(but: readonly string[] = []): Promise<void> {
    return this.writes.run(async () => {
      const stays = new Set(but);
      const gone: string[] = [];
      let read = 0;
      for await (const [id] of this.sightsOf.entries()) {
        if (++read % sliceSize === 0) await setImmediate();
        if (!stays.has(id)) gone.push(id);
      }
      for (let start = 0; start < gone.length; start += sliceSize) {
        await this.sightsOf.deleteMany(gone.slice(start, start + sliceSize));
      }
    });
  }

  /** Alerts were turned off. */
  dropAll(): Promise<void> {
    return this.writes.run(async () => {
      const keys = await this.list.read();
      this.waiting = undefined;
      // To clear the table would walk the keys of all servers where they are in Redis, as often as somebody presses.
      for (let start = 0; start < keys.length; start += sliceSize) {
        await this.table.deleteMany(keys.slice(start, start + sliceSize));
      }
      await this.list.clear();
      this.neverSent.clear();
    });
  }

  /** What is in memory is not what is in storage any more. */
  forgetMemory() {
    this.waiting = undefined;
    this.neverSent.clear();
  }

  async clear(): Promise<void> {
    await this.dropAll();
    await this.writes.run(async () => {
      await this.table.clear();
      await this.sightsOf.clear();
    });
  }
}
