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
import { paymentReplyKind } from "../outbox/kinds/payment-reply.ts";
import { reminderKind } from "../outbox/kinds/reminder.ts";
import { ruleKind } from "../outbox/kinds/rule.ts";
import { type FailureCode, Notices, noticesTable } from "../outbox/notices.ts";
import { createPlanningSource } from "../outbox/planning-source.ts";
import { Sender } from "../outbox/sender.ts";
import type { Store } from "../store-api/store-api.ts";
import { fencedCommit } from "./fenced-commit.ts";
import { FollowedOrders } from "./followed-orders.ts";
import type { GuildLease } from "./guild-lease.ts";
import type { GuildPollerDeps } from "./guild-poller-deps.ts";
import { ListRecorder } from "./list-recorder.ts";
import { createPace } from "./pace.ts";
import { PollFailures, type PollHealth } from "./poll-failures.ts";
import { reportedHealth } from "./reported-health.ts";

/**
 * The alerts of one server: its ledger, its waits, the memory of its lists. A class, because there is one for each of thousands of
 * servers. Everything in memory may be lost at any time.
 */
export class GuildPoller implements GuildBaseline {
  readonly guildId: string;
  readonly deps: GuildPollerDeps;
  readonly ledger: Ledger;
  readonly notices: Notices;
  readonly baselineReader: BaselineReader;
  readonly health: PollHealth = {};
  /** Waits until a background read may send its next request to the store. */
  readonly pace: () => Promise<void>;
  private readonly queue = createMutex();
  readonly sender: Sender;
  private readonly seal: CustomerSeal;
  private readonly channels: ChannelHealth;
  private readonly followed: FollowedOrders;
  private readonly recorder: ListRecorder;
  private readonly failures: PollFailures;
  private readonly lists: Lists;
  private memoryOf = "";
  /** The server's record, until it changes. */
  private guild: Guild | undefined;
  /** Aborted when the record changes. */
  private unchanged = new AbortController();
  private readonly lease: GuildLease;
  /** The epoch in which everything in memory was read. */
  private epoch: number | undefined;
  private baselineReading: Promise<void> | undefined;
  /** Whether a command is under way, for which a person waits. Its commits need no lease. */
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
      reply: paymentReplyKind,
      rule: ruleKind,
      reminder: reminderKind(basics),
      edit: editKind,
    };
    this.sender = new Sender({
      ...basics,
      kinds,
      planning,
    });
    this.recorder = new ListRecorder({
      ...basics,
      lists: this.lists,
      sender: this.sender,
      planning,
      baseline: (guild) => this.baselineReader.state(guild),
      pace: this.pace,
      assertCurrent: () => this.assertCurrent(),
    });
    this.followed = new FollowedOrders({ ...basics, recorder: this.recorder });
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
   * Reads the store, and records new and changed orders with the messages that follow. The sender sends them in the background.
   * Returns the outcome; undefined if there was nothing to do.
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

  /** Background work failed. The failure is reported at once, because the next poll may be a day away. */
  private failed(code: FailureCode) {
    this.failures.record(code);
    if (this.isMine()) void this.notices.report(this.health);
  }

  /** Reads every list, one after the other. Each list is recorded before the next one is read. */
  private async readStore(guild: Guild, store: Store) {
    const lists = this.lists.inTurn(statusesPolled(triggersOf(guild)));
    const failures: PageFailure[] = [];
    let arrived = 0;
    for (const list of lists) {
      const found = await this.recorder.readRecordingPage1(guild, store, list);
      const { reading } = found;
      failures.push(...reading.failures);
      if (reading.failures.some(({ page }) => page === 1)) {
        this.lists.failed(list);
        continue;
      }
      arrived += found.arrived + (await this.recorder.recordAll(guild, store, list, reading));
      this.followed.resume(reading.missing);
    }
    const [first] = failures;
    if (first && this.lists.haveAllFailed(lists)) throw first.error;
    this.failures.ofPages(failures);
    await this.storeRead(guild, arrived);
  }

  /** Page 1 of a list was read, so the store is up. Later pages that failed are read again and delay no alert. */
  private async storeRead(guild: Guild, arrived: number) {
    this.storeRecovered();
    this.health.lastGoodAt = this.deps.now();
    await this.notices.storeAnswered(guild, arrived);
    await this.followed.afterPoll(statusesPolled(triggersOf(guild)));
    const baseline = await this.baselineReader.state(guild);
    if (baseline && !baseline.done) this.baselineReading ??= this.readBaseline();
  }

  /**
   * Reads the rest of the baseline in the background, slowly, from where an earlier process stopped. Only the recording of a page waits
   * for its turn between polls, so a slow store delays no poll.
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

  /** Aborted when the process or its lease ends. The next holder of the lease need not wait for requests of this process. */
  private untilOver() {
    return AbortSignal.any([this.deps.signal, this.lease.signal()]);
  }

  private isMine() {
    return this.epoch !== undefined && this.lease.epoch() === this.epoch;
  }

  private assertMine() {
    if (!this.isMine()) throw new ConflictError();
  }

  /** Throws `ConflictError` if another process polls now, or if the store, the statuses or the alerts were changed. */
  async assertCurrent(): Promise<void> {
    if (listsKeyOf(await this.deps.guilds.get(this.guildId)) !== this.memoryOf) {
      this.forgetMemory();
      throw new ConflictError();
    }
    this.assertMine();
  }

  /** In a new epoch, forgets what was read in an earlier one: another process may have changed it. */
  private beginEpoch() {
    const epoch = this.lease.epoch();
    if (epoch === undefined || this.epoch === epoch) return;
    this.forgetMemory();
    this.epoch = epoch;
    // A person may have repaired a channel in the meantime, and only the former holder of the lease heard of it.
    this.sender.changed();
  }

  /** The server's record, from memory until it changes. Throws what `Guilds` throws. */
  async record(): Promise<Guild> {
    while (this.guild === undefined) {
      const { signal } = this.unchanged;
      const guild = await this.deps.guilds.get(this.guildId);
      // The record changed while it was read, so this may be the old one.
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
   * Runs a command's work, for which a person waits, when no poll is under way. If another process polls the server, that process is
   * told before and after.
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

  /** Forgets what is in memory if another process polls the server, and may have written since. */
  refresh() {
    if (this.lease.epoch() === undefined) this.forgetMemory();
  }

  /** How polls go, as seen by the process that polls the server. Throws `StorageError`. */
  async lastHealth(): Promise<PollHealth> {
    if (this.lease.epoch() !== undefined) return this.health;
    const { health } = await this.notices.record();
    return reportedHealth(this.deps.storage, this.guildId, health);
  }

  /** Another process changed the server's record. No message leaves by the old record any more. */
  changedElsewhere() {
    this.forgetMemory();
    this.sender.changed();
  }

  /** A channel or role of the server changed, so messages that wait for it are tried again. Returns whether to poll. */
  channelChanged(): boolean {
    return this.sender.changed();
  }

  /** The store answers, or its token was entered again. */
  storeRecovered() {
    this.failures.storeRecovered();
  }

  /** The server's record changed. No message leaves by the old record any more. */
  recordChanged() {
    this.unchanged.abort();
    this.unchanged = new AbortController();
    this.guild = undefined;
    // Commands commit the baseline with the record.
    this.baselineReader.forgetMemory();
  }

  /** Forgets everything in memory: another process may have changed the storage. */
  forgetMemory() {
    this.recordChanged();
    this.lists.clear();
    this.sender.forget();
    this.followed.forget();
    this.seal.forget();
    this.ledger.forgetMemory();
    this.notices.forgetMemory();
  }

  /** Deletes everything the alerts keep for the server. */
  async clear(): Promise<void> {
    this.followed.forget();
    this.recordChanged();
    await this.ledger.clear();
    this.channels.clear();
    await this.baselineReader.clear();
    await this.notices.clear();
  }

  /** Resolves when only the reading of the baseline may still be under way. */
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
