import { Backoff, type Chance } from "../basics/backoff.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Route } from "../guilds/route.ts";
import { type Destination, destinationOf } from "./destination.ts";
import type { MessengerError } from "./messenger.ts";
import { type BlockedReason, blocksChannel, type Notices } from "./notices.ts";
import { createRetryAfterChange, type RetryAfterChange } from "./retry-after-change.ts";

/** A lost channel counts as this many failures from the start (8 to 16 s): only its owner can repair it. */
export const leastOfLost = 4;
/** A channel counts as lost after this many sends in a row without a clear answer, some 2 minutes. */
const unclearAsLost = 6;
/** After this many messages in a row without a clear answer, all messages of the channel wait: its or Discord's fault, not theirs. */
const unclearForAll = 3;

/** Alerts and messages by rules; replies and reminders, which never hold alerts up; and edits. */
export type Lane = "alert" | "follow" | "edit";

interface Health {
  /** The wait of all messages if {@link isForAll}. Otherwise it only counts the failures in a row. */
  readonly posts: Backoff;
  isForAll: boolean;
  /** The waits of rows that failed there, by their keys. Rows of one message share one. */
  readonly rows: Map<string, Backoff>;
  /** Messages that failed since Discord last took one, each by the key of its first row. */
  readonly failing: Set<string>;
  /** The wait after searches that failed. */
  readonly searches: Backoff;
  isLost: boolean;
}

export interface ChannelHealthDeps extends Chance {
  readonly notices: Pick<Notices, "channelFailed" | "channelWorks" | "routeFailed" | "routeWorks">;
}

/** Which channels of one server fail, and how long each waits. Without this memory no message is lost or posted twice. */
export class ChannelHealth {
  private readonly deps: ChannelHealthDeps;
  private readonly retry: RetryAfterChange;
  /** By lane and channel. */
  private readonly known = new Map<string, Health>();

  constructor(deps: ChannelHealthDeps) {
    this.deps = deps;
    this.retry = createRetryAfterChange(deps);
  }

  private of(lane: Lane, channelId: string): Health {
    const name = `${lane} ${channelId}`;
    const health = this.known.get(name) ?? {
      posts: new Backoff(this.deps),
      isForAll: false,
      rows: new Map(),
      failing: new Set(),
      searches: new Backoff(this.deps),
      isLost: false,
    };
    this.known.set(name, health);
    return health;
  }

  /** Where messages by this rule go: to the alert channel if the rule's channel is lost. */
  target(guild: Guild, routeId: string | undefined): Destination | undefined {
    const place = destinationOf(guild, routeId);
    const own = destinationOf(guild, undefined);
    const isOwn = place?.channelId === own?.channelId;
    if (!place?.route || isOwn || !this.isLost(place.channelId)) return place;
    return own && { ...own, fallbackFor: place.route };
  }

  isLost(channelId: string): boolean {
    const lanes = ["alert", "follow"] as const;
    return lanes.some((lane) => {
      const health = this.known.get(`${lane} ${channelId}`);
      return health?.isLost === true && health.posts.waitMs() > 0;
    });
  }

  /** Milliseconds until this row may be posted in the channel. */
  waitMs(lane: Lane, channelId: string, key: string): number {
    const health = this.known.get(`${lane} ${channelId}`);
    if (health === undefined) return 0;
    return Math.max(health.rows.get(key)?.waitMs() ?? 0, health.isForAll ? health.posts.waitMs() : 0);
  }

  /** How often this row failed in the channel. */
  failures(lane: Lane, channelId: string, key: string): number {
    return this.known.get(`${lane} ${channelId}`)?.rows.get(key)?.failures ?? 0;
  }

  /** A message of these rows failed, perhaps for what is in it: these rows wait, and others do not. */
  rowsFailed(lane: Lane, channelId: string, keys: readonly string[]) {
    const { rows, failing } = this.of(lane, channelId);
    const [first = ""] = keys;
    const wait = rows.get(first) ?? new Backoff(this.deps);
    wait.failed();
    for (const key of keys) rows.set(key, wait);
    failing.add(first);
  }

