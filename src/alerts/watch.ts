import type { PollOutcome } from "../basics/metrics.ts";
import { createQueue } from "../basics/queue.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Store } from "../store-api/store-api.ts";
import { startOver } from "./connect-store.ts";
import { Edits } from "./edits.ts";
import { FirstReading } from "./first-reading.ts";
import { Handover } from "./handover.ts";
import { KeptGuild } from "./kept-guild.ts";
import { Ledger } from "./ledger.ts";
import { ListReader } from "./list-reader.ts";
import { Lists } from "./lists.ts";
import { NewStore } from "./new-store.ts";
import { createPace } from "./pace.ts";
import { type Health, PollFailures } from "./poll-failures.ts";
import { memoryOf, polledOf, statusesPolled } from "./polled.ts";
import { Pruning } from "./pruning.ts";
import { Reminders } from "./reminders.ts";
import { RouteChannels } from "./route-channels.ts";
import { RoutePosts } from "./route-posts.ts";
import { Routed } from "./routed.ts";
import type { PageFailure } from "./scan.ts";
import { Sender } from "./sender.ts";
import { StoreWaits } from "./store-waits.ts";
import { Overtaken, type Right } from "./term.ts";
import { type Trouble, Troubles, troublesTable } from "./troubles.ts";
import type { WatchDeps } from "./watch-deps.ts";

/** Alerts, with rings by rules, that one server may owe before its store is read no further: 25 MB at most. */
const mostOwed = 5_000;

/**
 * Everything that alerts know and do for one server: its ledger, its waits, what its lists showed. A class, because there
 * is one for each of thousands of servers. All of it but the ledger may be lost at any time.
 */
