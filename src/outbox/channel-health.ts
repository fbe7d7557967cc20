import { z } from "zod";
import { Backoff, type Chance } from "../basics/backoff.ts";
import type { Log } from "../basics/log.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Route } from "../guilds/route.ts";
import type { Storage, Table, TableShape } from "../storage/table.ts";
import { serverNotice } from "../views/alerts/server-notice.ts";
import { createChannelChanges, leastOfLost } from "./channel-changes.ts";
import { type Destination, destinationOf } from "./destination.ts";
import { type Messenger, MessengerError } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";
import { type BlockedReason, blocksChannel, type Notices } from "./notices.ts";

const toldSchema = z.record(z.string(), z.object({ since: z.number(), told: z.boolean() }));
type Told = Readonly<z.infer<typeof toldSchema>>;

/**
 * By the ids of servers: rules, by their ids, in whose channels nothing can be posted, and by {@link ofHistory} those of which
 * the history may not be read. What is malformed is told once more.
 */
export const routeNoticesTable: TableShape<Told> = {
  name: "route-troubles",
  schema: toldSchema.catch({}),
  version: 1,
};

const ofHistory = ({ id }: Route) => `${id} history`;

/** Whether a rule waits for its channel to work again. */
export const isRouteBlocked = (route: Route, known: Told): boolean => route.id in known || ofHistory(route) in known;

/** So often in a row without a clear answer, some 2 minutes, a channel is as good as lost: what piles up there is read no further. */
const unclearAsLost = 6;

/** Alerts and messages by rules; replies and reminders, which never hold alerts up; and edits. */
export type Lane = "alert" | "follow" | "edit";

/** Where a message goes. */
export interface Target extends Destination {
  /** The rule whose channel is lost, where this is the alerts' own in its place. */
  readonly fallbackFor: Route | undefined;
}

interface Health {
  /** For everything that is posted there. */
  readonly posts: Backoff;
  /** For what may stand there already, where the history may not or cannot be read. */
  readonly doubts: Backoff;
  isLost: boolean;
}

export interface ChannelHealthDeps extends Chance {
  readonly guildId: string;
  readonly storage: Storage;
  readonly messenger: Pick<Messenger, "tellOwner">;
  readonly notices: Pick<Notices, "channelFailed" | "channelWorks">;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: () => number;
}

/** How the channels of one server are: how long each is left alone, and who was told why. Losing it loses and doubles nothing. */
export class ChannelHealth {
  private readonly deps: ChannelHealthDeps;
  private readonly changes: ReturnType<typeof createChannelChanges>;
  /** By lane and channel. */
  private readonly known = new Map<string, Health>();
  private told: Told | undefined;

  constructor(deps: ChannelHealthDeps) {
    this.deps = deps;
    this.changes = createChannelChanges(deps);
  }

  private get table(): Table<Told> {
    return this.deps.storage.table(routeNoticesTable);
  }

  private of(lane: Lane, channelId: string): Health {
    const name = `${lane} ${channelId}`;
    const health = this.known.get(name) ?? {
      posts: new Backoff(this.deps),
      doubts: new Backoff(this.deps),
      isLost: false,
    };
    this.known.set(name, health);
    return health;
  }

  /** Where messages by this rule go: no order waits for a channel that its rule has lost. */
  target(guild: Guild, routeId: string | undefined): Target | undefined {
    const place = destinationOf(guild, routeId);
    const own = destinationOf(guild, undefined);
    const isOwn = place?.channelId === own?.channelId;
    if (!place?.route || isOwn || !this.isLost(place.channelId)) return place && { ...place, fallbackFor: undefined };
    return own && { ...own, fallbackFor: place.route };
  }

  isLost(channelId: string): boolean {
    const lanes = ["alert", "follow"] as const;
    return lanes.some(
      (lane) => this.known.get(`${lane} ${channelId}`)?.isLost === true && this.waitMs(lane, channelId) > 0,
    );
  }

  /** Milliseconds for which nothing is to be posted there. */
  waitMs(lane: Lane, channelId: string): number {
    return this.known.get(`${lane} ${channelId}`)?.posts.waitMs() ?? 0;
  }

  /** Milliseconds for which what may stand there is not to be looked for. */
  searchWaitMs(lane: Lane, channelId: string): number {
    return this.known.get(`${lane} ${channelId}`)?.doubts.waitMs() ?? 0;
  }

  /** Nothing could be posted there; tells once why, if a person has to do something about it. Throws `StorageError`. */
  async failed(
    lane: Lane,
    guild: Guild,
    { channelId, route }: Pick<Target, "channelId" | "route">,
    error: MessengerError,
  ) {
    const { code, retryAfterMs } = error;
    const health = this.of(lane, channelId);
    health.posts.failed(retryAfterMs, blocksChannel(code) ? leastOfLost : 1);
    health.isLost = blocksChannel(code) || health.posts.failures >= unclearAsLost;
    if (blocksChannel(code)) await this.tell(guild, channelId, route, code);
  }

