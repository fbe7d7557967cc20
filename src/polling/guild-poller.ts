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
import type { Current, FailureCode, ProcessContext, ServerContext } from "../outbox/context.ts";
import { createDigestPlanner, type DigestPlanner } from "../outbox/digest-planner.ts";
import { Notices } from "../outbox/notices.ts";
import { Sender } from "../outbox/sender.ts";
import type { Store } from "../store-api/store-api.ts";
import { Background } from "./background.ts";
import { FollowedOrders } from "./followed-orders.ts";
import { ListRecorder } from "./list-recorder.ts";
import { PollBackoff, type PollHealth } from "./poll-backoff.ts";
import { pollsElsewhere } from "./polls-elsewhere.ts";
import { createStoreThrottle } from "./store-throttle.ts";

/** What is known of the server. Another view replaces it when the record changes or the epoch ends. */
interface View {
  /** The signal of the epoch in which everything in memory was read (see `GuildLease`). */
  readonly epoch: AbortSignal;
  readonly over: AbortController;
  /** Undefined until the record was read. */
  current?: Current | undefined;
}

export type ServerCommand = ReturnType<GuildPoller["command"]>;

/** Polls one server, and owns everything that its alerts need. If its memory is lost, no alert is lost or sent twice. */
export class GuildPoller {
  readonly server: ServerContext;
  readonly sender: Sender;
  private readonly queue = new Mutex();
  private readonly notices: Notices;
  private readonly baselineReader: BaselineReader;
  private readonly followed: FollowedOrders;
  private readonly recorder: ListRecorder;
  private readonly planDigest: DigestPlanner;
  private readonly backoff: PollBackoff;
  private readonly lists = new Lists();
  private view: View = { epoch: AbortSignal.abort(), over: new AbortController() };
  /** Reads orders that no list shows any more. */
  private readonly following: Background;
  private readonly baselineReading: Background;

  constructor(guildId: string, process: ProcessContext) {
    const { storage } = process;
    const lease = process.leaseOf(guildId);
    const holdsLease = () => this.holdsLease();
    // The fence alone would accept work that began with an older record: it expects the newest row that this process knows.
    const commit = fencedCommit(storage, lease, () => (holdsLease() ? lease.fence() : undefined));
    const server: ServerContext = {
      ...process,
      guildId,
      lease,
      commit,
      commitHappened: fencedCommit(storage, lease, lease.ownerFence),
      ledger: new Ledger(storage, guildId, commit),
      current: () => this.current(),
      holdsLease,
      throttle: createStoreThrottle(process),
      failed: (code) => this.failed(code),
    };
    this.server = server;
    this.notices = new Notices(server);
    this.backoff = new PollBackoff(server, this.notices);
    this.baselineReader = new BaselineReader(server);
    this.sender = new Sender(server, this.notices);
    this.recorder = new ListRecorder(server, this.sender);
    this.followed = new FollowedOrders(server, this.recorder, this.lists);
    this.planDigest = createDigestPlanner(server);
    this.following = new Background(server, this.queue, this.followed);
    this.baselineReading = new Background(server, this.queue, this.baselineReader);
  }

  /**
   * Never rejects. Returns the ms until the server needs another poll, because of a failure or a digest. Undefined if the
   * scheduled polls are enough.
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
        this.backoff.pollEnded();
        const retryMs = (await this.current()).guild.alerts && this.backoff.nextMs();
        return digestMs === undefined ? retryMs : Math.min(digestMs, retryMs ?? digestMs);
      } catch (error) {
        // The next scheduled poll may be a day away. So another poll comes soon, even after a conflict.
        outcome = this.backoff.unexpected(error);
        return this.backoff.nextMs();
      } finally {
        if (outcome) this.server.metrics.poll(outcome, this.server.monotonic() - begun);
        if (outcome) await this.notices.report(this.backoff.health);
      }
    });
  }

  /** Undefined if there was nothing to do or the process ends. Throws all errors except those of the store and the token. */
  private async pollOnce(): Promise<PollOutcome | undefined> {
    this.beginEpoch();
    // Another process may have encrypted the token with another key. `Guilds.reencrypt` does not announce this.
    if (this.backoff.isTokenRefused) this.view.current = undefined;
    const current = await this.current();
    const { guild } = current;
    if (!guild.alerts || !this.holdsLease() || this.server.signal.aborted) return undefined;
    let outcome: PollOutcome | undefined = "waiting";
    this.backoff.health.lastPollAt = this.server.now();
    try {
      await this.server.restored.stamp();
      await this.baselineReader.takePending();
      // Messages left by an earlier process must not wait for a store that does not answer.
      this.sender.wake();
      const store = current.store();
      if (store && isOutboxFull(guild, await this.server.ledger.outbox())) {
        // While the outbox is full, a poll reads nothing. So earlier failures of pages do not make the next poll come sooner.
        this.backoff.pagesRead([]);
      } else if (store) {
        await this.readStore(current, store);
        outcome = "ok";
      }
    } catch (error) {
      outcome = await this.backoff.pollFailed(guild, error);
    } finally {
      this.following.start();
    }
    return outcome;
  }

