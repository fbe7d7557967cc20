import { BaselineReader } from "../baseline/baseline-reader.ts";
import { baselineTable } from "../baseline/baseline-row.ts";
import type { GuildBaseline } from "../baseline/guild-baseline.ts";
import type { PollOutcome } from "../basics/metrics.ts";
import { createMutex } from "../basics/mutex.ts";
import type { Guild } from "../guilds/guild.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import { CustomerSeal } from "../orders/customer-seal.ts";
import { Ledger } from "../orders/ledger.ts";
import { Lists } from "../orders/lists.ts";
import { isOutboxFull } from "../orders/outbox-bounds.ts";
import type { PageFailure } from "../orders/scan.ts";
import { listsKeyOf, statusesPolled, triggersOf } from "../orders/triggers.ts";
import { ChannelHealth } from "../outbox/channel-health.ts";
import { alertKind } from "../outbox/kinds/alert.ts";
import { editKind } from "../outbox/kinds/edit.ts";
import { reminderKind } from "../outbox/kinds/reminder.ts";
import { replyKind } from "../outbox/kinds/reply.ts";
import { ruleKind } from "../outbox/kinds/rule.ts";
import { type FailureCode, Notices, noticesTable } from "../outbox/notices.ts";
import { createPlanningSource } from "../outbox/planning-source.ts";
import { Sender } from "../outbox/sender.ts";
import type { Store } from "../store-api/store-api.ts";
import { fencedCommit } from "./fenced-commit.ts";
import { FollowedOrders } from "./followed-orders.ts";
import type { GuildLease } from "./guild-lease.ts";
import type { GuildPollerDeps } from "./guild-poller-deps.ts";
import { ListReader } from "./list-reader.ts";
import { createPace } from "./pace.ts";
import { PollFailures, type PollHealth } from "./poll-failures.ts";
import { reportedHealth } from "./reported-health.ts";

/**
 * Everything that alerts know and do for one server: its ledger, its waits, what its lists showed. A class, because there
 * is one for each of thousands of servers. All of it but the ledger may be lost at any time.
 */
export class GuildPoller implements GuildBaseline {
  readonly guildId: string;
  readonly deps: GuildPollerDeps;
  readonly ledger: Ledger;
  readonly notices: Notices;
  readonly baselineReader: BaselineReader;
  readonly health: PollHealth = {};
  /** Waits for the turn of one request of a reading that must not crowd the store. */
  readonly pace: () => Promise<void>;
  private readonly queue = createMutex();
  readonly sender: Sender;
  private readonly seal: CustomerSeal;
  private readonly channels: ChannelHealth;
  private readonly followed: FollowedOrders;
  private readonly reader: ListReader;
  private readonly failures: PollFailures;
  private readonly lists: Lists;
  private memoryOf = "";
  /** The server's record, until it changes. */
  private guild: Guild | undefined;
  /** Aborted when the record changes. */
  private unchanged = new AbortController();
  private readonly lease: GuildLease;
  /** The epoch in which all this was learned. */
  private epoch: number | undefined;
  private baselineReading: Promise<void> | undefined;
  /** A person waits for what is done now: that needs no lease. */
  private isAsked = false;

  constructor(guildId: string, deps: GuildPollerDeps) {
    this.lease = deps.leaseOf(guildId);
    const { storage, messenger, log, now } = deps;
    const commit = fencedCommit(storage, this.lease, () => this.isAsked);
    this.guildId = guildId;
    this.deps = deps;
    this.ledger = new Ledger(storage, guildId, commit);
    this.seal = new CustomerSeal(deps.vault, guildId);
    const signal = () => this.lease.signal();
    this.notices = new Notices({ guildId, table: storage.table(noticesTable), commit, messenger, log, now, signal });
    const { ledger, notices, health, lease } = this;
    this.failures = new PollFailures({ ...deps, guildId, health, notices });
    this.baselineReader = new BaselineReader(guildId, storage.table(baselineTable), commit);
    this.pace = createPace(deps.signal);
    this.lists = new Lists();
    this.channels = new ChannelHealth({ ...deps, notices });
    const basics = {
      ...deps,
      guildId,
      ledger,
      lease,
      channels: this.channels,
      failed: (code: FailureCode) => this.failed(code),
      untilOver: () => this.untilOver(),
      guild: () => this.record(),
      untilChanged: () => this.unchanged.signal,
      store: (guild: Guild) => this.readyStore(guild),
      holdsLease: () => this.isMine(),
      customerIn: (sealed: string, orderId: string) => this.seal.open(sealed, orderId),
    };
    const planning = createPlanningSource({ ...basics, seal: this.seal });
    const kinds = {
      alert: alertKind(basics),
      reply: replyKind,
      rule: ruleKind,
      reminder: reminderKind(basics),
      edit: editKind,
    };
    this.sender = new Sender({
      ...basics,
      kinds,
      planning,
    });
    this.reader = new ListReader({
      ...basics,
      lists: this.lists,
      sender: this.sender,
      planning,
      baseline: (guild) => this.baselineReader.state(guild),
      pace: this.pace,
      assertCurrent: () => this.assertCurrent(),
    });
    this.followed = new FollowedOrders({ ...basics, reader: this.reader });
  }

