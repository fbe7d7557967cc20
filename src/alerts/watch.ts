import type { PollOutcome } from "../basics/metrics.ts";
import { createQueue } from "../basics/queue.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";
import { backlogTable } from "./backlog.ts";
import { startOver } from "./connect-store.ts";
import { Edits } from "./edits.ts";
import { FirstReading } from "./first-reading.ts";
import { Handover } from "./handover.ts";
import { KeptGuild, memoryOf } from "./kept-guild.ts";
import { Ledger } from "./ledger.ts";
import { Lists, type Statuses } from "./lists.ts";
import { NewStore } from "./new-store.ts";
import { owedEntries } from "./owed-entries.ts";
import { createPace } from "./pace.ts";
import { type Health, PollFailures } from "./poll-failures.ts";
import { type ListReading, readList } from "./read-list.ts";
import { Reminders } from "./reminders.ts";
import { type PageFailure, pageQuery } from "./scan.ts";
import { Sender } from "./sender.ts";
import { StoreWaits } from "./store-waits.ts";
import { Overtaken, type Right } from "./term.ts";
import { type Trouble, Troubles, troublesTable } from "./troubles.ts";
import type { WatchDeps } from "./watch-deps.ts";

/** Alerts that one server may owe before its store is read no further: 25 MB at most. */
const mostOwed = 5_000;

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
  readonly newStore: NewStore;
  readonly health: Health = {};
  /** Waits for the turn of one request of a reading that must not crowd the store. */
  readonly pace: () => Promise<void>;
  private readonly queue = createQueue();
  private readonly sender: Sender;
  private readonly edits: Edits;
  private readonly waits: StoreWaits;
  private readonly failures: PollFailures;
  private readonly lists: Lists;
  private memoryOf = "";
  /** Of which storage all this is, as far as copies were put in its place. */
  private copy = "";
  private lastGuild: Guild | undefined;
  private readonly kept: KeptGuild;
  private readonly right: Right;
  /** The term in which all this was learned. */
  private term: number | undefined;
  private backlogReading: Promise<void> | undefined;
  private readonly handover: Handover;

  constructor(guildId: string, all: WatchDeps) {
    this.right = all.rightOf(guildId);
    this.handover = new Handover(this.right);
    const deps = this.handover.guarded(all);
    const { storage, messenger, log, now } = deps;
    this.guildId = guildId;
    this.deps = deps;
    this.kept = new KeptGuild(deps.guilds, guildId);
    this.ledger = new Ledger(storage, guildId, deps.vault);
    const signal = () => this.right.signal();
    this.troubles = new Troubles({ guildId, table: storage.table(troublesTable), messenger, log, now, signal });
    this.waits = new StoreWaits(deps);
    this.failures = new PollFailures({
      ...deps,
      guildId,
      health: this.health,
      waits: this.waits,
      troubles: this.troubles,
    });
    this.firstReading = new FirstReading(guildId, storage.table(backlogTable), this.ledger);
    this.newStore = new NewStore(guildId, storage);
    const parts = {
      ...deps,
      guildId,
      ledger: this.ledger,
      troubles: this.troubles,
      failed: (trouble: Trouble) => this.failures.note(trouble),
      right: this.right,
      guild: () => this.record(),
      store: (guild: Guild) => this.readyStore(guild),
      isMine: () => this.isMine(),
    };
    const withReminders = { ...parts, reminders: new Reminders(parts) };
    this.sender = new Sender({
      ...withReminders,
      goesOn: () => !deps.signal.aborted && !this.queue.isAwaited(),
      assertMine: () => this.assertMine(),
      signal,
    });
    this.edits = new Edits(withReminders);
    this.pace = createPace(deps.signal);
    this.lists = new Lists(deps.monotonic);
  }

  /** Polls the server. Never rejects. Gives the ms after which it wants to be polled again whatever the schedule says. */
  async poll(): Promise<number | undefined> {
    if (this.right.term() === undefined) return undefined;
    return this.queue.run(async () => {
      const begun = this.deps.monotonic();
      let outcome: PollOutcome | undefined = "failed";
      try {
        outcome = await this.pollOnce();
        return (await this.record()).alerts && (await this.nextPollMs());
      } catch (error) {
        this.failures.unexpected(error);
        return this.waits.fault.waitMs();
      } finally {
        if (outcome) this.deps.metrics.poll(outcome, this.deps.monotonic() - begun);
        this.handOn();
      }
    });
  }

  /**
   * Delivers what is owed, reads the store, records and delivers what is new, and follows what has changed. Gives what came
   * of it, or nothing where nothing was to be done here.
   */
  private async pollOnce(): Promise<PollOutcome | undefined> {
    this.beginTerm();
    const guild = await this.record();
    if (!guild.alerts || !this.isMine() || this.deps.signal.aborted) return undefined;
    let outcome: PollOutcome | undefined = "waiting";
    this.health.lastPollAt = this.deps.now();
    try {
      this.copy = await this.deps.restored.note();
      this.handover.takeOver(this.listsOf(), this.lists);
      await this.ledger.sealOwed(() => this.assertMine());
      await startOver(this, guild.alerts);
      await this.sender.deliverOwed(guild);
      const store = this.readyStore(guild);
      // What cannot be posted piles up on the disk; what still waits in the store then is found when it can be.
      const isFull = (await this.ledger.owedIds()).length >= mostOwed;
      if (store && !isFull) {
        await this.readStore(guild, store);
        outcome = "ok";
      }
      this.waits.fault.ok();
    } catch (error) {
      outcome = await this.failures.ofPoll(guild, error);
    }
    this.edits.goOn();
    return outcome;
  }

  /** Reads every list, one after the other, and records and delivers what each of them shows before the next one. */
  private async readStore(guild: Guild, store: Store) {
    const lists = await this.lists.inTurn(store, guild.alerts?.statuses ?? [], this.deps.signal);
    const failures: PageFailure[] = [];
    let arrived = 0;
    for (const list of lists) {
      const { reading, early } = await this.readList(guild, store, list);
      failures.push(...reading.failures);
      if (reading.failures.some(({ page }) => page === 1)) {
        this.lists.failed(list);
        continue;
      }
      arrived += early.size + (await this.keep(guild, list, reading, early));
      await this.sender.deliverOwed(guild);
      this.edits.goOn(reading);
    }
    const [first] = failures;
    if (first && this.lists.haveAllFailed(lists)) throw first.error;
    for (const { page, error } of failures) this.failures.ofPage(page, error);
    if (failures.length > 0) this.waits.pages.failed();
    else this.waits.pages.ok();
    await this.storeRead(guild, arrived);
  }

  /** A store of which page 1 answered is up; what failed further on is read again, without slowing the alerts down. */
  private async storeRead(guild: Guild, arrived: number) {
    this.storeMended();
    this.health.lastGoodAt = this.deps.now();
    await this.troubles.storeAnswered(guild, arrived);
    await this.edits.prune();
    await this.edits.loadReminders();
    const backlog = await this.firstReading.state();
    if (backlog && !backlog.done) this.backlogReading ??= this.readBacklog();
  }

  /** Reads one list. What its first page brings is recorded and delivered before others are asked for. */
  private async readList(guild: Guild, store: Store, list: Statuses) {
    const backlog = await this.firstReading.state();
    const isPaced = backlog !== undefined && !backlog.done;
    const early = new Set<string>();
    const reading = await readList({
      readPage: async (page, fingerprint) => {
        if (isPaced) await this.pace();
        return store.changedOrders(pageQuery(page, list), fingerprint, this.deps.signal);
      },
      known: (ids) => this.ledger.entries(ids),
      followedIds: () => this.ledger.followedIds(),
      early: async (fresh) => {
        await this.owe(guild, list, fresh);
        for (const { id } of fresh) early.add(id);
        await this.sender.deliverOwed(guild);
      },
      statuses: list,
      ...(isPaced ? { backlog } : {}),
      memory: this.lists.memory(list),
    });
    return { reading, early };
  }

  /** Records what is new: seen, or owed. Only then is what the list showed remembered. Gives how many are owed. */
  private async keep(guild: Guild, list: Statuses, reading: ListReading, early: ReadonlySet<string>) {
    const { backlog, owed, skipped, memory } = reading;
    const fresh = reading.fresh.filter(({ id }) => !early.has(id));
    if (backlog.length + owed.length + fresh.length > 0) await this.assertCurrent();
    if (backlog.length > 0) await this.ledger.markSeen(backlog);
    await this.ledger.keepStrays(owed);
    await this.owe(guild, list, fresh);
    if (skipped > 0) this.failures.note("malformed");
    this.lists.remember(list, memory);
    return fresh.length;
  }

  private async owe(guild: Guild, list: Statuses, fresh: readonly Order[]) {
    if (fresh.length === 0) return;
    const { now, log, restored } = this.deps;
    await this.assertCurrent();
    const isFirstRound = !this.lists.memory(list).isPlaced;
    const found = { guild, foundAt: now(), sentSince: (order: Order) => restored.sentSince(order, isFirstRound) };
    const owed = await owedEntries(fresh, found);
    this.assertMine();
    const isInDoubt = new Set(owed.flatMap(({ order, sentSince }) => (sentSince === undefined ? [] : [order.id])));
    this.sender.expect(
      fresh.filter(({ id }) => !isInDoubt.has(id)),
      isFirstRound,
    );
    await this.ledger.owe(owed);
    log.info({ guild: this.guildId, orders: fresh.length }, "new orders found");
  }

  /**
   * Reads what is left of the backlog beside the polls, at a polite pace, and from where an earlier process stopped. Only
   * what a page showed is dealt with in turn: a store that is slow to answer holds no poll up.
   */
  private async readBacklog() {
    try {
      for (let more = true; more; ) {
        const guild = await this.record();
        const store = guild.alerts && this.isMine() ? this.readyStore(guild) : undefined;
        const take = store && (await this.firstReading.readOn(store, this));
        more = take !== undefined && (await this.queue.run(take));
      }
    } catch (error) {
      if (this.deps.signal.aborted || error instanceof Overtaken) return;
      const message = "reading what was there before alerts began pauses until the next poll";
      this.deps.log.warn({ err: error, guild: this.guildId }, message);
    } finally {
      this.backlogReading = undefined;
    }
  }

  /** When to poll before the schedule says so: what failed is not left for a day where the polls are daily. */
  private async nextPollMs(): Promise<number | undefined> {
    // What just failed may be the storage: it is not asked again.
    if (this.waits.fault.failures > 0) return this.waits.nextMs();
    const ms = Math.min(this.waits.nextMs(), (await this.sender.waitMs()) ?? Number.POSITIVE_INFINITY);
    return Number.isFinite(ms) ? ms : undefined;
  }

  private isMine() {
    return this.term !== undefined && this.right.term() === this.term;
  }

  private assertMine() {
    if (!this.isMine()) throw new Overtaken();
  }

  /** Throws where another process polls now, or has connected another store, or turned alerts off. */
  async assertCurrent(): Promise<void> {
    if (memoryOf(await this.deps.guilds.get(this.guildId)) !== this.memoryOf) {
      this.forgetMemory();
      throw new Overtaken();
    }
    this.assertMine();
  }

  /** What was learned in another term may not be true any more. */
  private beginTerm() {
    const term = this.right.term();
    if (term === undefined || this.term === term) return;
    this.forgetMemory();
    this.term = term;
    // Somebody may have mended what this process waits for, and told another one.
    if (this.handover.isShared) this.retryBlocked();
  }

  /** What the lists are of, and by which ledger they were read. */
  private listsOf(): string {
    return `${this.memoryOf} ${this.copy}`;
  }

  /** An edit that is due is found again by whoever does not know that its page was read. */
  private handOn() {
    if (!this.isMine()) return;
    this.handover.report(this.health);
    if (!this.edits.isDue) this.handover.handOn(this.listsOf(), this.lists);
  }

  private async record(): Promise<Guild> {
    const guild = await this.kept.get();
    if (guild === this.lastGuild) return guild;
    const of = memoryOf(guild);
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

  /** Runs what a person waits for when no poll is under way; a delivery of many messages makes way for it. */
  soon<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.runSoon(async () => {
      await this.refresh();
      return this.handover.asked(work);
    });
  }

  /** Forgets what is remembered where another process has written since. Throws `StorageError`. */
  async refresh(): Promise<void> {
    if (!(await this.handover.isFresh())) this.forgetMemory();
  }

  /** What waited for the server's channels may be tried again; gives in how many ms, or nothing where that was promised. */
  private retryBlocked(): number | undefined {
    const inMs = this.sender.channelMended();
    if (inMs !== undefined) this.edits.channelMended(inMs);
    return inMs;
  }

  /** How polls go, as whoever polls the server has seen it. Throws `StorageError`. */
  async lastHealth(): Promise<Health> {
    return (await this.handover.health()) ?? this.health;
  }

  /** Something about the server's channels changed: what waited for that may be tried again. Gives whether to poll. */
  async channelMended(): Promise<boolean> {
    return this.retryBlocked() !== undefined && (await this.sender.waitMs()) !== undefined;
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
    this.edits.forget();
    for (const part of [this.ledger, this.troubles, this.firstReading, this.newStore]) part.forgetMemory();
  }

  /** Deletes all that alerts keep for the server. */
  async clear(): Promise<void> {
    this.edits.forget();
    await this.ledger.clear();
    await this.firstReading.clear();
    await this.troubles.clear();
    await this.newStore.clear();
  }

  /** Resolves when nothing is under way but the reading of what was there before. */
  async idle(): Promise<void> {
    await this.queue.idle();
    await this.edits.idle();
    await this.queue.idle();
  }

  /** Resolves when nothing at all is under way. */
  async settled(): Promise<void> {
    await this.idle();
    await this.backlogReading;
    // What the edits did on the way is known by now.
    this.handOn();
  }
}
