import { Backoff, type Chance } from "../basics/limits/backoff.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Rule } from "../guilds/rule.ts";
import { type Destination, destinationOf } from "./destination.ts";
import type { MessengerError } from "./messenger.ts";
import { type BlockedReason, blocksChannel, type Notices } from "./notices.ts";
import { createRetryAfterChange, type RetryAfterChange } from "./retry-after-change.ts";

/** A lost channel counts as this many failures from the start (a wait of 8 to 16 s), because only a person can repair it. */
export const leastOfLost = 4;
/** A channel also counts as lost after this many sends in a row without a clear answer, which takes some 2 minutes. */
const unclearAsLost = 6;
/**
 * After this many messages in a row without a clear answer, all messages of the channel wait. The cause is then the channel or
 * Discord, and not one message.
 */
const unclearForAll = 3;

/**
 * A lane: rows of one purpose in one channel, which are sent one after another. "alert" has alerts and messages by rules.
 * "follow" has replies and reminders, so that they never delay alerts. "edit" has edits.
 */
export type Lane = "alert" | "follow" | "edit";

interface Health {
  /** Counts the failures in a row. If {@link isForAll}, it is also the wait of all messages. */
  readonly posts: Backoff;
  isForAll: boolean;
  /** The wait of each row that failed in this channel, by the row's key. Rows of one message share one wait. */
  readonly rows: Map<string, Backoff>;
  /** Messages that failed since Discord last took one. Each is named by the key of its first row. */
  readonly failing: Set<string>;
  /** The wait after a failed search for posted messages. */
  readonly searches: Backoff;
  isLost: boolean;
}

export interface ChannelHealthDeps extends Chance {
  readonly notices: Pick<Notices, "channelFailed" | "channelWorks" | "ruleFailed" | "ruleWorks">;
}

/**
 * Knows which channels of one server fail, and how long each has to wait. If this memory is lost, no message is lost or posted
 * twice.
 * A channel is lost if Discord answers 404 (`channel_gone`) or 403 (`forbidden`), which rest-messenger.ts decides, or after
 * several unclear answers. Messages by a rule then go to the alert channel. notices.ts tells the owner.
 * Waits that belong to a row and not to a channel are in row-memory.ts.
 */
export class ChannelHealth {
  private readonly deps: ChannelHealthDeps;
  private readonly retry: RetryAfterChange;
  /** Keys are the lane and the channel id, with a space between them. */
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

  /** Returns the destination of messages by this rule. It is the alert channel if the rule's channel is lost. */
  target(guild: Guild, ruleId: string | undefined): Destination | undefined {
    const place = destinationOf(guild, ruleId);
    const own = destinationOf(guild, undefined);
    const isOwn = place?.channelId === own?.channelId;
    if (!place?.rule || isOwn || !this.isLost(place.channelId)) return place;
    return own && { ...own, fallbackFor: place.rule };
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

  failures(lane: Lane, channelId: string, key: string): number {
    return this.known.get(`${lane} ${channelId}`)?.rows.get(key)?.failures ?? 0;
  }

  /** Records that the message of these rows failed. Its content may be the cause, so only these rows wait. */
  rowsFailed(lane: Lane, channelId: string, keys: readonly string[]) {
    const { rows, failing } = this.of(lane, channelId);
    const [first = ""] = keys;
    const wait = rows.get(first) ?? new Backoff(this.deps);
    wait.failed();
    for (const key of keys) rows.set(key, wait);
    failing.add(first);
  }

  /** Forgets all rows except these. */
  keep(keys: { has(key: string): boolean }) {
    for (const { rows } of this.known.values()) for (const key of rows.keys()) if (!keys.has(key)) rows.delete(key);
  }

  /** Milliseconds until the next search in this channel. Rows in doubt (see posted-before.ts) wait for it. */
  searchWaitMs(lane: Lane, channelId: string): number {
    return this.known.get(`${lane} ${channelId}`)?.searches.waitMs() ?? 0;
  }

  /** Records that a message could not be posted. If a person has to repair the channel, tells the owner once. Throws `StorageError`. */
  async failed(
    lane: Lane,
    guild: Guild,
    { channelId, rule }: Pick<Destination, "channelId" | "rule">,
    error: MessengerError,
  ) {
    const { code, retryAfterMs } = error;
    const health = this.of(lane, channelId);
    health.posts.failed(retryAfterMs, blocksChannel(code) ? leastOfLost : 1);
    health.isLost = blocksChannel(code) || health.posts.failures >= unclearAsLost;
    health.isForAll ||= blocksChannel(code) || retryAfterMs > 0 || health.failing.size >= unclearForAll;
    if (blocksChannel(code)) await this.tell(guild, channelId, rule, code);
  }

  /** Records that posted messages could not be searched for in this channel. Throws `StorageError`. */
  async searchFailed(
    lane: Lane,
    guild: Guild,
    { channelId, rule }: Pick<Destination, "channelId" | "rule">,
    error: MessengerError,
  ) {
    const { code, retryAfterMs } = error;
    this.of(lane, channelId).searches.failed(retryAfterMs, blocksChannel(code) ? leastOfLost : 1);
    if (blocksChannel(code)) await this.tell(guild, channelId, rule, code, true);
  }

  /** Records that Discord took a message or an edit. */
  answered(lane: Lane, channelId: string) {
    const health = this.known.get(`${lane} ${channelId}`);
    if (health === undefined) return;
    health.posts.ok();
    health.failing.clear();
    health.isForAll = false;
    health.isLost = false;
  }

  /**
   * Records that a message was posted in the channel. It ends the notice that posting fails; no other method does. Throws
   * `StorageError`.
   */
  async works(lane: Lane, guild: Guild, { channelId, rule }: Pick<Destination, "channelId" | "rule">) {
    this.answered(lane, channelId);
    const health = this.known.get(`${lane} ${channelId}`);
    if (rule) await this.deps.notices.ruleWorks(rule);
    else if (channelId === guild.alerts?.channelId && (health?.searches.failures ?? 0) === 0) {
      await this.deps.notices.channelWorks();
    }
  }

  /**
   * Records that a search for rows of this destination succeeded. `channelIds` are the channels that were read. Throws
   * `StorageError`.
   */
  async searchWorks(
    lane: Lane,
    { channelId, rule }: Pick<Destination, "channelId" | "rule">,
    channelIds: ReadonlySet<string>,
  ) {
    this.known.get(`${lane} ${channelId}`)?.searches.ok();
    if (rule && channelIds.has(channelId)) await this.deps.notices.ruleWorks(rule, true);
  }

  private async tell(
    guild: Guild,
    channelId: string,
    rule: Rule | undefined,
    reason: BlockedReason,
    isHistory = false,
  ) {
    const { notices } = this.deps;
    if (rule) return notices.ruleFailed(guild, rule, reason, isHistory);
    if (channelId === guild.alerts?.channelId) await notices.channelFailed(guild, reason);
  }

  /**
   * Must be called when channels or roles changed. Returns the ms until refused rows are tried again, or undefined if the retry
   * for an earlier change is still to come.
   */
  changed(): number | undefined {
    const inMs = this.retry.changed();
    if (inMs === undefined) return undefined;
    for (const { posts, searches, rows } of this.known.values()) {
      for (const wait of [posts, searches, ...rows.values()]) wait.atMost(inMs);
    }
    return inMs;
  }

  /**
   * Keeps the retry after a change of channels or roles: the failure of an attempt that began at `since`, before the change,
   * must not delay it. `since` is a time of the monotonic clock.
   */
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
