import { Backoff } from "../basics/limits/backoff.ts";
import { ConflictError } from "../orders/guild-lease.ts";
import type { Outbox } from "../orders/ledger.ts";
import { keyOf, type OutboxRow, type RowOf } from "../orders/outbox-row.ts";
import type { Planning } from "../orders/plan-messages.ts";
import { ChannelHealth, type Lane } from "./channel-health.ts";
import type { Current, ServerContext } from "./context.ts";
import { kindOf, type MessageRow, type Scope, type SenderState } from "./kind.ts";
import { alertKind } from "./kinds/alert.ts";
import { digestKind } from "./kinds/digest.ts";
import { editKind, editMessage } from "./kinds/edit.ts";
import { paymentReplyKind } from "./kinds/payment-reply.ts";
import { reminderKind } from "./kinds/reminder.ts";
import { ruleKind } from "./kinds/rule.ts";
import { MessengerError } from "./messenger.ts";
import type { Notices } from "./notices.ts";
import { planningOf } from "./planning.ts";
import { inDoubtSince } from "./posted-before.ts";
import { postNext, searchInDoubt } from "./posting.ts";
import { RowMemory } from "./row-memory.ts";

/** The clock may be set during a longer wait, and a timer of more than 24.8 days fires at once. */
const longestWaitMs = 24 * 60 * 60_000;

interface Place {
  readonly lane: Lane;
  readonly channelId: string;
}

/** All rows may be sent now. */
interface Job extends Place {
  readonly rows: OutboxRow[];
}

const nameOf = ({ lane, channelId }: Place) => `${lane} ${channelId}`;

/**
 * Works on the outbox of one server in the background: it decides which row is sent next, and when. The lanes of a channel run
 * at the same time. If the memory of this class is lost, no message is lost or posted twice.
 */
export class Sender {
  private readonly server: ServerContext;
  private readonly state: SenderState;
  private readonly working = new Map<string, { readonly rows: readonly OutboxRow[]; readonly done: Promise<void> }>();
  /** How long to wait after a failed read of the outbox. */
  private readonly unread: Backoff;
  private dispatching: Promise<void> | undefined;
  private isWokenAgain = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(server: ServerContext, notices: Notices) {
    this.server = server;
    this.unread = new Backoff(server);
    const kinds = {
      alert: alertKind(server),
      reply: paymentReplyKind,
      rule: ruleKind,
      reminder: reminderKind(server),
      edit: editKind,
      digest: digestKind(server),
    };
    this.state = { server, channels: new ChannelHealth(server, notices), kinds, memory: new RowMemory(server) };
  }

  /** Starts due jobs in the background. Never throws. */
  wake() {
    this.isWokenAgain = this.dispatching !== undefined;
    this.dispatching ??= this.dispatch().then((nextMs) => {
      this.dispatching = undefined;
      if (this.isWokenAgain) return this.wake();
      clearTimeout(this.timer);
      if (nextMs !== undefined) this.timer = setTimeout(() => this.wake(), nextMs).unref();
    });
  }

  /** Returns the ms until the next call is due. Undefined if none is. */
  private async dispatch(): Promise<number | undefined> {
    const { signal, log, guildId, holdsLease } = this.server;
    if (signal.aborted || !holdsLease()) return undefined;
    try {
      return this.unread.waitMs() || (await this.startJobs());
    } catch (error) {
      if (signal.aborted) return undefined;
      // A write by another process is no fault.
      if (!(error instanceof ConflictError)) {
        log.error({ err: error, guild: guildId }, "could not read the outbox; trying again");
      }
      this.unread.failed();
      return this.unread.waitMs();
    }
  }

  private async startJobs(): Promise<number | undefined> {
    const { channels, kinds, memory } = this.state;
    const { ledger } = this.server;
    const outbox = await ledger.outbox();
    if (outbox.size === 0) return undefined;
    const current = await this.server.current();
    const { guild } = current;
    await this.correctFutureTimes(outbox);
    const planning = await planningOf(this.server, guild);
    memory.keep(outbox);
    // Rows that are being sent are skipped. Otherwise, if their channel is lost now, they could also go to another channel.
    const busy = new Set([...this.working.values()].flatMap(({ rows }) => rows.map(keyOf)));
    const jobs = new Map<string, Job>();
    const unwanted: string[] = [];
    let nextMs = longestWaitMs;
    for (const [key, row] of outbox) {
      // `/alerts off` removes all rows but digests.
      if (busy.has(key) || (!guild.alerts && row.kind !== "digest")) continue;
      const kind = kindOf(row, kinds);
      const target = kind.target(row, guild, channels);
      if (target === undefined) {
        unwanted.push(key);
        continue;
      }
      const place = { lane: kind.lane, channelId: target.channelId };
      const waitMs = this.waitMsOf(row, place, planning, outbox);
      if (waitMs > 0) nextMs = Math.min(nextMs, waitMs);
      else {
        const job = jobs.get(nameOf(place)) ?? { ...place, rows: [] };
        job.rows.push(row);
        jobs.set(nameOf(place), job);
      }
    }
    if (unwanted.length > 0) await ledger.write([], () => unwanted.map((key) => ({ drop: [key] })));
    for (const [name, job] of jobs) {
      if (this.working.has(name)) continue;
      const done = this.work(job, current, planning).finally(() => {
        this.working.delete(name);
        this.wake();
      });
      this.working.set(name, { rows: job.rows, done });
    }
    this.unread.ok();
    return nextMs;
  }

