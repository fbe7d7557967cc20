import { setTimeout as wait } from "node:timers/promises";
import type { Guild } from "../guilds/guild.ts";
import type { Guilds } from "../guilds/guilds.ts";
import { VaultError } from "../guilds/vault.ts";
import type { Log } from "../operations/log.ts";
import { type Storage, StorageError } from "../storage/table.ts";
import { takesSeveral } from "../store-api/several-statuses.ts";
import type { Store } from "../store-api/store-api.ts";
import { StoreError } from "../store-api/store-error.ts";
import { toAlertOrder } from "./alert-order.ts";
import type { BacklogState } from "./backlog.ts";
import type { Chance } from "./backoff.ts";
import { startOver } from "./connect-store.ts";
import { FirstReading } from "./first-reading.ts";
import { Following } from "./follow.ts";
import { KeptGuild } from "./kept-guild.ts";
import { Ledger } from "./ledger.ts";
import { type ListMemory, newListMemory } from "./list-memory.ts";
import { listsOf } from "./lists.ts";
import type { Messenger } from "./messenger.ts";
import { createQueue } from "./queue.ts";
import { type ListReading, readList } from "./read-list.ts";
import { pageQuery } from "./scan.ts";
import { Sender } from "./sender.ts";
import { StoreWaits } from "./store-waits.ts";
import { type Right, TermOver } from "./term.ts";
import { type Trouble, Troubles } from "./troubles.ts";

/** While the backlog is read, requests to one store are at least so far apart: 5 a second at most. */
const paceMs = 220;
/** How often an API that has not shown whether it takes several statuses is asked for it. */
const severalAskedEveryMs = 60 * 60_000;

/** How polling one server goes, as this process has seen it. Times are epoch ms. */
export interface Health {
  lastPollAt?: number;
  /** When page 1 of every list was last read. */
  lastGoodAt?: number;
  lastError?: { readonly trouble: Trouble; readonly at: number };
}

/** What the watches of all servers share. */
export interface WatchDeps extends Chance {
  readonly storage: Storage;
  readonly guilds: Guilds;
  /** The server's store; throws `VaultError`, or gives undefined when there is no token. */
  storeOf(guild: Guild): Store | undefined;
  readonly right: Right;
  readonly messenger: Messenger;
  readonly log: Log;
  /** Aborted when the process ends: no new request begins. */
  readonly signal: AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
}

/**
 * Everything that alerts know and do for one server: its ledger, its waits, what its lists showed. A class, because there
 * is one for each of thousands of servers. All of it but the ledger may be lost at any time.
 */
export class Watch {
  readonly guildId: string;
  readonly deps: WatchDeps;
  readonly ledger: Ledger;
  readonly troubles: Troubles;
  readonly firstReading: FirstReading;
  readonly health: Health = {};
  private readonly queue = createQueue();
  private readonly sender: Sender;
  private readonly following: Following;
  private readonly waits: StoreWaits;
  private readonly lists = new Map<string, ListMemory>();
  /** What the lists are of: another token, other statuses or another store make other lists. */
  private memoryOf = "";
  private lastGuild: Guild | undefined;
  private readonly kept: KeptGuild;
  /** The term in which all this was learned. */
  private term: number | undefined;
  private nextRequestAt = Number.NEGATIVE_INFINITY;
  private severalAskedAt = Number.NEGATIVE_INFINITY;
  private isReadingBacklog = false;

  constructor(guildId: string, deps: WatchDeps) {
    const { storage, messenger, log, now } = deps;
    this.guildId = guildId;
    this.deps = deps;
    this.kept = new KeptGuild(deps.guilds, guildId);
    this.ledger = new Ledger(storage, guildId);
    const signal = () => deps.right.signal();
    this.troubles = new Troubles({ guildId, table: storage.table("trouble"), messenger, log, now, signal });
    this.firstReading = new FirstReading(guildId, storage.table<BacklogState>("backlog"), this.ledger);
    const shared = {
      ...deps,
      guildId,
      ledger: this.ledger,
      troubles: this.troubles,
      failed: (trouble: Trouble) => this.failed(trouble),
    };
    this.sender = new Sender({
      ...shared,
      goesOn: () => !deps.signal.aborted && !this.queue.isAwaited(),
      assertMine: () => this.assertMine(),
      signal,
    });
    this.following = new Following({
      ...shared,
      guild: () => this.record(),
      store: (guild) => this.readyStore(guild),
      isMine: () => this.isMine(),
    });
    this.waits = new StoreWaits(deps);
  }

  /** Polls the server. Never rejects. Gives the ms after which it wants to be polled again whatever the schedule says. */
  async poll(): Promise<number | undefined> {
    if (this.deps.right.term() === undefined) return undefined;
    return this.queue.run(async () => {
      try {
        await this.pollOnce();
        return (await this.record()).alerts && (await this.nextPollMs());
      } catch (error) {
        this.unexpected(error);
        return this.waits.fault.waitMs();
      }
    });
  }

