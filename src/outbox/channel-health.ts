import { Backoff, type Chance } from "../basics/limits/backoff.ts";
import type { Guild } from "../guilds/guild.ts";
import type { MessengerError } from "./messenger.ts";
import { blocksChannel, type Notices, type Place } from "./notices.ts";

/** The first 404 or 403 counts as this many failures (a wait of 8 to 16 s), because only a person can repair the channel. */
const leastOfLost = 4;
/** A channel counts as lost after this many consecutive sends without a clear answer. */
const unclearAsLost = 6;
/**
 * After this many messages without a clear answer, the cause is probably the channel or Discord, and not one message. So all
 * messages of the lane in the channel wait.
 */
const unclearForAll = 3;
/** Channel or role changes cause at most one retry in this time. Too many refused requests would get the bot banned. */
const retryEveryMs = 10_000;

/**
 * All rows of a lane have one purpose and one channel, and are sent one after another. Replies and reminders ("reply") never
 * delay alerts.
 */
export type Lane = "alert" | "reply" | "edit" | "digest";
/** `search`: the search for messages in doubt (posted-before.ts). */
type Work = Lane | "search";

interface Health {
  /** Failures of the channel or of Discord. */
  readonly wait: Backoff;
  /** Failures outside Discord, for example of the storage. */
  readonly stuck: Backoff;
  isForAll: boolean;
  /** One row key for each message that failed since Discord last accepted a message. */
  readonly failing: Set<string>;
  isLost: boolean;
}

/**
 * Knows which channels of one server fail, and how long messages to each have to wait. If this memory is lost, no message is
 * lost or posted twice. If an alert or a reply gets a 404 (`channel_gone`) or 403 (`forbidden`), its channel counts as lost
 * until the next retry.
 */
export class ChannelHealth {
  private readonly chance: Chance;
  private readonly notices: Notices;
  private readonly known = new Map<string, Health>();
  /** When failed rows are retried after the latest change of channels or roles (monotonic ms). May be in the past. */
  private retryAt = Number.NEGATIVE_INFINITY;

  constructor(chance: Chance, notices: Notices) {
    this.chance = chance;
    this.notices = notices;
  }

  isLost(channelId: string): boolean {
    const lanes = ["alert", "reply"] as const;
    return lanes.some((lane) => {
      const health = this.known.get(`${lane} ${channelId}`);
      return health?.isLost === true && health.wait.waitMs() > 0;
    });
  }

  waitMs(work: Work, channelId: string): number {
    const health = this.known.get(`${work} ${channelId}`);
    if (health === undefined) return 0;
    return Math.max(health.stuck.waitMs(), health.isForAll ? health.wait.waitMs() : 0);
  }

  private healthOf(work: Work, channelId: string): Health {
    const name = `${work} ${channelId}`;
    const health = this.known.get(name) ?? {
      wait: new Backoff(this.chance),
      stuck: new Backoff(this.chance),
      isForAll: work === "search",
      failing: new Set(),
      isLost: false,
    };
    this.known.set(name, health);
    return health;
  }

  stuck(work: Work, channelId: string) {
    this.healthOf(work, channelId).stuck.failed();
  }

  /**
   * A message could not be posted or edited, or the search for messages in doubt failed.
   *
   * @param message the key of one row of the message
   * @param begun when the attempt began (monotonic ms). If channels or roles have changed since then, the next attempt after a
   * 404 or 403 comes sooner
   */
  async failed(
    work: Work,
    guild: Guild,
    place: Place,
    { code, retryAfterMs }: MessengerError,
    { message, begun }: { readonly message: string; readonly begun: number },
  ) {
    const health = this.healthOf(work, place.channelId);
    health.failing.add(message);
    health.wait.failed(retryAfterMs, blocksChannel(code) ? leastOfLost : 1);
    health.isLost = blocksChannel(code) || health.wait.failures >= unclearAsLost;
    health.isForAll ||= blocksChannel(code) || retryAfterMs > 0 || health.failing.size >= unclearForAll;
    if (!blocksChannel(code)) return;
    if (this.retryAt > begun) health.wait.atMost(Math.max(this.retryAt - this.chance.monotonic(), 0));
    // A successful edit does not prove that messages can be posted. So edits neither begin nor end a problem of the channel.
    if (work !== "edit") await this.notices.channelFailed(guild, place, code);
  }

  /** Discord accepted a message or an edit, an edit was dropped, or the search for messages in doubt succeeded. */
  answered(work: Work, channelId: string) {
    this.known.delete(`${work} ${channelId}`);
  }

  /** A message was posted. */
  async works(lane: Lane, guild: Guild, channelId: string) {
    this.answered(lane, channelId);
    if (!this.known.has(`search ${channelId}`)) await this.notices.channelWorks(guild, channelId);
  }

  /**
   * Called after a change of channels or roles. Returns the ms until failed rows are tried again. Undefined if an earlier
   * change has planned a retry that has not begun.
   */
  changed(): number | undefined {
    const now = this.chance.monotonic();
    if (this.retryAt > now) return undefined;
    this.retryAt = Math.max(now, this.retryAt + retryEveryMs);
    const inMs = this.retryAt - now;
    for (const { wait, stuck } of this.known.values()) for (const one of [wait, stuck]) one.atMost(inMs);
    return inMs;
  }
}