export class Watch {
  readonly guildId: string;
  readonly deps: WatchDeps;
  readonly ledger: Ledger;
  readonly routed: Routed;
  readonly troubles: Troubles;
  readonly firstReading: FirstReading;
  readonly newStore: NewStore;
  readonly health: Health = {};
  /** Waits for the turn of one request of a reading that must not crowd the store. */
  readonly pace: () => Promise<void>;
  private readonly queue = createQueue();
  private readonly sender: Sender;
  private readonly edits: Edits;
  private readonly pruning: Pruning;
  private readonly routeChannels: RouteChannels;
  private readonly routePosts: RoutePosts;
  private readonly reader: ListReader;
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
    this.newStore = new NewStore(guildId, storage);
    this.firstReading = new FirstReading(guildId, storage, this.newStore);
    const basics = {
      ...deps,
      guildId,
      ledger: this.ledger,
      troubles: this.troubles,
      failed: (trouble: Trouble) => this.failures.note(trouble),
      right: this.right,
      untilOver: () => this.untilOver(),
      guild: () => this.record(),
      store: (guild: Guild) => this.readyStore(guild),
      isMine: () => this.isMine(),
    };
    this.routed = new Routed(basics);
    this.routeChannels = new RouteChannels(basics);
    const { routed, routeChannels } = this;
    const parts = Object.assign(basics, { routed, routeChannels, reminders: new Reminders(basics) });
    this.sender = new Sender({
      ...parts,
      goesOn: () => !deps.signal.aborted && !this.queue.isAwaited(),
      assertMine: () => this.assertMine(),
      signal,
    });
    this.routePosts = new RoutePosts(parts);
    this.edits = new Edits(Object.assign(parts, { routePosts: this.routePosts }));
    this.pruning = new Pruning(parts);
    this.pace = createPace(deps.signal);
    this.lists = new Lists(deps.monotonic);
    this.reader = new ListReader(
      Object.assign(parts, {
        lists: this.lists,
        sender: this.sender,
        backlog: (guild: Guild) => this.firstReading.state(guild),
        pace: this.pace,
        assertMine: () => this.assertMine(),
        assertCurrent: () => this.assertCurrent(),
      }),
    );
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
      await startOver(this, { ...guild, alerts: guild.alerts });
      await this.sender.deliverOwed(guild);
      const store = this.readyStore(guild);
      // What cannot be posted piles up on the disk; what still waits in the store then is found when it can be.
      const owed = (await this.ledger.owedIds()).length + (await this.routed.ringsDue(guild.routes));
      const isFull = owed >= mostOwed;
      if (store && !isFull) {
        await this.readStore(guild, store);
        outcome = "ok";
      }
      this.waits.fault.ok();
    } catch (error) {
      outcome = await this.failures.ofPoll(guild, error);
    }
    this.edits.goOn();
    if (guild.routes?.length) this.routePosts.goOn();
    return outcome;
  }

  /** Reads every list, one after the other, and records and delivers what each of them shows before the next one. */
  private async readStore(guild: Guild, store: Store) {
    const lists = await this.lists.inTurn(store, statusesPolled(polledOf(guild)), this.untilOver());
    const failures: PageFailure[] = [];
    let arrived = 0;
    for (const list of lists) {
      const found = await this.reader.read(guild, store, list);
      const { reading, early } = found;
      failures.push(...reading.failures);
      if (reading.failures.some(({ page }) => page === 1)) {
        this.lists.failed(list);
        continue;
      }
      arrived += early.size + (await this.reader.keep(guild, store, list, found));
      try {
        await this.sender.deliverOwed(guild);
      } finally {
        // The list is remembered by now: what else it showed is not seen again until it changes.
        this.edits.goOn(reading);
      }
      if (guild.routes?.length) this.routePosts.goOn();
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
    await this.pruning.prune();
    await this.edits.storeRead(guild);
    const backlog = await this.firstReading.state(guild);
    if (backlog && !backlog.done) this.backlogReading ??= this.readBacklog();
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
        const take = store && (await this.firstReading.readOn(store, guild, this));
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
    const others = [await this.sender.waitMs(), this.edits.remindMs()].map((ms) => ms ?? Number.POSITIVE_INFINITY);
    const ms = Math.min(this.waits.nextMs(), ...others);
    return Number.isFinite(ms) ? ms : undefined;
  }

  /** For what the store is asked: who has the right next waits for no answer that this process waits for. */
  private untilOver() {
    return AbortSignal.any([this.deps.signal, this.right.signal()]);
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

  private handOn() {
    if (!this.isMine()) return;
    this.handover.report(this.health);
    this.handover.handOn(this.listsOf(), this.lists, this.edits.due);
  }

  /** The server's record, from memory until it changes. */
  async record(): Promise<Guild> {
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
    if (inMs !== undefined) this.routePosts.channelMended(inMs);
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
    this.routePosts.forget();
    const { ledger, routed, routeChannels, troubles, firstReading, newStore } = this;
    for (const part of [ledger, routed, routeChannels, troubles, firstReading, newStore]) part.forgetMemory();
  }

  /** Deletes all that alerts keep for the server. */
  async clear(): Promise<void> {
    this.edits.forget();
    this.routePosts.forget();
    await this.ledger.clear();
    await this.routed.clear();
    await this.routeChannels.clear();
    await this.firstReading.clear();
    await this.troubles.clear();
    await this.newStore.clear();
  }

  /** Resolves when nothing is under way but the reading of what was there before. */
  async idle(): Promise<void> {
    await this.queue.idle();
    await this.edits.idle();
    await this.routePosts.idle();
    await this.queue.idle();
  }

  /**
   * Resolves when nothing at all is under way, to the ms after which what follows alerts may be tried again: its timers do
   * nothing once the right is given back.
   */
  async settled(): Promise<number | undefined> {
    await this.idle();
    await this.backlogReading;
    // What the edits did on the way is known by now.
    this.handOn();
    if (!this.isMine()) return undefined;
    const ms = Math.min(
      this.edits.waitMs() ?? Number.POSITIVE_INFINITY,
      this.routePosts.waitMs ?? Number.POSITIVE_INFINITY,
    );
    return Number.isFinite(ms) ? ms : undefined;
  }
}
