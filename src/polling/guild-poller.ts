import { BaselineReader } from "../baseline/baseline-reader.ts";
import { Mutex } from "../basics/limits/mutex.ts";
import type { PollOutcome } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import { ConflictError, fencedCommit } from "../orders/guild-lease.ts";
import { Ledger } from "../orders/ledger.ts";
import { Lists } from "../orders/list-memory.ts";
import { isOutboxFull } from "../orders/outbox-bounds.ts";
import type { PageFailure } from "../orders/read-list.ts";
import { statusesPolled, triggersOf } from "../orders/triggers.ts";
import type { FailureCode, ProcessContext, ServerContext } from "../outbox/context.ts";
import { createDigestPlanner, type DigestPlanner } from "../outbox/digest-planner.ts";
import { Notices } from "../outbox/notices.ts";
import { Sender } from "../outbox/sender.ts";
import type { Store } from "../store-api/store-api.ts";
import { Background } from "./background.ts";
import { FollowedOrders } from "./followed-orders.ts";
import { ListRecorder } from "./list-recorder.ts";
import { PollFailures, type PollHealth } from "./poll-failures.ts";
import { pollsElsewhere } from "./polls-elsewhere.ts";
import { createStoreThrottle } from "./store-throttle.ts";

/**
 * Polls one server, and owns everything that its alerts need: the ledger, the sender (outbox/sender.ts), the memory of its
 * lists. schedule.ts decides when it polls; alerts/alerts.ts calls it for commands. If its memory is lost, no alert is lost or
 * sent twice.
 */
export class GuildPoller {
  readonly server: ServerContext;
  readonly notices: Notices;
  readonly baselineReader: BaselineReader;
  readonly sender: Sender;
  private readonly queue = new Mutex();
  private readonly followed: FollowedOrders;
  private readonly recorder: ListRecorder;
  private readonly planDigest: DigestPlanner;
  private readonly failures: PollFailures;
  private readonly lists = new Lists();
  /** The server's record in memory. Undefined after a change, until it is read again. */
  private guild: Guild | undefined;
  /** The store of a record. It is kept because each poll uses it several times, and the decryption of the token takes time. */
  private opened: { readonly guild: Guild; readonly store: Store | undefined } | undefined;
  private unchanged = new AbortController();
  /** The signal of the epoch (see `GuildLease`) in which everything in memory was read. */
  private epoch = AbortSignal.abort();
  /** Reads orders that no list shows any more. */
  private readonly following: Background;
  private readonly baselineReading: Background;
  /** Whether a command runs for which a person waits. Meanwhile the commits of this poller need no lease. */
  private isAsked = false;

  constructor(guildId: string, process: ProcessContext) {
    const { storage } = process;
    const lease = process.leaseOf(guildId);
    const commit = fencedCommit(storage, lease, () => this.isAsked);
    const server: ServerContext = {
      ...process,
      guildId,
      lease,
      commit,
      ledger: new Ledger(storage, guildId, commit),
      guild: () => this.record(),
      untilChanged: () => this.unchanged.signal,
      holdsLease: () => this.isMine(),
      store: (guild) => this.readyStore(guild),
      throttle: createStoreThrottle(process),
      failed: (code) => this.failed(code),
    };
    this.server = server;
    this.notices = new Notices(server);
    this.failures = new PollFailures(server, this.notices);
    this.baselineReader = new BaselineReader(server);
    this.sender = new Sender(server, this.notices);
    this.recorder = new ListRecorder(server, this.sender, (guild) => this.assertCurrent(guild));
    this.followed = new FollowedOrders(server, this.recorder, this.lists);
    this.planDigest = createDigestPlanner(server);
    const { followed, baselineReader } = this;
    this.following = new Background(
      server,
      () => this.readAll((guild, store) => followed.readNext(guild, store)),
      () => followed.waitMs(),
    );
    this.baselineReading = new Background(
      server,
      () => this.readAll((guild, store) => baselineReader.readNext(guild, store)),
      () => baselineReader.waitMs(),
    );
  }

