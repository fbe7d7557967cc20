import { isDeepStrictEqual } from "node:util";
import { Backoff } from "../basics/backoff.ts";
import type { ConcurrencyLimit } from "../basics/concurrency-limit.ts";
import { numberOf } from "../basics/number-of.ts";
import type { Stats } from "../basics/stats.ts";
import type { Zone } from "../basics/zones.ts";
import type { Guild } from "../guilds/guild.ts";
import { contextOf } from "../orders/alert-order.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import { type ChannelChanges, createChannelChanges, leastOfLost } from "../outbox/channel-changes.ts";
import { MessengerError } from "../outbox/messenger.ts";
import { nonceFor } from "../outbox/nonce.ts";
import { type BlockedReason, blocksChannel } from "../outbox/notices.ts";
import { searchSince } from "../outbox/search-since.ts";
import { fencedCommit } from "../polling/fenced-commit.ts";
import type { GuildPollerDeps } from "../polling/guild-poller-deps.ts";
import type { Lease } from "../polling/lease.ts";
import { createPace } from "../polling/pace.ts";
import { createDailySums, type DailySums } from "../reports/daily-sums.ts";
import { digestSpan } from "../reports/days.ts";
import { pictureOf } from "../reports/picture.ts";
import { statsOf } from "../reports/stats.ts";
import { absent, type Commit, type Table } from "../storage/table.ts";
import { StoreError } from "../store-api/store-api.ts";
import { serverNotice } from "../views/alerts/server-notice.ts";
import { customIds } from "../views/parts/custom-ids.ts";
import type { PostPayload } from "../views/parts/payload.ts";
import { digestPost } from "../views/reports/stats.ts";
import {
  type DigestPlan,
  type DigestRecord,
  type DigestState,
  type DueDigest,
  digestStatesTable,
  digestsAt,
  digestsTable,
  digestZone,
  noDigest,
} from "./digest-record.ts";

/** So long after its hour a digest says that it is late: to read 50,000 orders takes some 3 minutes. */
const lateMs = 10 * 60_000;
/** A digest under way is looked after so often where polls are rare. */
const lookAgainMs = 60_000;
/** Where only the hour brings a poll, those of all servers come within so long after it. */
const spreadMs = 20_000;
/** A time by the wall clock is used for no longer: the clock may be set. */
const reckonedMs = 60 * 60_000;

/** What is kept of them. */
interface Known {
  readonly record: DigestRecord;
  readonly zone: Zone;
  readonly state: DigestState;
}

/**
 * Posts one server's digests, in parallel with its polls and at the pace of background work. That one is due is put
 * down before anything is sent, and a process that finds it so, or finds it due, looks in the channel first. Losing this object loses
 * and doubles nothing.
 */
export class Digest {
  private readonly guildId: string;
  private readonly deps: GuildPollerDeps;
  private readonly limit: ConcurrencyLimit;
  private readonly lease: Lease;
  private readonly chosen: Table<DigestRecord>;
  private readonly states: Table<DigestState>;
  private readonly commit: Commit;
  private readonly dailySums: DailySums;
  private readonly pace: () => Promise<void>;
  private readonly wait: Backoff;
  private readonly changes: ChannelChanges;
  private known: Known | undefined;
  /** How often the memory was dropped: what was read meanwhile is not kept. */
  private drops = 0;
  private epoch: number | undefined;
  private reckoned: { readonly at: number; readonly nextAt: number } | undefined;
  private underWay: Promise<void> | undefined;
  private stop = new AbortController();

  /** @param limit that of all servers: they share the process */
  constructor(guildId: string, deps: GuildPollerDeps, limit: ConcurrencyLimit) {
    this.guildId = guildId;
    this.limit = limit;
    this.lease = deps.leaseOf(guildId);
    this.commit = fencedCommit(deps.storage, this.lease);
    this.deps = deps;
    this.chosen = deps.storage.table(digestsTable);
    this.states = deps.storage.table(digestStatesTable);
    const mayKeep = async (id: string) => (await deps.guilds.get(id)).token !== undefined;
    this.dailySums = createDailySums({ storage: deps.storage, mayKeep, now: deps.now });
    this.pace = createPace(deps.signal);
    this.wait = new Backoff(deps);
    this.changes = createChannelChanges(deps);
  }

