import type { Log } from "../basics/log.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Route } from "../guilds/route.ts";
import { alertBatchSize } from "../views/alert.ts";
import { hiddenMark } from "../views/hidden-mark.ts";
import type { PostPayload } from "../views/payload.ts";
import { feedBatchSize, feedMessage, routedMessage } from "../views/routed.ts";
import { contextOf } from "./alert-order.ts";
import { Backoff, type Chance, waitIn } from "./backoff.ts";
import type { Ledger } from "./ledger.ts";
import { lookFrom } from "./look-from.ts";
import { type Messenger, MessengerError } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";
import type { Resort, RouteChannels } from "./route-channels.ts";
import type { Routed } from "./routed.ts";
import { type RoutedEntry, routedKey, ruleOfKey } from "./routed-entry.ts";
import { Overtaken, type Right } from "./term.ts";
import { isBlockage, type Trouble } from "./troubles.ts";

/** Discord takes 5 messages in 5 s per channel; more than that share messages. */
const mostSingles = 5;
/** Messages whose entries are in memory at a time. */
const readAtOnce = 200;

export interface RoutePostsDeps extends Chance {
  readonly guildId: string;
  readonly routed: Routed;
  readonly ledger: Pick<Ledger, "entries">;
  readonly routeChannels: RouteChannels;
  readonly messenger: Messenger;
  guild(): Promise<Guild>;
  /** Whether this process still polls. */
  isMine(): boolean;
  failed(trouble: Trouble): void;
  readonly right: Pick<Right, "signal">;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
}

const keyOf = ({ route, order }: RoutedEntry) => routedKey(route, order.id);

/** Messages of one rule that may be posted now. */
interface Due {
  readonly route: Route;
  readonly place: Resort;
  readonly entries: readonly RoutedEntry[];
}

/**
 * Posts what rules have to say beside the alerts: lines of feeds, and rings for statuses that came later. Beside the polls,
 * and with waits of its own for each channel, so that nothing here holds up an alert. Losing it loses and doubles nothing:
 * what may have been sent is looked for in the channel by its hidden mark.
 */
export class RoutePosts {
  private readonly deps: RoutePostsDeps;
  /**
   * For what may have been sent already, where the history may not or cannot be read; by rule: each of a thousand lines that
   * asked for itself would be a refusal that Discord counts.
   */
  private readonly doubts = new Map<string, Backoff>();
  /** For the alerts' own channel, where rules have lost theirs. */
  private readonly ownWait: Backoff;
  /** For what cannot be known while the storage fails. */
  private readonly fault: Backoff;
  private running: Promise<void> | undefined;
  private isAsked = false;
  private timer: NodeJS.Timeout | undefined;
  /** Milliseconds after which to go on, as of the end of the last run; undefined when nothing waits for a time. */
  waitMs: number | undefined;
  /** Raised when everything is forgotten: what is under way then writes nothing any more. */
  private life = 0;

  constructor(deps: RoutePostsDeps) {
    this.deps = deps;
    this.ownWait = new Backoff(deps);
    this.fault = new Backoff(deps);
  }

  /** Goes on with what waits and may be sent now. Never rejects, and nobody waits for it. */
  goOn() {
    // What is put down in the moment in which it ends would wait for the next poll, which may be a day away.
    this.isAsked = true;
    if (this.running) return;
    clearTimeout(this.timer);
    this.running = this.run(this.life);
  }

  private async run(life: number) {
    const { log, guildId, signal } = this.deps;
    this.waitMs = undefined;
    try {
      while (this.isAsked) {
        this.isAsked = false;
        this.waitMs = await this.workOff(() => {
          if (life !== this.life || signal.aborted || !this.deps.isMine()) throw new Overtaken();
        });
        this.fault.ok();
      }
    } catch (error) {
      const isOver = signal.aborted || error instanceof Overtaken;
      if (!isOver) {
        this.fault.failed();
        this.waitMs = this.fault.waitMs();
        log.error({ err: error, guild: guildId }, "messages by rules could not be posted");
      }
    }
    this.running = undefined;
    if (signal.aborted) return;
    // It was another life that asked.
    if (life !== this.life && this.isAsked) return this.goOn();
    if (this.waitMs === undefined) return;
    this.timer = setTimeout(() => this.goOn(), this.waitMs).unref();
  }

  /** Gives the ms after which to go on with what waits. */
  private async workOff(assertMine: () => void): Promise<number | undefined> {
    const { routed } = this.deps;
    for (;;) {
      const keys = await routed.due();
      if (keys.length === 0) return undefined;
      assertMine();
      const guild = await this.deps.guild();
      if (!guild.alerts) return undefined;
      const { due, waitMs } = await this.next(guild, keys);
      if (due === undefined) return waitMs;
      await this.post(guild, due, assertMine);
    }
  }

