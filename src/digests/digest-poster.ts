import { isDeepStrictEqual } from "node:util";
import { idHash } from "../basics/id-hash.ts";
import { Backoff } from "../basics/limits/backoff.ts";
import type { ConcurrencyLimit } from "../basics/limits/concurrency-limit.ts";
import type { Stats } from "../basics/stats.ts";
import { type Zone, zoneOf } from "../basics/zones.ts";
import type { DigestPlan } from "../guilds/digest-settings.ts";
import { digestZoneNameOf, type Guild } from "../guilds/guild.ts";
import { contextOf } from "../orders/alert-order.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import { fencedCommit } from "../orders/fenced-commit.ts";
import type { GuildLease } from "../orders/guild-lease.ts";
import { leastOfLost } from "../outbox/channel-health.ts";
import type { ProcessContext } from "../outbox/context.ts";
import { MessengerError } from "../outbox/messenger.ts";
import { nonceFor } from "../outbox/nonce.ts";
import { blocksChannel, type Notices } from "../outbox/notices.ts";
import { searchSince } from "../outbox/posted-before.ts";
import { createRetryAfterChange, type RetryAfterChange } from "../outbox/retry-after-change.ts";
import type { GuildPoller } from "../polling/guild-poller.ts";
import { createPace } from "../polling/pace.ts";
import { createDailySums, type DailySums } from "../reports/daily-sums.ts";
import { digestSpan } from "../reports/days.ts";
import { pictureOf } from "../reports/picture.ts";
import { statsOf } from "../reports/stats-of.ts";
import { absent, type Commit, type Table } from "../storage/table.ts";
import { StoreError } from "../store-api/store-api.ts";
import { customIds } from "../views/parts/custom-ids.ts";
import type { PostPayload } from "../views/parts/payload.ts";
import { digestPost } from "../views/reports/stats-card.ts";
import { type DigestState, type DueDigest, digestStatesTable, digestsAt } from "./digest-state.ts";

/** A digest that is posted later than this after its hour says in its text that it is late. Reading 50,000 orders takes some 3 minutes. */
const lateMs = 10 * 60_000;
/** While a digest is being made, it is checked this often, even if polls are rare. */
const lookAgainMs = 60_000;
/** Polls that happen only for a digest are spread over this time after its hour. */
const spreadMs = 20_000;
/** The time of the next digest is calculated again after this, because the wall clock may have been set. */
const reckonedMs = 60 * 60_000;

/** The parts of a server's poller that its digests need. */
export type PolledServer = Pick<GuildPoller, "record" | "notices">;

export const digestZone = (guild: Guild): Zone => zoneOf(digestZoneNameOf(guild));

/**
 * Posts one server's digests (sums of a day or week) in the background, with slow requests to the store. digest-state.ts
 * decides which digest is due, reports/ computes the sums, and alerts/alerts.ts calls this class after each poll.
 * A digest is recorded before it is sent. A process that finds a digest recorded or due first searches the channel for it. So
 * if this object is lost, no digest is lost or posted twice.
 */
export class DigestPoster {
  private readonly guildId: string;
  private readonly deps: ProcessContext;
  private readonly limit: ConcurrencyLimit;
  private readonly lease: GuildLease;
  private readonly states: Table<DigestState>;
  private readonly commit: Commit;
  private readonly dailySums: DailySums;
  private readonly pace: () => Promise<void>;
  private readonly wait: Backoff;
  private readonly retry: RetryAfterChange;
  private epoch: number | undefined;
  /** When the next digest is due according to this record, and when that was calculated (epoch ms). */
  private reckoned: { readonly guild: Guild; readonly at: number; readonly nextAt: number } | undefined;
  private underWay: Promise<void> | undefined;
  private stop = new AbortController();

  /** @param limit the maximum of digests at the same time, shared by all servers of the process */
  constructor(guildId: string, deps: ProcessContext, limit: ConcurrencyLimit) {
    this.guildId = guildId;
    this.limit = limit;
    this.lease = deps.leaseOf(guildId);
    this.commit = fencedCommit(deps.storage, this.lease);
    this.deps = deps;
    this.states = deps.storage.table(digestStatesTable);
    const mayKeep = async (id: string) => (await deps.guilds.get(id)).token !== undefined;
    this.dailySums = createDailySums({ storage: deps.storage, mayKeep, now: deps.now });
    this.pace = createPace(deps.signal);
    this.wait = new Backoff(deps);
    this.retry = createRetryAfterChange(deps);
  }