  /** From memory once it was read. */
  private async kept(): Promise<Known> {
    if (this.known) return this.known;
    const { drops } = this;
    const record = (await this.chosen.get(this.guildId)) ?? noDigest;
    const zone = digestZone(record, await this.deps.guilds.get(this.guildId));
    const known = { record, zone, state: (await this.states.get(this.guildId)) ?? {} };
    if (drops === this.drops) this.known = known;
    return known;
  }

  private async change(next: (state: DigestState) => DigestState): Promise<void> {
    const [row = absent(this.guildId)] = await this.states.read([this.guildId]);
    this.assertMine();
    try {
      if (!(await this.commit([this.states.put(row, next(row.value ?? {}))], true))) throw new ConflictError();
    } finally {
      this.forgetMemory();
    }
  }

  private assertMine() {
    this.stop.signal.throwIfAborted();
    if (this.epoch === undefined || this.lease.epoch() !== this.epoch) throw new ConflictError();
  }

  /**
   * Begins with what is due, if anything is. Never waits for it. Gives the ms after which to be called again whatever the
   * schedule says. Throws `StorageError`.
   */
  async resume(): Promise<number | undefined> {
    const epoch = this.lease.epoch();
    if (epoch === undefined || this.deps.signal.aborted) return undefined;
    if (epoch !== this.epoch) this.forgetMemory();
    this.epoch = epoch;
    const { record, zone, state } = await this.kept();
    const { plan } = record;
    if (plan === undefined) return undefined;
    if (this.underWay) return lookAgainMs;
    const now = this.deps.now();
    if (this.reckoned && now >= this.reckoned.at && now < this.reckoned.at + reckonedMs && now < this.reckoned.nextAt) {
      return this.untilMs(this.reckoned.nextAt);
    }
    const { due, nextAt } = digestsAt({ plan, done: state.done }, zone, now);
    if (due === undefined) {
      this.reckoned = { at: now, nextAt };
      return this.untilMs(nextAt);
    }
    const waitMs = this.wait.waitMs();
    if (waitMs > 0) return waitMs;
    this.underWay = this.attempt(due, plan).finally(() => {
      this.underWay = undefined;
    });
    return lookAgainMs;
  }

  private untilMs(nextAt: number): number {
    return nextAt - this.deps.now() + (numberOf(this.guildId) % spreadMs);
  }