  /**
   * Polls the server. Never rejects. Returns the ms until the server needs another poll, after a failure or for a digest.
   * Undefined if the scheduled polls are enough.
   */
  async poll(): Promise<number | undefined> {
    return this.queue.run(async () => {
      const begun = this.server.monotonic();
      let outcome: PollOutcome | undefined;
      try {
        let digestMs: number | undefined;
        try {
          outcome = await this.pollOnce();
        } finally {
          digestMs = await this.planDigests();
        }
        this.failures.pollEnded();
        const retryMs = (await this.record()).alerts && this.failures.nextMs();
        return digestMs === undefined ? retryMs : Math.min(digestMs, retryMs ?? digestMs);
      } catch (error) {
        // The next scheduled poll may be a day away. So the server is polled again soon, even if the error is only a conflict.
        outcome = this.failures.unexpected(error);
        return this.failures.nextMs();
      } finally {
        if (outcome) this.server.metrics.poll(outcome, this.server.monotonic() - begun);
        if (outcome) await this.notices.report(this.failures.health);
      }
    });
  }

  /**
   * Reads the store, and records new and changed orders with the messages about them. The sender sends the messages in the
   * background.
   * Returns the outcome, or undefined if there was nothing to do. Throws the errors that are no failure of the store.
   */
  private async pollOnce(): Promise<PollOutcome | undefined> {
    this.beginEpoch();
    // Read the record again, because another process may have encrypted the token with another key. `Guilds.reencrypt` does not
    // announce this.
    if (this.failures.isTokenRefused) this.guild = undefined;
    const guild = await this.record();
    if (!guild.alerts || !this.isMine() || this.server.signal.aborted) return undefined;
    let outcome: PollOutcome | undefined = "waiting";
    this.failures.health.lastPollAt = this.server.now();
    try {
      await this.server.restored.mark();
      await this.baselineReader.takePending();
      // Start sending now, because messages left by an earlier process must not wait for a store that does not answer.
      this.sender.wake();
      const store = this.readyStore(guild);
      if (store && isOutboxFull(guild, await this.server.ledger.outbox())) {
        // The outbox is full, so no page is read now. End the wait after failures of pages, because it would cause polls that
        // read nothing.
        this.failures.ofPages([]);
      } else if (store) {
        await this.readStore(guild, store);
        outcome = "ok";
      }
    } catch (error) {
      outcome = await this.failures.ofPoll(guild, error);
    } finally {
      this.following.start();
    }
    return outcome;
  }

  /** Adds a due digest to the outbox. Returns the ms until the next call, or undefined if digests are off. */
  private async planDigests(): Promise<number | undefined> {
    if (!this.isMine()) return undefined;
    const nextMs = await this.planDigest(await this.record());
    if (nextMs !== undefined) this.sender.wake();
    return nextMs;
  }

  /** Records a failure of background work. It is reported at once, because the next poll may be a day away. */
  private failed(code: FailureCode) {
    this.failures.record(code);
    void this.notices.report(this.failures.health);
  }

  /** Reads the lists one after another, and records what they show. */
  private async readStore(guild: Guild, store: Store) {
    const statuses = statusesPolled(triggersOf(guild));
    const lists = this.lists.of(statuses);
    const failures: PageFailure[] = [];
    let arrived = 0;
    for (const list of lists) {
      const found = await this.recorder.read(guild, store, list, await this.baselineReader.state(guild));
      failures.push(...found.failures);
      arrived += found.arrived;
      this.followed.add(found.missing);
    }
    // The store counts as down only if page 1 of every list failed. If other pages failed, later polls read them again.
    const [first] = failures;
    if (first && failures.filter(({ page }) => page === 1).length === lists.length) throw first.error;
    this.failures.ofPages(failures);
    this.failures.health.lastGoodAt = this.server.now();
    await this.notices.storeAnswered(guild, arrived);
    await this.followed.afterPoll();
    this.baselineReading.start();
  }