  private async state(): Promise<DigestState> {
    return (await this.states.get(this.guildId)) ?? {};
  }

  private async change(next: (state: DigestState) => DigestState): Promise<void> {
    const [row = absent(this.guildId)] = await this.states.read([this.guildId]);
    this.assertMine();
    try {
      if (!(await this.commit([this.states.put(row, next(row.value ?? {}))], true))) throw new ConflictError();
    } finally {
      this.reckoned = undefined;
    }
  }

  private assertMine() {
    this.stop.signal.throwIfAborted();
    if (this.epoch === undefined || this.lease.epoch() !== this.epoch) throw new ConflictError();
  }

  /**
   * Begins to make the digest that is due, if there is one, and does not wait for it.
   *
   * @param poller the poller of the server; its record is the same object until it changes
   * @returns the ms until the next call, which may come before the next scheduled poll; undefined if digests are off
   * @throws StorageError
   */
  async resume(poller: PolledServer): Promise<number | undefined> {
    const guild = await poller.record();
    const epoch = this.lease.epoch();
    const { plan } = guild.digest ?? {};
    if (plan === undefined || epoch === undefined || this.deps.signal.aborted) return undefined;
    if (epoch !== this.epoch) this.reckoned = undefined;
    this.epoch = epoch;
    const now = this.deps.now();
    const known = this.reckoned?.guild === guild ? this.reckoned : undefined;
    if (known && now >= known.at && now < known.at + reckonedMs && now < known.nextAt) {
      return this.untilMs(known.nextAt);
    }
    const { done } = await this.state();
    if (this.underWay) return lookAgainMs;
    const { due, nextAt } = digestsAt({ plan, done }, digestZone(guild), now);
    if (due === undefined) {
      this.reckoned = { guild, at: now, nextAt };
      return this.untilMs(nextAt);
    }
    const waitMs = this.wait.waitMs();
    if (waitMs > 0) return waitMs;
    this.underWay = this.attempt(guild, due, plan, poller.notices).finally(() => {
      this.underWay = undefined;
    });
    return lookAgainMs;
  }

  private untilMs(nextAt: number): number {
    return nextAt - this.deps.now() + (idHash(this.guildId) % spreadMs);
  }

  /** Makes and posts one digest. Never rejects. */
  private async attempt(guild: Guild, due: DueDigest, plan: DigestPlan, notices: Notices): Promise<void> {
    const { log, signal } = this.deps;
    const leave = await this.limit.take(false, this.untilOver());
    if (leave === undefined) return;
    try {
      await this.post(guild, due, plan, notices);
      this.wait.ok();
    } catch (error) {
      if (signal.aborted || this.stop.signal.aborted || error instanceof ConflictError) return;
      const fields = { err: error, guild: this.guildId, day: due.day };
      if (error instanceof MessengerError && blocksChannel(error.code)) {
        this.wait.failed(error.retryAfterMs, leastOfLost);
        log.warn(fields, "a digest cannot be posted in its channel; it waits until the channel is repaired");
        await notices.digestFailed(guild, plan, error.code).catch((failure: unknown) => {
          log.warn({ err: failure, guild: this.guildId }, "that a digest cannot be posted could not be told");
        });
        return;
      }
      const isOthers = error instanceof StoreError || error instanceof MessengerError;
      this.wait.failed(isOthers ? error.retryAfterMs : 0);
      log.warn(fields, "a digest could not be made or posted; it is tried again");
    } finally {
      leave();
    }
  }

  private untilOver(): AbortSignal {
    return AbortSignal.any([this.deps.signal, this.stop.signal, this.lease.signal()]);
  }