  /** Never rejects. */
  private async attempt(due: DueDigest, plan: DigestPlan): Promise<void> {
    const { log, signal } = this.deps;
    const leave = await this.limit.take(false, this.untilOver());
    if (leave === undefined) return;
    try {
      await this.post(due, plan);
      this.wait.ok();
    } catch (error) {
      if (signal.aborted || this.stop.signal.aborted || error instanceof ConflictError) return;
      const fields = { err: error, guild: this.guildId, day: due.day };
      if (error instanceof MessengerError && blocksChannel(error.code)) {
        this.wait.failed(error.retryAfterMs, leastOfLost);
        log.warn(fields, "a digest cannot be posted in its channel; it waits until the channel is repaired");
        await this.channelFailed(error.code).catch((failure: unknown) => {
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

  private async post(due: DueDigest, plan: DigestPlan): Promise<void> {
    const { now, guilds, log } = this.deps;
    const guild = await guilds.get(this.guildId);
    const digest = { every: plan.every, day: due.day };
    const name = `${digest.every}.${digest.day}`;
    // Without a store there is nothing to tell.
    if (guild.token === undefined) return this.change((state) => ({ ...state, done: { ...digest, at: now() } }));
    const { sending } = (await this.kept()).state;
    const tried = sending?.every === digest.every && sending.day === digest.day ? sending.channelIds : [];
    // A channel that is closed is found to be so before a store is read for it.
    const isPosted = await this.isPosted(due, plan.channelId, tried, name);
    if (!isPosted) {
      const stats = await this.stats(guild, due, plan);
      this.assertMine();
      const current = await guilds.get(this.guildId);
      // Another store has other figures.
      if (current.token?.since !== guild.token.since) throw new ConflictError();
      const channelIds = [...tried.filter((id) => id !== plan.channelId), plan.channelId];
      // Turned off, or moved, while the store was read.
      if (!isDeepStrictEqual((await this.chosen.get(this.guildId))?.plan, plan)) throw new ConflictError();
      await this.change((state) => ({ ...state, sending: { ...digest, channelIds } }));
      const lateFrom = now() - due.dueAt > lateMs ? due.dueAt : undefined;
      await this.send(current, plan.channelId, name, stats, { name, lateFrom, missed: due.missed });
    }
    await this.change(() => ({ done: { ...digest, at: now() } }));
    log.info({ guild: this.guildId, day: due.day, isPosted }, "a digest was posted");
  }

  private async stats(guild: Guild, { day }: DueDigest, { every }: DigestPlan): Promise<Stats> {
    const { now } = this.deps;
    const { zone } = await this.kept();
    const store = this.deps.storeOf(guild);
    if (store === undefined) throw new ConflictError();
    const signal = this.untilOver();
    const of = { guildId: this.guildId, store: String(guild.token?.since), zone };
    return statsOf(of, digestSpan(every, day), {
      dailySums: this.dailySums,
      now,
      reading: () => ({
        read: async (page, limit) => {
          await this.pace();
          return store.listOrders({ page, limit }, signal);
        },
        waitMs: () => 0,
        signal,
      }),
    });
  }

  /** Whether it stands in a channel already: a process that was killed, or one before a restored backup, may have sent it. */
  private async isPosted({ dueAt }: DueDigest, channelId: string, tried: readonly string[], name: string) {
    const { messenger, now } = this.deps;
    const mark = customIds.stats.buttons.today.make({ of: name });
    for (const place of new Set([channelId, ...tried])) {
      const messages = await messenger.own(place, searchSince([dueAt], now())).catch((error: unknown) => {
        // What was certainly never sent there needs no looking for.
        const mayStand = tried.includes(place);
        const isLost = error instanceof MessengerError && blocksChannel(error.code);
        if (isLost && (!mayStand || place !== channelId)) return [];
        throw error;
      });
      if (messages.some(({ marks }) => marks.includes(mark))) return true;
    }
    return false;
  }

  /** With its chart where that can be, else without: a file takes a permission more. */
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

  /** Tells the server's owner once. */
  private async channelFailed(reason: BlockedReason): Promise<void> {
    const { record, state } = await this.kept();
    const { plan } = record;
    const before = state.blocked?.plan === plan?.since ? state.blocked : undefined;
    if (plan === undefined || before?.told) return;
    const blocked = { reason, since: before?.since ?? this.deps.now(), plan: plan.since };
    await this.change((now) => ({ ...now, blocked: { ...blocked, told: false } }));
    const guild = await this.deps.guilds.get(this.guildId);
    const { channelId } = plan;
    const about = reason === "forbidden" ? "digest_forbidden" : "digest_channel_gone";
    const make = (server: string) => serverNotice({ about, server, channelId }, guild.settings.language);
    const nonce = nonceFor(this.guildId, channelId, ["digest", reason, String(blocked.since)]);
    const told = await this.deps.messenger.tellOwner(this.guildId, make, nonce).then(
      () => true,
      // An owner who takes no direct messages will not take the next one either.
      (error: unknown) => error instanceof MessengerError && error.code === "forbidden",
    );
    if (told) await this.change((now) => ({ ...now, blocked: { ...blocked, told } }));
  }

  /** Something about the server's channels changed: a digest that waits for that is tried again. Gives whether one does. */
  channelChanged(): boolean {
    const inMs = this.wait.waitMs() > 0 ? this.changes.changed() : undefined;
    if (inMs !== undefined) this.wait.atMost(inMs);
    return inMs !== undefined;
  }

  /** What is kept may be another one now. */
  forgetMemory() {
    this.drops++;
    this.known = undefined;
    this.reckoned = undefined;
  }

  /** Resolves when none is under way. */
  async settled(): Promise<void> {
    await this.underWay;
  }

  /** Ends what is under way: nothing is posted and nothing is kept any more. */
  async end(): Promise<void> {
    this.stop.abort();
    await this.underWay;
  }
}