  /** Polls the server. Never rejects. Returns the ms after which a failure is to be tried again, though the schedule is rarer. */
  async poll(): Promise<number | undefined> {
    if (this.lease.epoch() === undefined) return undefined;
    return this.queue.run(async () => {
      const begun = this.deps.monotonic();
      let outcome: PollOutcome | undefined = "failed";
      try {
        outcome = await this.pollOnce();
        return (await this.record()).alerts && this.failures.nextMs();
      } catch (error) {
        this.failures.unexpected(error);
        return this.failures.nextMs();
      } finally {
        if (outcome) this.deps.metrics.poll(outcome, this.deps.monotonic() - begun);
        if (outcome && this.isMine()) await this.notices.report(this.health);
      }
    });
  }

  /**
   * Reads the store, and records what is new and what has changed, with the messages that follow; the sender sends them in parallel.
   * Gives what came of it, or nothing where nothing was to be done here.
   */
  private async pollOnce(): Promise<PollOutcome | undefined> {
    this.beginEpoch();
    const guild = await this.record();
    if (!guild.alerts || !this.isMine() || this.deps.signal.aborted) return undefined;
    let outcome: PollOutcome | undefined = "waiting";
    this.health.lastPollAt = this.deps.now();
    try {
      await this.deps.restored.note();
      await this.seal.renew(this.ledger);
      await this.baselineReader.takePending(this.ledger);
      // What an earlier process left in the outbox is sent in the background, also while the store does not answer.
      this.sender.wake();
      const store = this.readyStore(guild);
      if (store && !isOutboxFull(guild, await this.ledger.outbox())) {
        await this.readStore(guild, store);
        outcome = "ok";
      }
      this.failures.pollEnded();
    } catch (error) {
      outcome = await this.failures.ofPoll(guild, error);
    }
    this.followed.resume();
    return outcome;
  }

  /** Something failed in parallel with the polls, of which the next one may be a day away. */
  private failed(code: FailureCode) {
    this.failures.record(code);
    if (this.isMine()) void this.notices.report(this.health);
  }

  /** Reads every list, one after the other, and records what each of them shows before the next one. */
  private async readStore(guild: Guild, store: Store) {
    const lists = this.lists.inTurn(statusesPolled(triggersOf(guild)));
    const failures: PageFailure[] = [];
    let arrived = 0;
    for (const list of lists) {
      const found = await this.reader.readRecordingPage1(guild, store, list);
      const { reading } = found;
      failures.push(...reading.failures);
      if (reading.failures.some(({ page }) => page === 1)) {
        this.lists.failed(list);
        continue;
      }
      arrived += found.arrived + (await this.reader.recordAll(guild, store, list, reading));
      this.followed.resume(reading.missing);
    }
    const [first] = failures;
    if (first && this.lists.haveAllFailed(lists)) throw first.error;
    this.failures.ofPages(failures);
    await this.storeRead(guild, arrived);
  }

  /** A store of which page 1 answered is up; what failed further on is read again, without slowing the alerts down. */
  private async storeRead(guild: Guild, arrived: number) {
    this.storeRecovered();
    this.health.lastGoodAt = this.deps.now();
    await this.notices.storeAnswered(guild, arrived);
    await this.followed.afterPoll(statusesPolled(triggersOf(guild)));
    const baseline = await this.baselineReader.state(guild);
    if (baseline && !baseline.done) this.baselineReading ??= this.readBaseline();
  }

  /**
   * Reads what is left of the baseline in parallel with the polls, at a polite pace, and from where an earlier process stopped. Only
   * what a page showed is dealt with in turn: a store that is slow to answer holds no poll up.
   */
  private async readBaseline() {
    try {
      for (let more = true; more; ) {
        const guild = await this.record();
        const store = guild.alerts && this.isMine() ? this.readyStore(guild) : undefined;
        const take = store && (await this.baselineReader.readOn(store, guild, this));
        more = take !== undefined && (await this.queue.run(take));
      }
    } catch (error) {
      if (this.deps.signal.aborted || error instanceof ConflictError) return;
      const message = "reading what was there before alerts began pauses until the next poll";
      this.deps.log.warn({ err: error, guild: this.guildId }, message);
    } finally {
      this.baselineReading = undefined;
    }
  }