  private async post(guild: Guild, due: DueDigest, plan: DigestPlan, notices: Notices): Promise<void> {
    const { now, guilds, log } = this.deps;
    const digest = { every: plan.every, day: due.day };
    const name = `${digest.every}.${digest.day}`;
    // Without a store there are no orders to sum up, so the digest is skipped.
    if (guild.token === undefined) return this.change((state) => ({ ...state, done: { ...digest, at: now() } }));
    const { sending } = await this.state();
    const tried = sending?.every === digest.every && sending.day === digest.day ? sending.channelIds : [];
    // Search before the store is read: the search also shows whether the channel can be used.
    const isPosted = await this.isPosted(due, plan.channelId, tried, name);
    if (!isPosted) {
      const stats = await this.stats(guild, due, plan);
      this.assertMine();
      const current = await guilds.get(this.guildId);
      // While the store was read, another store may have been connected, or digests may have been changed. Then the result is
      // no longer valid.
      const isSame = current.token?.since === guild.token.since && isDeepStrictEqual(current.digest?.plan, plan);
      if (!isSame) throw new ConflictError();
      const channelIds = [...tried.filter((id) => id !== plan.channelId), plan.channelId];
      await this.change((state) => ({ ...state, sending: { ...digest, channelIds } }));
      const lateFrom = now() - due.dueAt > lateMs ? due.dueAt : undefined;
      await this.send(current, plan.channelId, name, stats, { name, lateFrom, missed: due.missed });
    }
    await notices.digestWorks();
    await this.change(() => ({ done: { ...digest, at: now() } }));
    log.info({ guild: this.guildId, day: due.day, isPosted }, "a digest was posted");
  }

  private async stats(guild: Guild, { day }: DueDigest, { every }: DigestPlan): Promise<Stats> {
    const { now } = this.deps;
    const zone = digestZone(guild);
    const store = this.deps.storeOf(guild);
    if (store === undefined) throw new ConflictError();
    const signal = this.untilOver();
    const of = { guildId: this.guildId, store: String(guild.token?.since), zone };
    return statsOf(of, digestSpan(every, day), {
      dailySums: this.dailySums,
      now,
      reading: (work) =>
        work({
          read: async (page, limit) => {
            await this.pace();
            return store.listOrders({ page, limit }, signal);
          },
          waitMs: () => 0,
          signal,
        }),
    });
  }

  /** Whether the digest was already posted: by a process that was killed, or before a backup was restored. */
  private async isPosted({ dueAt }: DueDigest, channelId: string, tried: readonly string[], name: string) {
    const { messenger, now } = this.deps;
    const mark = customIds.stats.buttons.today.make({ of: name });
    for (const place of new Set([channelId, ...tried])) {
      const messages = await messenger.own(place, searchSince([dueAt], now())).catch((error: unknown) => {
        // If the digest was certainly never sent to this channel, the channel need not be searched.
        const mayStand = tried.includes(place);
        const isLost = error instanceof MessengerError && blocksChannel(error.code);
        if (isLost && (!mayStand || place !== channelId)) return [];
        throw error;
      });
      if (messages.some(({ marks }) => marks.includes(mark))) return true;
    }
    return false;
  }

  /** Posts the digest with its chart. If Discord refuses it, posts it without the chart, because a file needs one more permission. */
  private async send(
    guild: Guild,
    channelId: string,
    name: string,
    stats: Stats,
    digest: Parameters<typeof digestPost>[1],
  ) {
    const { messenger } = this.deps;
    const ctx = contextOf(guild);
    const picture = stats.sums.orders > 0 ? await pictureOf(stats, ctx.locale, this.deps.log) : undefined;
    const payloads: readonly PostPayload[] = [
      ...(picture ? [digestPost(stats, digest, ctx, picture)] : []),
      digestPost(stats, digest, ctx),
    ];
    const signal = AbortSignal.any([this.lease.signal(), this.stop.signal]);
    for (const [index, payload] of payloads.entries()) {
      this.assertMine();
      try {
        await messenger.send(channelId, payload, nonceFor(this.guildId, channelId, ["digest", name]), { signal });
        return;
      } catch (error) {
        const isClear = error instanceof MessengerError && error.code !== "uncertain" && error.code !== "channel_gone";
        if (!isClear || index === payloads.length - 1) throw error;
      }
    }
  }

  /**
   * Must be called when a channel of the server changed. A digest that failed in its channel is tried again. Returns whether
   * there is one.
   */
  channelChanged(): boolean {
    const inMs = this.wait.waitMs() > 0 ? this.retry.changed() : undefined;
    if (inMs !== undefined) this.wait.atMost(inMs);
    return inMs !== undefined;
  }

  /** Resolves when no digest is being made. */
  async settled(): Promise<void> {
    await this.underWay;
  }

  /** Stops the digest that is being made. After this, nothing is posted or written. */
  async end(): Promise<void> {
    this.stop.abort();
    await this.underWay;
  }
}