  /**
   * Calls `readNext` until it returns undefined. Runs each returned function when no poll is running. A call of `readNext` may
   * run at the same time as a poll, so a slow store delays no poll.
   */
  private async readAll(readNext: (guild: Guild, store: Store) => Promise<(() => Promise<unknown>) | undefined>) {
    for (;;) {
      const guild = await this.record();
      const store = guild.alerts && this.isMine() ? this.readyStore(guild) : undefined;
      const take = store && (await readNext(guild, store));
      if (take === undefined) return;
      await this.queue.run(async () => {
        this.assertCurrent(guild);
        await take();
      });
    }
  }

  private isMine() {
    return this.server.lease.signal() === this.epoch && !this.epoch.aborted;
  }

  /**
   * Throws `ConflictError` if `guild` is no longer the current record. This process may not know yet that another process polls
   * now, or changed the record. Then the next commit is refused.
   */
  private assertCurrent(guild: Guild) {
    if (this.guild !== guild) throw new ConflictError();
  }

  /** If a new epoch has begun, forgets what was read in an earlier one, because another process may have changed it. */
  private beginEpoch() {
    const epoch = this.server.lease.signal();
    if (this.epoch === epoch) return;
    this.forgetMemory();
    this.epoch = epoch;
    // A person may have repaired a channel while another process polled. Only that process was told.
    this.sender.changed();
  }

  /** Returns the server's record, from memory until it changes. Throws the errors of `Guilds`. */
  async record(): Promise<Guild> {
    while (this.guild === undefined) {
      const { signal } = this.unchanged;
      const guild = await this.server.guilds.get(this.server.guildId);
      // If the record changed during the read, `guild` may be the old record, and the record is read again. Two callers that
      // read at the same time get the same object.
      if (!signal.aborted) this.guild ??= guild;
    }
    return this.guild;
  }

  private readyStore(guild: Guild): Store | undefined {
    if (!this.failures.mayAskStore() || this.server.signal.aborted) return undefined;
    if (this.opened?.guild !== guild) this.opened = { guild, store: this.server.storeOf(guild) };
    return this.opened.store;
  }

  /** Runs a command for which a person waits, as soon as no poll is running. */
  soon<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.runSoon(() =>
      this.fresh(async () => {
        this.isAsked = true;
        try {
          return await work();
        } finally {
          this.isAsked = false;
        }
      }),
    );
  }

  /**
   * Runs the work of a command. If this process does not poll the server, it remembers nothing before and after the work,
   * because another process changes the storage.
   */
  async fresh<T>(work: () => Promise<T>): Promise<T> {
    this.forgetUnlessPolled();
    return work().finally(() => this.forgetUnlessPolled());
  }

  private forgetUnlessPolled() {
    if (this.server.lease.signal().aborted) this.forgetMemory();
  }

  /** Returns how polls of the server go, as seen by the process that polls it. Throws `StorageError`. */
  async lastHealth(): Promise<PollHealth> {
    if (!this.server.lease.signal().aborted) return this.failures.health;
    const { health } = await this.notices.record();
    return pollsElsewhere(this.server.storage, this.server.guildId, health);
  }

  /**
   * Must be called when another process changed the server's record. After the call, no send with the old record
   * begins, and the sender waits for the next poll.
   */
  changedElsewhere() {
    this.forgetMemory();
    this.sender.changed();
  }

  /** Must be called when the server's record changed. After the call, no send with the old record begins. */
  recordChanged() {
    this.unchanged.abort();
    this.unchanged = new AbortController();
    this.guild = undefined;
    this.opened = undefined;
    this.lists.clear();
    this.followed.forget();
    this.failures.storeRecovered();
    this.baselineReader.forgetMemory();
  }

  /**
   * Forgets everything in memory, because another process may have changed the storage, or the server was forgotten. Nothing runs
   * until the next poll.
   */
  forgetMemory() {
    this.epoch = AbortSignal.abort();
    this.recordChanged();
    this.sender.forget();
    this.server.ledger.forgetMemory();
    this.notices.forgetMemory();
  }

  /** Resolves when nothing runs except, perhaps, the reading of the baseline. */
  async idle(): Promise<void> {
    await this.queue.idle();
    await this.following.ended();
    await this.sender.idle();
    await this.queue.idle();
  }

  /** Resolves when nothing runs. */
  async settled(): Promise<void> {
    await this.idle();
    await this.baselineReading.ended();
  }
}
