import type { Log } from "../basics/log.ts";
import type { Metrics } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Order } from "../store-api/schemas.ts";
import { contextOf } from "./alert-order.ts";
import { Backoff, type Chance } from "./backoff.ts";
import { type ChannelChanges, createChannelChanges, leastOfLost } from "./channel-changes.ts";
import { type Delivery, deliver, newSendMemory, type SendMemory } from "./deliver.ts";
import type { Ledger } from "./ledger.ts";
import type { Messenger, MessengerError } from "./messenger.ts";
import type { Reminders } from "./reminders.ts";
import type { Resort, RouteChannels } from "./route-channels.ts";
import { isBlockage, type Trouble, type Troubles } from "./troubles.ts";

/** Owed alerts whose entries are in memory at a time. */
const owedAtOnce = 500;
/** For so long rules' channels, which may be slow, are posted in before others have their turn. */
const longestOfRulesMs = 10_000;
/** How far back alerts of orders that are older than this process are looked for: a backup is hardly older than that. */
const oldestBackupMs = 7 * 24 * 60 * 60_000;
/** And of orders that do not say when they came. */
const timelessMs = 24 * 60 * 60_000;
/** The store tells its time in whole seconds. */
const storeClockMs = 1_000;

/** For what it is that orders of a channel wait which may have been sent already. */
interface Doubt {
  readonly wait: Backoff;
  /** Not for want of a permission, which may stay away, but of a clear answer: then what is older waits, too. */
  readonly isUnclear: boolean;
}

/** One for all servers without rules. */
const noRoutes: ReadonlyMap<string, string> = new Map();

export interface SenderDeps extends Chance {
  readonly guildId: string;
  readonly ledger: Ledger;
  readonly messenger: Messenger;
  readonly reminders: Pick<Reminders, "add">;
  readonly troubles: Troubles;
  readonly routeChannels: RouteChannels;
  guild(): Promise<Guild>;
  readonly log: Log;
  readonly metrics: Metrics;
  failed(trouble: Trouble): void;
  /** Epoch ms. */
  readonly now: () => number;
  /** False ends a delivery after the message under way. */
  goesOn(): boolean;
  /** Throws where another process polls now. */
  assertMine(): void;
  /** Ends a send that has not left yet, when the term is over. */
  signal(): AbortSignal;
}

/** Posts one server's owed alerts, and waits where Discord does not take them. Losing it loses and doubles nothing. */
export class Sender {
  private readonly wait: Backoff;
  /** Rules that had their turn, while there are others that had none. */
  private readonly served = new Set<string>();
  /** By channel, for what may have been sent already, where the history may not or cannot be read. */
  private readonly doubts = new Map<string, Doubt>();
  private readonly changes: ChannelChanges;
  private readonly deps: SenderDeps;
  private memory: SendMemory = newSendMemory();
  /** When this process began to send, epoch ms. */
  private since = 0;
  /** The rules by which owed alerts go, by the ids of orders; "" for none. */
  private routes: ReadonlyMap<string, string> = noRoutes;

  constructor(deps: SenderDeps) {
    this.deps = deps;
    this.wait = new Backoff(deps);
    this.changes = createChannelChanges(deps);
  }

  /** Nothing is known of any send: this process has the right to send since `now` (epoch ms). */
  begin(now: number) {
    this.memory = newSendMemory();
    this.routes = noRoutes;
    this.since = now;
  }

  /**
   * These orders were just found, and are about to be recorded as owed. An order that is older than this process is looked for
   * where the storage came back by other means than `npm run restore` or `import`, which mark it: that is for `Restored`.
   *
   * @param isFirstRound a list has not been read whole since its memory was lost: only then may an order be older than this
   * process, for what comes into the lists later came after every earlier one
   */
  expect(orders: readonly Order[], isFirstRound: boolean) {
    for (const { id, createdAt = this.since - timelessMs } of orders) {
      this.memory.neverSent.add(id);
      const isOlder = isFirstRound && createdAt < this.since + storeClockMs;
      if (isOlder) this.memory.older.set(id, Math.max(createdAt, this.since - oldestBackupMs));
    }
  }