  /** Forgets all rows but these. */
  keep(keys: { has(key: string): boolean }) {
    for (const { rows } of this.known.values()) for (const key of rows.keys()) if (!keys.has(key)) rows.delete(key);
  }

  /** Milliseconds until rows in doubt may be searched for again. */
  searchWaitMs(lane: Lane, channelId: string): number {
    return this.known.get(`${lane} ${channelId}`)?.searches.waitMs() ?? 0;
  }

  /** A message could not be posted. If a person has to repair the channel, tells them once. Throws `StorageError`. */
  async failed(
    lane: Lane,
    guild: Guild,
    { channelId, route }: Pick<Destination, "channelId" | "route">,
    error: MessengerError,
  ) {
    const { code, retryAfterMs } = error;
    const health = this.of(lane, channelId);
    health.posts.failed(retryAfterMs, blocksChannel(code) ? leastOfLost : 1);
    health.isLost = blocksChannel(code) || health.posts.failures >= unclearAsLost;
    health.isForAll ||= blocksChannel(code) || retryAfterMs > 0 || health.failing.size >= unclearForAll;
    if (blocksChannel(code)) await this.tell(guild, channelId, route, code);
  }

  /** Rows in doubt of this channel could not be searched for. Throws `StorageError`. */
  async searchFailed(
    lane: Lane,
    guild: Guild,
    { channelId, route }: Pick<Destination, "channelId" | "route">,
    error: MessengerError,
  ) {
    const { code, retryAfterMs } = error;
    this.of(lane, channelId).searches.failed(retryAfterMs, blocksChannel(code) ? leastOfLost : 1);
    if (blocksChannel(code)) await this.tell(guild, channelId, route, code, true);
  }

  /** Discord took a message or an edit. */
  answered(lane: Lane, channelId: string) {
    const health = this.known.get(`${lane} ${channelId}`);
    if (health === undefined) return;
    health.posts.ok();
    health.failing.clear();
    health.isForAll = false;
    health.isLost = false;
  }

  /** A message was posted in the channel: the only place that reports that posting works. Throws `StorageError`. */
  async works(lane: Lane, guild: Guild, { channelId, route }: Pick<Destination, "channelId" | "route">) {
    this.answered(lane, channelId);
    const health = this.known.get(`${lane} ${channelId}`);
    if (route) await this.deps.notices.routeWorks(route);
    else if (channelId === guild.alerts?.channelId && (health?.searches.failures ?? 0) === 0) {
      await this.deps.notices.channelWorks();
    }
  }

  /** Rows in doubt of this channel could be searched for, in these channels. Throws `StorageError`. */
  async searchWorks(
    lane: Lane,
    { channelId, route }: Pick<Destination, "channelId" | "route">,
    channelIds: ReadonlySet<string>,
  ) {
    this.known.get(`${lane} ${channelId}`)?.searches.ok();
    if (route && channelIds.has(channelId)) await this.deps.notices.routeWorks(route, true);
  }

  private async tell(
    guild: Guild,
    channelId: string,
    route: Route | undefined,
    reason: BlockedReason,
    isHistory = false,
  ) {
    const { notices } = this.deps;
    if (route) return notices.routeFailed(guild, route, reason, isHistory);
    if (channelId === guild.alerts?.channelId) await notices.channelFailed(guild, reason);
  }

  /** Channels or roles changed. Returns the ms until refused rows are tried again, or undefined if an earlier change did that. */
  changed(): number | undefined {
    const inMs = this.retry.changed();
    if (inMs === undefined) return undefined;
    for (const { posts, searches, rows } of this.known.values()) {
      for (const wait of [posts, searches, ...rows.values()]) wait.atMost(inMs);
    }
    return inMs;
  }

  /** A failure of a try that began at `since` (by the monotonic clock) does not delay the retry after a change. */
  keepRetry(lane: Lane, channelId: string, since: number) {
    const health = this.known.get(`${lane} ${channelId}`);
    for (const wait of health ? [health.posts, health.searches, ...health.rows.values()] : []) {
      wait.atMost(this.retry.dueInMs(since));
    }
  }

  clear() {
    this.known.clear();
  }
}