  /** Corrects reminders that were recorded while the clock was fast. Otherwise they would be sent too late. */
  private async correctFutureTimes(outbox: Outbox) {
    const now = this.server.now();
    const ahead = [...outbox.values()].filter((row) => row.kind === "reminder" && row.foundAt > now);
    if (ahead.length === 0) return;
    await this.server.ledger.write([], (_, known) =>
      ahead.map((row) => ({ put: known.has(keyOf(row)) ? [{ ...row, foundAt: now }] : [] })),
    );
  }

  private waitMsOf(row: OutboxRow, place: Place, planning: Planning, outbox: Outbox): number {
    const { channels, kinds, memory } = this.state;
    const { lane, channelId } = place;
    const isInDoubt = inDoubtSince(row, planning, memory) !== undefined;
    return Math.max(
      kindOf(row, kinds).dueInMs?.(row, planning, outbox) ?? 0,
      isInDoubt ? channels.waitMs("search", channelId) : 0,
      channels.waitMs(lane, channelId),
      memory.waitMs(keyOf(row)),
    );
  }

  /** Never rejects. */
  private async work({ lane, channelId, rows }: Job, current: Current, planning: Planning) {
    const { guild, stop } = current;
    const { channels, kinds, memory } = this.state;
    const { log, guildId, monotonic, signal, failed } = this.server;
    const begun = monotonic();
    const first = this.firstOf(rows);
    const target = kindOf(first, kinds).target(first, guild, channels);
    if (target === undefined) return;
    const scope = { ...current, lane, target, planning };
    const messages = rows.filter((row): row is MessageRow => row.kind !== "edit");
    const [doubted, ...others] = messages.filter((row) => inDoubtSince(row, planning, memory) !== undefined);
    try {
      if (first.kind === "edit") await this.edit(first, scope);
      else if (doubted) await searchInDoubt(this.state, [doubted, ...others], scope);
      else await postNext(this.state, first, messages, scope);
    } catch (error) {
      // The poller ends, or the server's record has changed. This is no failure.
      if (signal.aborted || stop.aborted) return;
      if (!(error instanceof MessengerError)) {
        channels.stuck(lane, channelId);
        if (!(error instanceof ConflictError))
          log.error({ err: error, guild: guildId }, "a message could not be sent or recorded; trying again");
        return;
      }
      // `/alerts status` shows neither failures of digests nor waits that Discord requested.
      if (lane !== "digest" && error.retryAfterMs === 0)
        failed(error.code === "uncertain" ? "undelivered" : error.code);
      // A deleted channel is a failure of the lane, and not only of the search.
      const isSearch = doubted !== undefined && error.code !== "channel_gone";
      const message = isSearch ? "messages in doubt could not be searched for" : "a message could not be sent";
      // For an edit, the REST client waits at most 2 s for a rate limit, so this failure is normal.
      const level = lane === "edit" && error.retryAfterMs > 0 ? "debug" : "warn";
      log[level]({ err: error, guild: guildId, channel: channelId }, `${message}; trying again`);
      const attempt = { message: keyOf(first), begun };
      // If the notice cannot be recorded, the next failure sends it again.
      await channels.failed(isSearch ? "search" : lane, guild, target, error, attempt).catch((worse: unknown) => {
        log.error({ err: worse, guild: guildId }, "a notice could not be recorded");
      });
    }
  }

  /**
   * The row that failed least often, so that a row that always fails does not delay others. If there are several: the row with
   * the lowest rank, then the oldest row.
   */
  private firstOf(rows: readonly OutboxRow[]): OutboxRow {
    const failures = (row: OutboxRow) => this.state.memory.of(keyOf(row)).wait?.failures ?? 0;
    const rank = (row: OutboxRow) => kindOf(row, this.state.kinds).rank ?? 0;
    return rows.reduce((first, row) => {
      const order = failures(row) - failures(first) || rank(row) - rank(first) || row.foundAt - first.foundAt;
      return order < 0 ? row : first;
    });
  }

  private async edit(row: RowOf<"edit">, { guild, stop }: Scope) {
    const { channels, memory } = this.state;
    try {
      await editMessage(this.server, row, guild, stop);
      channels.answered("edit", row.channelId);
    } catch (error) {
      if (error instanceof MessengerError) memory.failed([keyOf(row)]);
      throw error;
    }
  }

  /** Channels or roles changed, so failed rows are tried again soon. */
  changed() {
    const inMs = this.state.channels.changed();
    if (inMs === undefined) return;
    this.state.memory.atMost(inMs);
    this.wake();
  }

  /** Another process may have sent messages in the meantime. */
  forget() {
    clearTimeout(this.timer);
    this.state.memory.clear();
    this.unread.ok();
  }

  async idle(): Promise<void> {
    while (this.dispatching || this.working.size > 0) {
      await this.dispatching;
      await Promise.all([...this.working.values()].map(({ done }) => done));
    }
  }
}