  /** The oldest message that may be posted now, with others of its rule, or the ms after which one may. */
  private async next(guild: Guild, keys: readonly string[]): Promise<{ due?: Due; waitMs?: number }> {
    const { routed, ledger } = this.deps;
    let waitMs = Number.POSITIVE_INFINITY;
    const rules = new Map(guild.routes?.map((route) => [route.id, route]));
    const waits = new Map([...rules.values()].map((route) => [route.id, this.waitOfPlace(guild, route)]));
    // A thousand lines for a channel that is lost are not read at each poll.
    const free = keys.filter((key) => {
      const ms = Math.max(waits.get(ruleOfKey(key)) ?? 0, this.doubtMs(key));
      if (ms > 0) waitMs = Math.min(waitMs, ms);
      return ms === 0;
    });
    for (let start = 0; start < free.length; start += readAtOnce) {
      const some = free.slice(start, start + readAtOnce);
      const entries = await routed.entries(some);
      const isOver = (entry: RoutedEntry | undefined) => !rules.has(entry?.route ?? "");
      const over = some.filter((key) => isOver(entries.get(key)));
      if (over.length > 0) await routed.drop(over, isOver);
      const alerts = await ledger.entries([...entries.values()].map(({ order }) => order.id));
      // The alert comes first.
      const isEarly = ({ order }: RoutedEntry, { style }: Route) =>
        style === "staff" && alerts.get(order.id)?.state === "owed";
      for (const entry of entries.values()) {
        const route = rules.get(entry.route);
        const place = route && this.placeOf(guild, route);
        if (route === undefined || place === undefined || isEarly(entry, route)) continue;
        const together = [...entries.values()].filter((other) => other.route === route.id && !isEarly(other, route));
        return { due: { route, place, entries: together } };
      }
    }
    return Number.isFinite(waitMs) ? { waitMs } : {};
  }

  /** What is said to staff is said in the alerts' channel where the rule has lost its own; a feed waits. */
  private placeOf(guild: Guild, route: Route): Resort | undefined {
    const place = this.deps.routeChannels.resortOf(guild, route.id);
    if (place?.insteadOf === undefined || route.style === "staff") return place;
    const { channelId, roleId } = route;
    return { channelId, roleId, showsCustomers: false, route, insteadOf: undefined };
  }

  /** How long nothing is posted by a rule. */
  private waitOfPlace(guild: Guild, route: Route): number {
    const place = this.placeOf(guild, route);
    return place?.route ? this.deps.routeChannels.waitMs(place.channelId) : this.ownWait.waitMs();
  }

  /** How long a message waits that may have been sent. */
  private doubtMs(key: string): number {
    return this.deps.routed.neverSent.has(key) ? 0 : (this.doubts.get(ruleOfKey(key))?.waitMs() ?? 0);
  }

  private async post(guild: Guild, due: Due, assertMine: () => void) {
    const { routeChannels, log, guildId } = this.deps;
    const { route, place } = due;
    try {
      const rest = await this.unsent(guild, due, assertMine);
      for (const group of this.grouped(rest, route)) {
        if (!(await this.isWanted(route))) return;
        assertMine();
        await this.send(guild, group, due, assertMine);
        if (place.route) await routeChannels.works(route);
        else this.ownWait.ok();
        log.info({ guild: guildId, route: route.id, orders: group.length }, "posted by a rule");
      }
    } catch (error) {
      if (!(error instanceof MessengerError)) throw error;
      assertMine();
      const { code } = error;
      this.deps.failed(code === "uncertain" ? "undelivered" : code);
      log.warn({ err: error, guild: guildId, route: route.id }, "a message by a rule could not be posted; it is kept");
      if (place.route) return routeChannels.failed(guild, route, error);
      // The alerts' own channel tells of itself.
      this.ownWait.failed(error.retryAfterMs);
    }
  }

  /** False where alerts were turned off meanwhile, or the rule is gone. */
  private async isWanted(route: Route): Promise<boolean> {
    const { alerts, routes = [] } = await this.deps.guild();
    return alerts !== undefined && routes.some(({ id }) => id === route.id);
  }

  /** Those that stand in no channel, for all that is known; what may have been sent and cannot be looked for is left out. */
  private async unsent(guild: Guild, { place, route, entries }: Due, assertMine: () => void): Promise<RoutedEntry[]> {
    const { routed, messenger, routeChannels, now, log, guildId } = this.deps;
    const fresh = entries.filter((entry) => routed.neverSent.has(keyOf(entry)));
    const doubtful = entries.filter((entry) => !routed.neverSent.has(keyOf(entry)));
    if (doubtful.length === 0) return fresh;
    const since = lookFrom(
      doubtful.map(({ foundAt, sentSince = foundAt }) => sentSince),
      now(),
    );
    const marks = new Set<string>();
    try {
      for (const channelId of new Set([place.channelId, ...doubtful.flatMap(({ channelIds }) => channelIds)])) {
        const messages = await messenger.own(channelId, since).catch((error: unknown) => {
          if (channelId !== place.channelId && error instanceof MessengerError && isBlockage(error.code)) return [];
          throw error;
        });
        for (const message of messages) for (const mark of message.marks) marks.add(mark);
      }
    } catch (error) {
      if (!(error instanceof MessengerError) || error.code === "channel_gone") throw error;
      waitIn(this.doubts, route.id, this.deps).failed(error.retryAfterMs);
      log.warn({ err: error, guild: guildId, route: route.id }, "what a rule may have posted could not be looked for");
      if (isBlockage(error.code)) await routeChannels.historyHidden(guild, route, error.code);
      return fresh;
    }
    assertMine();
    const found = doubtful.filter((entry) => marks.has(this.markOf(entry)));
    await routed.sent(found);
    const isFound = new Set(found);
    const rest = doubtful.filter((entry) => !isFound.has(entry));
    this.doubts.delete(route.id);
    if (place.route) await routeChannels.historyShown(route);
    for (const entry of rest) routed.neverSent.add(keyOf(entry));
    return entries.filter((entry) => routed.neverSent.has(keyOf(entry)) && !isFound.has(entry));
  }

