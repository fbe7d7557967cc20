import { type Backoff, type Chance, waitIn } from "../basics/backoff.ts";
import type { Guild } from "../guilds/guild.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import type { Outbox } from "../orders/ledger.ts";
import { keyOf, type OutboxRow, type RowOf } from "../orders/outbox-row.ts";
import type { Planning } from "../orders/plan.ts";
import type { Lane } from "./channel-health.ts";
import { kindOf, type MessageRow, type Scope } from "./kind.ts";
import { MessengerError } from "./messenger.ts";
import { blocksChannel } from "./notices.ts";
import type { Planner } from "./planner.ts";
import { Posting, type PostingDeps } from "./posting.ts";
import type { ReminderTimes } from "./reminder-times.ts";
import { RowMemory } from "./row-memory.ts";
import { Search, SearchError } from "./search.ts";

export interface SenderDeps extends Omit<PostingDeps, "memory" | "search">, Chance {
  guild(): Promise<Guild>;
  /** Aborted when the record changes that `guild` gives from now on. */
  untilChanged(): AbortSignal;
  readonly planner: Pick<Planner, "planning">;
  readonly reminderTimes: ReminderTimes;
  /** Edits messages in parallel: woken when there is something to do. */
  readonly edits: { work(row: RowOf<"edit">, guild: Guild, signal: AbortSignal, stop: AbortSignal): Promise<void> };
}

/** Rows that may be sent in one channel. */
interface Job {
  readonly lane: Lane;
  readonly channelId: string;
  readonly rows: OutboxRow[];
}

const nameOf = ({ lane, channelId }: Pick<Job, "lane" | "channelId">) => `${lane} ${channelId}`;

/**
 * Sends what is in one server's outbox: one thing at a time in each lane of each channel, in parallel with the polls. What may have been
 * sent before is looked for in its channels first. Losing it loses and doubles nothing.
 */
export class Sender {
  private readonly deps: SenderDeps;
  private readonly search: Search;
  private readonly posting: Posting;
  private readonly memory: RowMemory;
  /** What is under way, by lane and channel. */
  private readonly working = new Map<string, { readonly rows: readonly OutboxRow[]; readonly done: Promise<void> }>();
  /** By lane and channel, for what is no fault of Discord or the store: the storage's, most likely. */
  private readonly faults = new Map<string, Backoff>();
  private dispatching: Promise<void> | undefined;
  private isWokenAgain = false;
  private timer: NodeJS.Timeout | undefined;
  /** Milliseconds after which to go on, as of the last look; undefined where nothing waits for a time. */
  private nextMs: number | undefined;

  constructor(deps: SenderDeps) {
    this.deps = deps;
    this.memory = new RowMemory(deps);
    this.search = new Search({ ...deps, memory: this.memory });
    this.posting = new Posting({ ...deps, memory: this.memory, search: this.search });
  }

  /** Goes on with what may be sent now. Never rejects; the caller does not wait for it. */
  wake() {
    this.isWokenAgain = true;
    this.dispatching ??= this.dispatch().then(() => this.dispatched());
  }