  private async planDigests(): Promise<number | undefined> {
    if (!this.holdsLease()) return undefined;
    const nextMs = await this.planDigest((await this.current()).guild);
    if (nextMs !== undefined) this.sender.wake();
    return nextMs;
  }

  /** Reported at once, because the next poll may be a day away. */
  private failed(code: FailureCode) {
    this.backoff.record(code);
    void this.notices.report(this.backoff.health);
  }

  private async readStore(current: Current, store: Store) {
    const { guild } = current;
    const statuses = statusesPolled(triggersOf(guild));
    const lists = this.lists.of(statuses);
    const failures: PageFailure[] = [];
    let arrived = 0;
    for (const list of lists) {
      const found = await this.recorder.read(current, store, list, await this.baselineReader.state());
      failures.push(...found.failures);
      arrived += found.arrived;
      this.followed.add(found.missing, list.statuses);
    }
    // The store counts as down only if page 1 of every list failed. If other pages failed, later polls read them again.
    const [first] = failures;
    if (first && failures.filter(({ page }) => page === 1).length === lists.length) throw first.error;
    this.backoff.pagesRead(failures);
    this.backoff.health.lastGoodAt = this.server.now();
    await this.notices.storeAnswered(guild, arrived);
    await this.followed.afterPoll();
    this.baselineReading.start();
  }

  private holdsLease() {
    const { epoch } = this.view;
    return this.server.lease.signal() === epoch && !epoch.aborted;
  }

  /** Another process may have changed what was read in an earlier epoch. */
  private beginEpoch() {
    const epoch = this.server.lease.signal();
    if (this.view.epoch === epoch) return;
    this.forgetMemory(epoch);
    // A person may have repaired a channel, and only another process was told.
    this.sender.changed();
  }

  private async current(): Promise<Current> {
    while (this.view.current === undefined) {
      const { view } = this;
      const guild = await this.server.guilds.get(this.server.guildId);
      // If the record changed during the read, `guild` may be old, but then the loop goes on with another view. Two callers at
      // the same time get the same object.
      view.current ??= this.newCurrent(guild, view.over.signal);
    }
    return this.view.current;
  }

  private newCurrent(guild: Guild, stop: AbortSignal): Current {
    // Remembered, because each poll uses the store several times, and opening it takes 16 µs.
    let opened: { readonly store: Store | undefined } | undefined;
    const store = () => {
      if (!this.backoff.mayAskStore() || this.server.signal.aborted) return undefined;
      opened ??= { store: this.server.storeOf(guild) };
      return opened.store;
    };
    return { guild, stop, store };
  }

  /** Runs a command before the polls that wait, because a person waits for the command. */
  soon<T>(work: (command: ServerCommand) => Promise<T>): Promise<T> {
    return this.queue.runSoon(() =>
      work(this.command()).finally(() => {
        this.forgetStored();
        // Reads the outbox again, because the metrics count the waiting alerts in memory.
        this.sender.wake();
      }),
    );
  }

  /** Another process may poll the server. So a command reads the storage, and its commits need no lease. */
  command() {
    const { storage, guildId } = this.server;
    const [commit, ledger] = [storage.commit, new Ledger(storage, guildId)];
    const server: ServerContext = { ...this.server, commit, commitHappened: commit, ledger };
    return { server, notices: new Notices(server), baselineReader: new BaselineReader(server) };
  }

  /** The health of the polls, even if another process polls the server. */
  async lastHealth({ notices }: ServerCommand): Promise<PollHealth> {
    if (!this.server.lease.signal().aborted) return this.backoff.health;
    const { health } = await notices.record();
    return pollsElsewhere(this.server.storage, this.server.guildId, health);
  }

  /** From now on no send with the old record begins. */
  recordChanged(epoch = this.view.epoch) {
    this.view.over.abort(new ConflictError());
    this.view = { epoch, over: new AbortController() };
    this.lists.clear();
    this.followed.forget();
    this.backoff.storeRecovered();
  }

  /** Another process may have changed the storage, or the server was forgotten. No send or read begins until the next poll. */
  forgetMemory(epoch = AbortSignal.abort()) {
    this.recordChanged(epoch);
    this.forgetStored();
    this.sender.forget();
  }

  private forgetStored() {
    this.server.ledger.forgetMemory();
    this.notices.forgetMemory();
    this.baselineReader.forgetMemory();
  }

  /** Resolves when nothing runs any more, except perhaps the reading of the baseline. */
  async idle(): Promise<void> {
    await this.queue.idle();
    await this.following.ended();
    await this.sender.idle();
    await this.queue.idle();
  }

  async settled(): Promise<void> {
    await this.idle();
    await this.baselineReading.ended();
  }
}