  /** Ids of the orders that are owed and that Discord did not refuse for good, each with the ms for which it waits. */
  private async owed(guild: Guild): Promise<ReadonlyMap<string, number>> {
    const { refused, neverSent, older } = this.memory;
    const ids = (await this.deps.ledger.owedIds()).filter((id) => !refused.has(id));
    await this.learnRoutes(guild, ids);
    const ownMs = this.wait.waitMs();
    const waitOf = (id: string) => {
      const place = this.placeOf(guild, id);
      const channelMs = place?.route ? this.deps.routeChannels.waitMs(place.channelId) : ownMs;
      const doubt = this.doubts.get(place?.channelId ?? "");
      const isFree = neverSent.has(id) && !(doubt?.isUnclear && older.has(id));
      return isFree ? channelMs : Math.max(channelMs, doubt?.wait.waitMs() ?? 0);
    };
    return new Map(ids.map((id) => [id, waitOf(id)]));
  }

  /** Entries are read for it once in a term, and only where there are rules. */
  private async learnRoutes({ routes = [] }: Guild, ids: readonly string[]) {
    if (routes.length === 0) return;
    const unknown = ids.filter((id) => !this.routes.has(id));
    if (unknown.length === 0) return;
    const known = new Map(ids.flatMap((id) => (this.routes.has(id) ? [[id, this.routes.get(id) ?? ""]] : [])));
    for (let start = 0; start < unknown.length; start += owedAtOnce) {
      const some = unknown.slice(start, start + owedAtOnce);
      const entries = await this.deps.ledger.entries(some);
      for (const id of some) {
        const entry = entries.get(id);
        // The process may have ended between the list and the entry, which is yet to say by which rule it goes.
        if (entry?.state === "owed") known.set(id, entry.route ?? "");
      }
    }
    this.routes = known;
  }

  private placeOf(guild: Guild, id: string): Resort | undefined {
    return this.deps.routeChannels.resortOf(guild, this.routes.get(id) || undefined);
  }

  /** Milliseconds until what is owed may be sent; undefined when nothing is. */
  async waitMs(): Promise<number | undefined> {
    const owed = await this.owed(await this.deps.guild());
    return owed.size === 0 ? undefined : Math.min(...owed.values());
  }

  /**
   * The server's channels changed: what was refused or lost is tried again at a poll, in so many ms as this gives. Gives
   * nothing where an earlier change promised that already.
   */
  channelMended(): number | undefined {
    this.memory.refused.clear();
    const inMs = this.changes.changed();
    if (inMs === undefined) return undefined;
    this.wait.atMost(inMs);
    for (const { wait } of this.doubts.values()) wait.atMost(inMs);
    this.deps.routeChannels.channelMended(inMs);
    return inMs;
  }