  /** For what the store is asked: the next holder of the lease waits for no answer that this process waits for. */
  private untilOver() {
    return AbortSignal.any([this.deps.signal, this.lease.signal()]);
  }

  private isMine() {
    return this.epoch !== undefined && this.lease.epoch() === this.epoch;
  }

  private assertMine() {
    if (!this.isMine()) throw new ConflictError();
  }

  /** Throws where another process polls now, or has connected another store, or turned alerts off. */
  async assertCurrent(): Promise<void> {
    if (listsKeyOf(await this.deps.guilds.get(this.guildId)) !== this.memoryOf) {
      this.forgetMemory();
      throw new ConflictError();
    }
    this.assertMine();
  }

  /** What was learned in another epoch may not be true any more. */
  private beginEpoch() {
    const epoch = this.lease.epoch();
    if (epoch === undefined || this.epoch === epoch) return;
    this.forgetMemory();
    this.epoch = epoch;
    // A person may have repaired what this process waits for, and another process was told.
    this.sender.changed();
  }

  /** The server's record, from memory until it changes. */
  async record(): Promise<Guild> {
    while (this.guild === undefined) {
      const { signal } = this.unchanged;
      const guild = await this.deps.guilds.get(this.guildId);
      // It changed while it was read: what was read may be the record before.
      if (signal.aborted) continue;
      const of = listsKeyOf(guild);
      if (of !== this.memoryOf) {
        this.lists.clear();
        this.storeRecovered();
      }
      this.memoryOf = of;
      this.guild = guild;
    }
    return this.guild;
  }

  private readyStore(guild: Guild): Store | undefined {
    return this.failures.mayAskStore() && !this.deps.signal.aborted ? this.deps.storeOf(guild) : undefined;
  }

  /**
   * Runs what a person waits for when no poll is under way; a delivery of many messages makes way for it. The process that
   * polls the server is told before and after, where that is another one.
   */
  soon<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.runSoon(async () => {
      const epoch = this.lease.epoch();
      const touch = () => this.deps.touch(this.guildId);
      this.refresh();
      if (epoch === undefined) await touch();
      this.isAsked = true;
      try {
        return await work();
      } finally {
        this.isAsked = false;
        if (epoch === undefined || this.lease.epoch() !== epoch) await touch();
      }
    });
  }

  /** Forgets what is remembered where another process may have written since. */
  refresh() {
    if (this.lease.epoch() === undefined) this.forgetMemory();
  }

  /** How polls go, as the process has seen it that polls the server. Throws `StorageError`. */
  async lastHealth(): Promise<PollHealth> {
    if (this.lease.epoch() !== undefined) return this.health;
    const { health } = await this.notices.record();
    return reportedHealth(this.deps.storage, this.guildId, health);
  }

  /** Another process changed what is kept for the server: nothing leaves any more by what was known before. */
  changedElsewhere() {
    this.forgetMemory();
    this.sender.changed();
  }

  /** Something about the server's channels changed: what waited for that may be tried again. Gives whether to poll. */
  channelChanged(): boolean {
    return this.sender.changed();
  }

  /** The store answers, or its token was entered again. */
  storeRecovered() {
    this.failures.storeRecovered();
  }

  /** The server's record changed: nothing leaves any more by what it was before. */
  recordChanged() {
    this.unchanged.abort();
    this.unchanged = new AbortController();
    this.guild = undefined;
    // Commands commit it with the record.
    this.baselineReader.forgetMemory();
  }

  /** Another process may have changed what is in storage. */
  forgetMemory() {
    this.recordChanged();
    this.lists.clear();
    this.sender.forget();
    this.followed.forget();
    this.seal.forget();
    this.ledger.forgetMemory();
    this.notices.forgetMemory();
  }

  /** Deletes all that alerts keep for the server. */
  async clear(): Promise<void> {
    this.followed.forget();
    this.recordChanged();
    await this.ledger.clear();
    this.channels.clear();
    await this.baselineReader.clear();
    await this.notices.clear();
  }

  /** Resolves when nothing is under way but the reading of the baseline. */
  async idle(): Promise<void> {
    await this.queue.idle();
    await this.followed.idle();
    await this.sender.idle();
    await this.queue.idle();
  }

  /** Resolves when nothing at all is under way. */
  async settled(): Promise<void> {
    await this.idle();
    await this.baselineReading;
  }
}