  /** Delivers what is owed, reads the store, records and delivers what is new, and follows what has changed. */
  private async pollOnce() {
    this.beginTerm();
    const guild = await this.record();
    if (!guild.alerts || !this.isMine() || this.deps.signal.aborted) return;
    this.health.lastPollAt = this.deps.now();
    try {
      await startOver(this, guild.alerts);
      await this.sender.deliverOwed(guild);
      const store = this.readyStore(guild);
      if (store) await this.readStore(guild, store);
      this.waits.fault.ok();
    } catch (error) {
      await this.pollFailed(guild, error);
    }
    this.following.goOn();
  }

  private async readStore(guild: Guild, store: Store) {
    const found = await this.readLists(guild, store);
    const arrived = await this.keep(guild, found);
    await this.sender.deliverOwed(guild);
    for (const reading of found.values()) this.following.goOn(reading);
    const failures = [...found.values()].flatMap((reading) => reading.failures);
    for (const { page, error } of failures) this.pageFailed(page, error);
    if (failures.length > 0) this.waits.pages.failed();
    else this.waits.pages.ok();
    this.storeMended();
    this.health.lastGoodAt = this.deps.now();
    await this.troubles.storeAnswered(guild, arrived);
    await this.following.prune();
    const backlog = await this.firstReading.state();
    if (backlog && !backlog.done) void this.readBacklog();
  }

  /** Reads every list of the server's store. Throws what a first page failed with. */
  private async readLists(guild: Guild, store: Store): Promise<Map<string, ListReading>> {
    const { signal } = this.deps;
    const statuses = guild.alerts?.statuses ?? [];
    await this.askSeveral(store, statuses);
    const backlog = await this.firstReading.state();
    const isPaced = backlog !== undefined && !backlog.done;
    const found = new Map<string, ListReading>();
    for (const some of listsOf(store, statuses)) {
      const reading = await readList({
        readPage: async (page, fingerprint) => {
          if (isPaced) await this.pace();
          return store.changedOrders(pageQuery(page, some), fingerprint, signal);
        },
        known: (ids) => this.ledger.entries(ids),
        followedIds: () => this.ledger.followedIds(),
        statuses: some,
        ...(isPaced ? { backlog } : {}),
        memory: this.lists.get(some.join()) ?? newListMemory(),
      });
      const first = reading.failures.find(({ page }) => page === 1);
      if (first) throw first.error;
      found.set(some.join(), reading);
    }
    return found;
  }

  /** Whether several statuses may be asked for at once, as far as the API can be made to show it. */
  private async askSeveral(store: Store, statuses: readonly string[]) {
    const { monotonic, signal } = this.deps;
    const isKnown = statuses.length < 2 || store.honours.of("several") !== undefined;
    if (isKnown || monotonic() - this.severalAskedAt < severalAskedEveryMs) return;
    this.severalAskedAt = monotonic();
    await takesSeveral(store, statuses, signal).catch((error: unknown) => {
      if (!(error instanceof StoreError)) throw error;
    });
  }

  /** Records what is new: seen, or owed. Only then is what the lists showed remembered. */
  private async keep(guild: Guild, found: ReadonlyMap<string, ListReading>): Promise<number> {
    const readings = [...found.values()];
    const old = readings.flatMap(({ backlog }) => backlog);
    const fresh = new Map(readings.flatMap((reading) => reading.fresh.map((order) => [order.id, order] as const)));
    this.assertMine();
    if (old.length > 0) await this.ledger.markSeen([...new Set(old)]);
    await this.keepStrays(readings);
    if (fresh.size > 0) {
      const channelIds = guild.alerts ? [guild.alerts.channelId] : [];
      const foundAt = this.deps.now();
      const orders = [...fresh.values()].map((order) => toAlertOrder(order, guild.settings.privacy));
      this.assertMine();
      this.sender.expect(
        [...fresh.values()],
        [...found.keys()].some((key) => !this.lists.get(key)?.isPlaced),
      );
      await this.ledger.owe(orders.map((order) => ({ state: "owed", order, channelIds, foundAt })));
      this.deps.log.info({ guild: this.guildId, orders: fresh.size }, "new orders found");
    }
    this.lists.clear();
    for (const [key, reading] of found) this.lists.set(key, reading.memory);
    return fresh.size;
  }

  /** An owed order that two processes at once took off the list is put back. */
  private async keepStrays(readings: readonly ListReading[]) {
    const owed = readings.flatMap((reading) => reading.owed);
    if (owed.length === 0) return;
    const listed = new Set(await this.ledger.owedIds());
    const strays = owed.filter(({ order }) => !listed.has(order.id));
    if (strays.length > 0) await this.ledger.owe(strays);
  }

  /** A store that answers page 1 is up: a page that fails further on is read again, without slowing the alerts down. */
  private pageFailed(page: number, error: unknown) {
    if (!(error instanceof StoreError)) throw error;
    this.failed(error.code);
    const { code } = error;
    this.deps.log.warn({ err: error, guild: this.guildId, page, code }, "a page of the store could not be read");
  }