  private async dispatch() {
    const { signal, log, guildId } = this.deps;
    clearTimeout(this.timer);
    try {
      while (this.isWokenAgain && !signal.aborted && this.deps.holdsLease()) {
        this.isWokenAgain = false;
        this.nextMs = this.faults.get("")?.waitMs() || (await this.start());
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof ConflictError)) {
        this.failed("");
        this.nextMs = this.faults.get("")?.waitMs();
        log.error({ err: error, guild: guildId }, "what is to be sent is not known; it is tried again");
      }
    }
  }

  private dispatched() {
    this.dispatching = undefined;
    const { signal, holdsLease } = this.deps;
    if (signal.aborted) return;
    if (this.isWokenAgain && holdsLease()) return this.wake();
    clearTimeout(this.timer);
    if (this.nextMs !== undefined) this.timer = setTimeout(() => this.wake(), this.nextMs).unref();
  }

  /** Begins with all that may be done now. Gives the ms after which to look again. */
  private async start(): Promise<number | undefined> {
    const { ledger } = this.deps;
    const outbox = await ledger.outbox();
    if (outbox.size === 0) return undefined;
    const stop = this.deps.untilChanged();
    const guild = await this.deps.guild();
    if (!guild.alerts) return undefined;
    await this.notAhead(outbox);
    const planning = await this.planning(guild);
    this.memory.keep(outbox);
    this.deps.channels.keep(outbox);
    // A channel that is lost, or works again, moves a row elsewhere while it is being sent.
    const busy = new Set([...this.working.values()].flatMap(({ rows }) => rows.map(keyOf)));
    const jobs = new Map<string, Job>();
    const unwanted: string[] = [];
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [key, row] of outbox) {
      if (busy.has(key)) continue;
      const at = this.placeOf(row, guild);
      if (at === undefined) {
        unwanted.push(key);
        continue;
      }
      const { lane, channelId } = at;
      const waitMs = this.waitMsOf(key, row, at, planning);
      if (waitMs > 0) nextMs = Math.min(nextMs, waitMs);
      else if (row.kind === "edit" || !kindOf(row, this.deps.kinds).isEarly?.(row, outbox, guild)) {
        const name = nameOf(at);
        const job = jobs.get(name) ?? { lane, channelId, rows: [] };
        job.rows.push(row);
        jobs.set(name, job);
      }
    }
    if (unwanted.length > 0) await ledger.write([], () => unwanted.map((key) => ({ drop: [key] })));
    for (const [name, job] of jobs) {
      if (this.working.has(name)) continue;
      const done = this.work(job, { guild, planning, stop }).finally(() => {
        this.working.delete(name);
        this.wake();
      });
      this.working.set(name, { rows: job.rows, done });
    }
    this.faults.delete("");
    return Number.isFinite(nextMs) ? nextMs : undefined;
  }

  /** What a commit is planned with. */
  private planning(guild: Guild): Promise<Planning> {
    const { reminderTimes, planner } = this.deps;
    reminderTimes.follow(guild);
    return planner.planning(guild);
  }

  /** What was found while the clock was fast would wait until then once more. */
  private async notAhead(outbox: Outbox) {
    const now = this.deps.now();
    const ahead = [...outbox.values()].filter((row) => row.kind === "reminder" && row.foundAt > now);
    if (ahead.length === 0) return;
    await this.deps.ledger.write([], (_, known) =>
      ahead.map((row) => ({ put: known.has(keyOf(row)) ? [{ ...row, foundAt: now }] : [] })),
    );
  }

  private failed(name: string) {
    waitIn(this.faults, name, this.deps).failed();
  }

  private placeOf(row: OutboxRow, guild: Guild): { readonly lane: Lane; readonly channelId: string } | undefined {
    if (row.kind === "edit") return { lane: "edit", channelId: row.channelId };
    const kind = kindOf(row, this.deps.kinds);
    const target = kind.target(row, guild, this.deps.channels);
    return target && { lane: kind.lane, channelId: target.channelId };
  }

  private waitMsOf(key: string, row: OutboxRow, at: { lane: Lane; channelId: string }, planning: Planning): number {
    const { channels, kinds } = this.deps;
    const { search, memory, faults } = this;
    const isInDoubt = search.inDoubtSince(row, planning) !== undefined;
    const doubtMs = isInDoubt ? channels.searchWaitMs(at.lane, at.channelId) : 0;
    const dueMs = row.kind === "edit" ? 0 : (kindOf(row, kinds).dueInMs?.(row) ?? 0);
    const faultMs = faults.get(nameOf(at))?.waitMs() ?? 0;
    return Math.max(faultMs, channels.waitMs(at.lane, at.channelId, key), doubtMs, dueMs, memory.waitMs(key));
  }

  /** Does the next thing in one lane of one channel. Never rejects. */
  private async work(
    { lane, channelId, rows }: Job,
    { guild, planning, stop }: Pick<Scope, "guild" | "planning" | "stop">,
  ) {
    const { channels, kinds, log, guildId, monotonic } = this.deps;
    const name = nameOf({ lane, channelId });
    const begun = monotonic();
    const messages = rows.filter((row): row is MessageRow => row.kind !== "edit");
    const first = this.firstOf({ lane, channelId, rows });
    const target = first.kind === "edit" ? undefined : kindOf(first, kinds).target(first, guild, channels);
    try {
      if (first.kind === "edit") {
        await this.edit(first, guild, stop);
        channels.answered(lane, channelId);
      } else if (target) await this.posting.next(first, messages, { lane, target, guild, planning, stop });
      this.faults.delete(name);
    } catch (error) {
      if (this.deps.signal.aborted) return;
      // The record was changed: what is to be done may be different now.
      if (stop.aborted) return;
      // Another process has written: so it may be, too.
      if (error instanceof ConflictError) return this.failed(name);
      const isSearch = error instanceof SearchError;
      const reason = isSearch ? error.reason : error;
      if (!(reason instanceof MessengerError)) {
        this.failed(name);
        log.error(
          { err: error, guild: guildId },
          "something could not be sent, or recorded as sent; it is tried again",
        );
        return;
      }
      this.deps.failed(reason.code === "uncertain" ? "undelivered" : reason.code);
      const message = isSearch ? error.message : "a message could not be sent";
      log.warn({ err: reason, guild: guildId, channel: channelId }, `${message}; it is tried again`);
      const where = { channelId, route: target?.route };
      await this.guarded(name, () => channels[isSearch ? "searchFailed" : "failed"](lane, guild, where, reason));
      if (blocksChannel(reason.code)) channels.promised(lane, channelId, begun);
    }
  }

  /** One of those that failed least, so that none that always fails holds up others; of these the lowest rank, and then the oldest. */
  private firstOf({ lane, channelId, rows }: Job): OutboxRow {
    const failures = (row: OutboxRow) => this.deps.channels.failures(lane, channelId, keyOf(row));
    const rank = (row: OutboxRow) => (row.kind === "edit" ? 0 : kindOf(row, this.deps.kinds).rank);
    return rows.reduce((first, row) => {
      const order = failures(row) - failures(first) || rank(row) - rank(first) || row.foundAt - first.foundAt;
      return order < 0 ? row : first;
    });
  }

  private async edit(row: RowOf<"edit">, guild: Guild, stop: AbortSignal) {
    try {
      // An edit that waits while another process takes over would show what was true before.
      await this.deps.edits.work(row, guild, this.deps.lease.signal(), stop);
    } catch (error) {
      if (error instanceof MessengerError) this.deps.channels.rowsFailed("edit", row.channelId, [keyOf(row)]);
      throw error;
    }
  }

  /** What cannot be told because of the storage is told at the next failure. */
  private async guarded(name: string, tell: () => Promise<void>) {
    await tell().catch((error: unknown) => {
      this.failed(name);
      this.deps.log.error({ err: error, guild: this.deps.guildId }, "a notice could not be recorded");
    });
  }

  /** Milliseconds after which something may be sent, as far as it is known; undefined where nothing waits for a time. */
  waitMs(): number | undefined {
    return this.nextMs;
  }

  /** Channels or roles changed: what was refused there is tried again. Gives whether something waits for that. */
  changed(): boolean {
    const inMs = this.deps.channels.changed();
    if (inMs === undefined || this.deps.ledger.outboxInMemory.size === 0) return false;
    clearTimeout(this.timer);
    this.nextMs = Math.min(this.nextMs ?? inMs, inMs);
    this.timer = setTimeout(() => this.wake(), this.nextMs).unref();
    return true;
  }

  /** Another process may have sent since. */
  forget() {
    clearTimeout(this.timer);
    this.nextMs = undefined;
    this.memory.clear();
    this.faults.clear();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.dispatching || this.working.size > 0) {
      await this.dispatching;
      await Promise.all([...this.working.values()].map(({ done }) => done));
    }
  }
}