  /** What may stand there cannot be looked for. Throws `StorageError`. */
  async hidden(
    lane: Lane,
    guild: Guild,
    { channelId, route }: Pick<Target, "channelId" | "route">,
    error: MessengerError,
  ) {
    const { code, retryAfterMs } = error;
    this.of(lane, channelId).doubts.failed(retryAfterMs, blocksChannel(code) ? leastOfLost : 1);
    if (blocksChannel(code)) await this.tell(guild, channelId, route, code, true);
  }

  /** Something was posted there. Throws `StorageError`. */
  async works(lane: Lane, guild: Guild, { channelId, route }: Pick<Target, "channelId" | "route">) {
    const health = this.known.get(`${lane} ${channelId}`);
    health?.posts.ok();
    if (health) health.isLost = false;
    if (route) await this.over(route.id);
    else if (channelId === guild.alerts?.channelId && (health?.doubts.failures ?? 0) === 0) {
      await this.deps.notices.channelWorks();
    }
  }

  /** Its history could be read. Throws `StorageError`. */
  async shown(lane: Lane, { channelId, route }: Pick<Target, "channelId" | "route">) {
    this.known.get(`${lane} ${channelId}`)?.doubts.ok();
    if (route) await this.over(ofHistory(route));
  }

  private async tell(
    guild: Guild,
    channelId: string,
    route: Route | undefined,
    reason: BlockedReason,
    isHistory = false,
  ) {
    if (route) return this.tellOfRule(guild, route, reason, isHistory ? ofHistory(route) : route.id);
    if (channelId === guild.alerts?.channelId) await this.deps.notices.channelFailed(guild, reason);
  }

  private async tellOfRule(guild: Guild, route: Route, reason: BlockedReason, key: string) {
    const known = await this.record();
    // That a permission is missing is one notice for both.
    if (known[route.id]?.told || (reason === "forbidden" && known[ofHistory(route)]?.told)) return;
    const since = known[key]?.since ?? this.deps.now();
    await this.keep(guild, { [key]: { since, told: false } });
    const about = reason === "forbidden" ? "route_forbidden" : "route_channel_gone";
    const { channelId, name, style } = route;
    const make = (server: string) =>
      serverNotice({ about, server, channelId, rule: name, style }, guild.settings.language);
    const nonce = nonceFor(guild.id, channelId, [reason, route.id, String(since)]);
    const isTold = await this.deps.messenger.tellOwner(guild.id, make, nonce).then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof MessengerError)) throw error;
        this.deps.log.warn({ err: error, guild: guild.id, about }, "a notice could not be delivered");
        // An owner who takes no direct messages will not take the next one either.
        return error.code === "forbidden";
      },
    );
    if (isTold) await this.keep(guild, { [key]: { since, told: true } });
  }

  private async record(): Promise<Told> {
    this.told ??= (await this.table.get(this.deps.guildId)) ?? {};
    return this.told;
  }

  /** Of rules that are there: those that were removed are blocked no more. */
  private async keep({ routes = [] }: Guild, change: Told) {
    const present = new Set(routes.flatMap((route) => [route.id, ofHistory(route)]));
    const others = Object.entries(await this.record()).filter(([id]) => present.has(id));
    await this.set({ ...Object.fromEntries(others), ...change });
  }

  private async over(key: string) {
    const { [key]: before, ...others } = await this.record();
    if (before !== undefined) await this.set(others);
  }

  private async set(next: Told) {
    this.told = undefined;
    await this.table.set(this.deps.guildId, next);
    this.told = next;
  }

  /**
   * Channels or roles changed: what was refused is tried again in so many ms as this gives; nothing where an earlier change
   * promised that already.
   */
  changed(): number | undefined {
    const inMs = this.changes.changed();
    if (inMs === undefined) return undefined;
    for (const { posts, doubts } of this.known.values()) for (const wait of [posts, doubts]) wait.atMost(inMs);
    return inMs;
  }

  /** What failed since `since` (by the monotonic clock) does not put off what was promised for a change. */
  promised(lane: Lane, channelId: string, since: number) {
    const health = this.known.get(`${lane} ${channelId}`);
    for (const wait of health ? [health.posts, health.doubts] : []) wait.atMost(this.changes.aheadMs(since));
  }

  /** What is in memory is not what is in storage any more. */
  forgetMemory() {
    this.told = undefined;
  }

  async clear(): Promise<void> {
    this.told = undefined;
    this.known.clear();
    await this.table.delete(this.deps.guildId);
  }
}