  private markOf({ route, order }: RoutedEntry): string {
    return hiddenMark([this.deps.guildId, route, order.id]);
  }

  /** What was in one message before is so again: Discord knows a message that it has by its nonce. */
  private grouped(entries: readonly RoutedEntry[], { style }: Route): RoutedEntry[][] {
    const byKey = new Map(entries.map((entry) => [keyOf(entry), entry]));
    const groups = entries.flatMap((entry) => {
      if (entry.batch?.[0] !== keyOf(entry)) return [];
      const members = entry.batch.flatMap((key) => byKey.get(key) ?? []);
      return members.length === entry.batch.length ? [members] : [];
    });
    const isGrouped = new Set(groups.flat());
    const others = entries.filter((entry) => !isGrouped.has(entry));
    const most = style === "feed" ? feedBatchSize : alertBatchSize;
    const size = others.length <= mostSingles ? 1 : most;
    for (let start = 0; start < others.length; start += size) groups.push(others.slice(start, start + size));
    return groups;
  }

  private async send(guild: Guild, group: readonly RoutedEntry[], due: Due, assertMine: () => void) {
    const { routed, messenger, log, guildId } = this.deps;
    const { channelId } = due.place;
    const noted = group.map((entry) => this.noted(entry, group, channelId));
    if (noted.some((entry, index) => entry !== group[index])) await routed.keep(noted);
    assertMine();
    const keys = group.map(keyOf);
    for (const key of keys) routed.neverSent.delete(key);
    const nonce = nonceFor(guildId, channelId, ["routed", ...keys]);
    const attempts = [
      group,
      group.map((entry) => ({ ...entry, order: { ...entry.order, items: [], paymentMethod: "" } })),
    ];
    for (const [index, shown] of attempts.entries()) {
      try {
        await messenger.send(channelId, this.payload(guild, shown, due), nonce, this.deps.right.signal());
        break;
      } catch (error) {
        if (!(error instanceof MessengerError) || error.code === "uncertain") throw error;
        if (error.code !== "refused") {
          for (const key of keys) routed.neverSent.add(key);
          throw error;
        }
        if (index < attempts.length - 1) continue;
        if (group.length > 1) {
          for (const key of keys) routed.neverSent.add(key);
          for (const entry of group) {
            if (!(await this.isWanted(due.route))) return;
            assertMine();
            await this.send(guild, [entry], due, assertMine);
          }
          return;
        }
        log.error({ err: error, guild: guildId, keys }, "Discord refuses a message by a rule; it is left out");
      }
    }
    assertMine();
    await routed.sent(group);
  }

  private noted(entry: RoutedEntry, group: readonly RoutedEntry[], channelId: string): RoutedEntry {
    const batch = group.length > 1 ? group.map(keyOf) : undefined;
    const isNoted = entry.channelIds.includes(channelId) && entry.batch?.join() === batch?.join();
    return isNoted ? entry : { ...entry, batch, channelIds: [...new Set([...entry.channelIds, channelId])] };
  }

  private payload(guild: Guild, group: readonly RoutedEntry[], { route, place }: Due): PostPayload {
    const ctx = contextOf(guild);
    const shown = group.map((entry) => ({ order: entry.order, mark: this.markOf(entry) }));
    if (route.style === "staff") return routedMessage(shown, { name: route.name, roleId: place.roleId }, ctx);
    const lines = shown.map((line) => ({ ...line, showsAmount: route.showsAmount === true }));
    return feedMessage(lines, ctx, place.roleId);
  }

  /** Channels or roles changed: what waits for that is tried again in so many ms. */
  channelMended(inMs: number) {
    for (const wait of [this.ownWait, ...this.doubts.values()]) wait.atMost(inMs);
    if (this.running || this.deps.signal.aborted) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.goOn(), inMs).unref();
  }

  /** Forgets what waits. */
  forget() {
    this.life++;
    clearTimeout(this.timer);
    this.waitMs = undefined;
    this.doubts.clear();
    this.ownWait.ok();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.running;
  }
}