  /** Posts what is owed, a part at a time, until it is done, somebody waits, or Discord does not take it. */
  async deliverOwed(guild: Guild): Promise<void> {
    const { guildId, troubles, routeChannels, log, goesOn } = this.deps;
    const until = this.deps.monotonic() + longestOfRulesMs;
    while (guild.alerts && goesOn()) {
      const due = [...(await this.owed(guild))].flatMap(([id, waitMs]) => (waitMs === 0 ? [id] : []));
      const place = this.nextPlace(guild, due);
      if (place === undefined) return;
      const mayGoOn = () => goesOn() && (place.route === undefined || this.deps.monotonic() < until);
      if (!mayGoOn()) return;
      const { route, insteadOf, channelId } = place;
      const isThere = (other: Resort | undefined) => other?.route === route && other?.insteadOf === insteadOf;
      const ids = due.filter((id) => isThere(this.placeOf(guild, id))).slice(0, owedAtOnce);
      const begun = this.deps.monotonic();
      const isInDoubt = ids.some((id) => !this.memory.neverSent.has(id));
      const { posted, failure, hidden } = await this.deliverSome(guild, ids, place, mayGoOn);
      if (posted > 0) log.info({ guild: guildId, orders: posted }, "alerts posted");
      if (failure && route) {
        this.deps.failed(failure.code === "uncertain" ? "undelivered" : failure.code);
        log.warn({ err: failure, guild: guildId, route: route.id }, "alerts could not be posted by a rule");
        await routeChannels.failed(guild, route, failure);
        continue;
      }
      if (failure) {
        const { code, retryAfterMs } = failure;
        // What took some of them fails now and then, and is not left alone for ever longer.
        if (posted > 0) this.wait.ok();
        this.wait.failed(retryAfterMs, isBlockage(code) ? leastOfLost : 1);
        // What Discord itself asks for is no matter of who changed what.
        if (isBlockage(code)) this.wait.atMost(this.changes.aheadMs(begun));
        this.deps.failed(code === "uncertain" ? "undelivered" : code);
        const fields = { err: failure, guild: guildId, owed: ids.length - posted };
        log.warn(fields, "alerts could not be posted; they stay owed");
        if (isBlockage(code)) await troubles.channelFailed(guild, code);
        return;
      }
      if (route === undefined) this.wait.ok();
      if (hidden) {
        await this.historyHidden(guild, hidden, begun, place);
      } else {
        if (this.doubts.get(channelId)?.wait.waitMs() === 0) this.doubts.delete(channelId);
        if (isInDoubt && route) await routeChannels.historyShown(route);
        if (posted > 0 && route) await routeChannels.works(route);
        else if (posted > 0 && !this.doubts.has(channelId)) await troubles.channelWorks();
      }
    }
  }

  /** What may have been sent already waits; nothing else does. */
  private async historyHidden(guild: Guild, failure: MessengerError, begun: number, { channelId, route }: Resort) {
    const { code, retryAfterMs } = failure;
    const mayNotRead = isBlockage(code);
    const wait = this.doubts.get(channelId)?.wait ?? new Backoff(this.deps);
    this.doubts.set(channelId, { wait, isUnclear: !mayNotRead });
    wait.failed(retryAfterMs, mayNotRead ? leastOfLost : 1);
    if (mayNotRead) wait.atMost(this.changes.aheadMs(begun));
    this.deps.failed(code === "uncertain" ? "undelivered" : code);
    const fields = { err: failure, guild: this.deps.guildId };
    this.deps.log.warn(fields, "alerts that may have been posted already could not be looked for; they stay owed");
    if (mayNotRead && route) await this.deps.routeChannels.historyHidden(guild, route, code);
    else if (mayNotRead) await this.deps.troubles.channelFailed(guild, code);
  }

  /** The alerts' own channel comes first, and each rule in its turn. */
  private nextPlace(guild: Guild, due: readonly string[]): Resort | undefined {
    const places = due.flatMap((id) => this.placeOf(guild, id) ?? []);
    const own = places.find(({ route }) => route === undefined);
    if (own) return own;
    const next = places.find(({ route }) => !this.served.has(route?.id ?? ""));
    if (next === undefined) this.served.clear();
    const place = next ?? places[0];
    if (place?.route) this.served.add(place.route.id);
    return place;
  }

  private async deliverSome(
    guild: Guild,
    ids: readonly string[],
    place: Resort,
    goesOn: () => boolean,
  ): Promise<Delivery> {
    const { guildId, ledger, messenger, reminders, log, metrics, now } = this.deps;
    const known = await ledger.entries(ids);
    const owed = ids.flatMap((id) => {
      const entry = known.get(id);
      return entry?.state === "owed" ? [entry] : [];
    });
    if (owed.length < ids.length) await ledger.unlist(ids.filter((id) => known.get(id)?.state !== "owed"));
    return deliver({
      guildId,
      place,
      owed,
      ...this.memory,
      ctx: contextOf(guild),
      ledger,
      messenger,
      reminders,
      log,
      metrics,
      now,
      signal: this.deps.signal(),
      goesOn,
      assertMine: () => this.deps.assertMine(),
    });
  }
}
