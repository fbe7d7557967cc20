import { z } from "zod";
import type { Log } from "../basics/log.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Route } from "../guilds/route.ts";
import type { Storage, Table, TableShape } from "../storage/table.ts";
import { alertNotice } from "../views/alert-notice.ts";
import { Backoff, type Chance } from "./backoff.ts";
import { leastOfLost } from "./channel-changes.ts";
import { type Messenger, MessengerError } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";
import { type Place, placeOf } from "./place.ts";
import { type Blockage, isBlockage } from "./troubles.ts";

const troublesSchema = z.record(z.string(), z.object({ since: z.number(), told: z.boolean() }));
type RouteTroubles = Readonly<z.infer<typeof troublesSchema>>;

/**
 * By the ids of servers: rules, by their ids, in whose channels nothing can be posted, and by {@link ofHistory} those of which
 * the history may not be read. What is malformed is told once more.
 */
export const routeTroublesTable: TableShape<RouteTroubles> = {
  name: "route-troubles",
  schema: troublesSchema.catch({}),
  version: 1,
};

/** So often in a row without a clear answer, some 2 minutes, a channel is as good as lost: what piles up there is read no further. */
const unclearAsLost = 6;

const ofHistory = ({ id }: Route) => `${id} history`;

/** Whether a rule waits for its channel to be mended. */
export const isInTrouble = (route: Route, known: RouteTroubles): boolean =>
  route.id in known || ofHistory(route) in known;

export interface RouteChannelsDeps extends Chance {
  readonly guildId: string;
  readonly storage: Storage;
  readonly messenger: Pick<Messenger, "tellOwner">;
  readonly log: Log;
  /** Epoch ms. */
  readonly now: () => number;
}

/** A rule's place, or the alerts' own channel in its stead. */
export interface Resort extends Place {
  /** The rule whose channel is lost. */
  readonly insteadOf: Route | undefined;
}

/** How the channels of one server's rules fare. Losing it loses and doubles nothing. */
export class RouteChannels {
  private readonly deps: RouteChannelsDeps;
  /** By channel; made for the first of them, for there is one of this for each of thousands of servers. */
  private waits: Map<string, { readonly wait: Backoff; readonly isLost: boolean }> | undefined;
  private known: RouteTroubles | undefined;

  constructor(deps: RouteChannelsDeps) {
    this.deps = deps;
  }

  private get table(): Table<RouteTroubles> {
    return this.deps.storage.table(routeTroublesTable);
  }

  /** Where an alert by this rule goes: no order waits for a channel that its rule has lost. */
  resortOf(guild: Guild, routeId: string | undefined): Resort | undefined {
    const place = placeOf(guild, routeId);
    const own = placeOf(guild, undefined);
    const isOwn = place?.channelId === own?.channelId;
    if (!place?.route || isOwn || !this.isLost(place.channelId)) return place && { ...place, insteadOf: undefined };
    return own && { ...own, insteadOf: place.route };
  }

  private isLost(channelId: string): boolean {
    return this.waits?.get(channelId)?.isLost === true && this.waitMs(channelId) > 0;
  }

  /** Milliseconds for which nothing is to be posted there. */
  waitMs(channelId: string): number {
    return this.waits?.get(channelId)?.wait.waitMs() ?? 0;
  }

  /** Nothing could be posted there; tells the server's owner once why, if somebody has to mend it. Throws `StorageError`. */
  async failed(guild: Guild, route: Route, { code, retryAfterMs }: MessengerError): Promise<void> {
    this.waits ??= new Map();
    const wait = this.waits.get(route.channelId)?.wait ?? new Backoff(this.deps);
    wait.failed(retryAfterMs, isBlockage(code) ? leastOfLost : 1);
    this.waits.set(route.channelId, { wait, isLost: isBlockage(code) || wait.failures >= unclearAsLost });
    if (isBlockage(code)) await this.tell(guild, route, code);
  }

  /**
   * What may stand there cannot be looked for; tells the server's owner once, whatever is posted there meanwhile. Throws
   * `StorageError`.
   */
  historyHidden(guild: Guild, route: Route, reason: Blockage): Promise<void> {
    return this.tell(guild, route, reason, ofHistory(route));
  }

  private async tell(guild: Guild, route: Route, reason: Blockage, key = route.id) {
    const known = await this.troubles();
    // That a permission is missing is one notice for both.
    if (known[route.id]?.told || (reason === "forbidden" && known[ofHistory(route)]?.told)) return;
    const since = known[key]?.since ?? this.deps.now();
    await this.keep(guild, { [key]: { since, told: false } });
    const about = reason === "forbidden" ? "route_forbidden" : "route_channel_gone";
    const { channelId, name, style } = route;
    const make = (server: string) =>
      alertNotice({ about, server, channelId, rule: name, style }, guild.settings.language);
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

  private async troubles(): Promise<RouteTroubles> {
    this.known ??= (await this.table.get(this.deps.guildId)) ?? {};
    return this.known;
  }

  /** Of rules that are there: those that were removed have no trouble any more. */
  private async keep({ routes = [] }: Guild, change: RouteTroubles) {
    const present = new Set(routes.flatMap((route) => [route.id, ofHistory(route)]));
    const others = Object.entries(await this.troubles()).filter(([id]) => present.has(id));
    const next = { ...Object.fromEntries(others), ...change };
    this.known = undefined;
    await this.table.set(this.deps.guildId, next);
    this.known = next;
  }

  /** Something was posted there by this rule. Throws `StorageError`. */
  async works(route: Route): Promise<void> {
    this.waits?.delete(route.channelId);
    await this.isOver(route.id);
  }

  /** What may stand there could be looked for again. Throws `StorageError`. */
  historyShown(route: Route): Promise<void> {
    return this.isOver(ofHistory(route));
  }

  private async isOver(key: string) {
    const { [key]: before, ...others } = await this.troubles();
    if (before === undefined) return;
    this.known = undefined;
    await this.table.set(this.deps.guildId, others);
    this.known = others;
  }

  /** Channels or roles changed: what was refused there is tried again in so many ms. */
  channelMended(inMs: number) {
    for (const { wait } of this.waits?.values() ?? []) wait.atMost(inMs);
  }

  /** What is in memory is not what is in storage any more. */
  forgetMemory() {
    this.known = undefined;
  }

  async clear(): Promise<void> {
    this.known = undefined;
    this.waits = undefined;
    await this.table.delete(this.deps.guildId);
  }
}