  private async pollFailed(guild: Guild, error: unknown) {
    if (this.deps.signal.aborted || error instanceof TermOver) return;
    try {
      if (error instanceof StoreError) return await this.storeFailed(guild, error);
      if (!(error instanceof VaultError)) return this.unexpected(error);
      this.waits.token.failed();
      this.failed("undecryptable");
      await this.troubles.storeFailed(guild, "keyLost");
    } catch (worse) {
      this.unexpected(worse);
    }
  }

  private async storeFailed(guild: Guild, error: StoreError) {
    const { code, retryAfterMs } = error;
    const isRefused = code === "unauthorized";
    const backoff = isRefused ? this.waits.token : this.waits.store;
    backoff.failed(retryAfterMs);
    this.failed(code);
    const fields = { err: error, guild: this.guildId, code, failures: backoff.failures };
    this.deps.log.warn(fields, "the store could not be read");
    await this.troubles.storeFailed(guild, isRefused ? "refused" : "storeDown");
  }

  private unexpected(error: unknown) {
    this.waits.fault.failed();
    this.failed(error instanceof StorageError ? "storage" : "internal");
    this.deps.log.error(
      { err: error, guild: this.guildId },
      "a poll was cut short; nothing is lost, the next one goes on from what is recorded",
    );
  }

  private failed(trouble: Trouble) {
    this.health.lastError = { trouble, at: this.deps.now() };
  }

  /** Reads what is left of the backlog beside the polls, at a polite pace, and from where an earlier process stopped. */
  private async readBacklog() {
    if (this.isReadingBacklog) return;
    this.isReadingBacklog = true;
    try {
      const readPage = async () => {
        const guild = await this.record();
        const store = guild.alerts && this.isMine() ? this.readyStore(guild) : undefined;
        return store !== undefined && (await this.firstReading.readOn(store, this));
      };
      while (await this.queue.run(readPage));
    } catch (error) {
      if (this.deps.signal.aborted) return;
      const fields = { err: error, guild: this.guildId };
      this.deps.log.warn(fields, "reading what was there before alerts began pauses until the next poll");
    } finally {
      this.isReadingBacklog = false;
    }
  }

  /** When to poll before the schedule says so: what failed is not left for a day where the polls are daily. */
  private async nextPollMs(): Promise<number | undefined> {
    const sendMs = (await this.sender.waitMs()) ?? Number.POSITIVE_INFINITY;
    const ms = this.waits.fault.failures > 0 ? this.waits.nextMs() : Math.min(this.waits.nextMs(), sendMs);
    return Number.isFinite(ms) ? ms : undefined;
  }

  private isMine() {
    return this.term !== undefined && this.deps.right.term() === this.term;
  }

  /** Throws where another process polls now. */
  assertMine() {
    if (!this.isMine()) throw new TermOver();
  }

  /** What was learned in another term may not be true any more. */
  private beginTerm() {
    const term = this.deps.right.term();
    if (this.term === term) return;
    this.forgetMemory();
    this.term = term;
  }

  private async record(): Promise<Guild> {
    const guild = await this.kept.get();
    if (guild === this.lastGuild) return guild;
    const of = JSON.stringify([guild.token?.sealed, guild.alerts?.statuses, guild.alerts?.since]);
    if (of !== this.memoryOf) {
      this.lists.clear();
      this.storeMended();
    }
    this.memoryOf = of;
    this.lastGuild = guild;
    return guild;
  }

  private readyStore(guild: Guild): Store | undefined {
    return this.waits.isOver() && !this.deps.signal.aborted ? this.deps.storeOf(guild) : undefined;
  }

  /** Waits for the turn of one request of a reading that must not crowd the store. */
  async pace(): Promise<void> {
    const waitMs = this.nextRequestAt - performance.now();
    if (waitMs > 0) await wait(waitMs, undefined, { signal: this.deps.signal });
    this.nextRequestAt = performance.now() + paceMs;
  }

  /** Runs what a person waits for when no poll is under way; a delivery of many messages makes way for it. */
  soon<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.runSoon(work);
  }

  /** Something about the server's channels changed: what waited for that is tried again at once. */
  async channelMended(): Promise<void> {
    this.sender.channelMended();
    this.following.channelMended();
    if ((await this.sender.waitMs()) !== undefined) await this.poll();
  }

  /** The store answers, or its token was entered again. */
  storeMended() {
    this.waits.storeMended();
  }

  /** The server's record changed. */
  recordChanged() {
    this.kept.forget();
  }

  /** Another process may have changed what is in storage. */
  forgetMemory() {
    this.recordChanged();
    this.lists.clear();
    this.sender.begin(this.deps.now());
    this.following.forget();
    for (const part of [this.ledger, this.troubles, this.firstReading]) part.forgetMemory();
  }

  /** Deletes all that alerts keep for the server. */
  async clear(): Promise<void> {
    this.following.forget();
    await this.ledger.clear();
    await this.firstReading.clear();
    await this.troubles.clear();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.queue.idle();
    await this.following.idle();
    await this.queue.idle();
  }
}
