import type { Log } from "../basics/log.ts";
import { createQueue } from "../basics/queue.ts";
import { type Guild, zoneNameOf } from "../guilds/guild.ts";
import type { Storage, Table } from "../storage/table.ts";
import { isOver } from "../store-api/order-status.ts";
import { sameStatus } from "../store-api/orders.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { type AlertOrder, reminderMessage, replyOf } from "../views/alert.ts";
import { parseCustomId } from "../views/custom-id.ts";
import type { Takes } from "../views/handling.ts";
import { contextOf, toAlertOrder } from "./alert-order.ts";
import { Backoff, type Chance, waitIn } from "./backoff.ts";
import { FollowWaits, HiddenHistory } from "./follow-waits.ts";
import type { Ledger, PostedEntry } from "./ledger.ts";
import { lookFrom } from "./look-from.ts";
import { type Messenger, MessengerError } from "./messenger.ts";
import { nonceFor } from "./nonce.ts";
import { type Place, placeOf, placeOfChannel, placeOfPosted } from "./place.ts";
import {
  isQuiet,
  type ReminderRow,
  type RemindSettings,
  remindersTable,
  remindSettingsTable,
} from "./remind-settings.ts";
import type { Restored } from "./restored.ts";
import { isClear, sendReply } from "./send-reply.ts";
import { Overtaken, type Right } from "./term.ts";

/** Alerts of one server of which the channel may have to be reminded: 130 bytes each. The oldest beyond that are not. */
const mostWaiting = 1_000;
/** Reminders sent after one poll: the channel takes 5 messages in 5 s, and new alerts come first. */
const mostAtOnce = 2;
/** Messages looked at in one go, of which some may have orders that the store cannot give. */
const mostTried = 5;
/** With polls that are rarer than that there is one more for what is due. */
const betweenPollsMs = 15_000;
const quarterMs = 15 * 60_000;
/** Settings may be changed by another process. */
const lookEveryMs = 60_000;

export interface RemindersDeps extends Chance {
  readonly guildId: string;
  readonly storage: Storage;
  readonly ledger: Ledger;
  readonly messenger: Messenger;
  takesOf(guildId: string, orderIds: readonly string[]): Promise<Takes>;
  guild(): Promise<Guild>;
  /** The server's store while it may be asked. */
  store(guild: Guild): Store | undefined;
  /** Whether this process still polls. */
  isMine(): boolean;
  readonly restored: Pick<Restored, "rungSince">;
  readonly right: Pick<Right, "signal">;
  /** Aborted when the process ends, or its right to poll. */
  untilOver(): AbortSignal;
  readonly log: Log;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** An order that still waits for somebody, as the reminder shows it. */
interface Waiting {
  readonly row: ReminderRow;
  readonly place: Place | undefined;
  readonly order: AlertOrder;
}

/**
 * Reminds the channel, once for each order, of those that nobody dealt with. Beside the polls: nothing here holds up an
 * alert. That a reminder is about to be sent is put down first, and whoever finds that so looks in the channel.
 */
export class Reminders {
  private readonly deps: RemindersDeps;
  private readonly table: Table<readonly ReminderRow[]>;
  private readonly writes = createQueue();
  private readonly wait: Backoff;
  /** By the channels of alerts: no other channel waits for one that does not take its reminder. */
  private readonly channels: FollowWaits;
  /** By message, for orders that the store cannot give: no other one waits for them. Of messages that wait, and no others. */
  private readonly unread = new Map<string, Backoff>();
  private rows: readonly ReminderRow[] | undefined;
  private known: RemindSettings | undefined;
  /** The server's, as IANA has it, when `known` was read. */
  private zone = "UTC";
  private lookAt = Number.NEGATIVE_INFINITY;
  private running: Promise<void> | undefined;
  /** Raised when everything is forgotten: what is under way then writes nothing any more. */
  private life = 0;

  constructor(deps: RemindersDeps) {
    this.deps = deps;
    this.table = deps.storage.table(remindersTable);
    this.wait = new Backoff(deps);
    this.channels = new FollowWaits(deps);
  }

  private async settings(): Promise<RemindSettings | undefined> {
    const settings = (await this.deps.storage.table(remindSettingsTable).get(this.deps.guildId)) ?? undefined;
    if (settings?.quiet !== undefined) this.zone = zoneNameOf(await this.deps.guild());
    return settings;
  }

  /**
   * These alerts stand in the channel; to be called before that is recorded. Throws `StorageError`.
   *
   * @param since from when on (epoch ms) their reminders may stand there, too: they were posted by who knows whom
   */
  async add(entries: readonly PostedEntry[], since: number | false = false): Promise<void> {
    this.known = await this.settings();
    if (this.known === undefined) return;
    const added = entries.map(
      ({ order, channelId, messageId, foundAt }): ReminderRow => [order.id, channelId, messageId, foundAt, since],
    );
    await this.change((rows) => {
      const known = new Set(rows.map(([id]) => id));
      return [...rows, ...added.filter(([id]) => !known.has(id))].slice(-mostWaiting);
    });
  }

  private change(next: (rows: readonly ReminderRow[]) => readonly ReminderRow[], assertMine?: () => void) {
    return this.writes.run(async () => {
      const before = this.rows ?? (await this.table.get(this.deps.guildId)) ?? [];
      const rows = next(before);
      assertMine?.();
      this.rows = undefined;
      await this.table.set(this.deps.guildId, rows);
      this.rows = rows;
    });
  }

  /** Learns, once in a term, what may have to be reminded of. Throws `StorageError`. */
  load(): Promise<void> {
    return this.writes.run(async () => {
      if (this.rows !== undefined) return;
      this.rows = (await this.table.get(this.deps.guildId)) ?? [];
      if (this.rows.length > 0) this.known = await this.settings();
    });
  }

  /** Milliseconds until a poll is to go on with them; undefined where nothing waits. */
  dueMs(): number | undefined {
    const [first] = this.rows ?? [];
    const { known } = this;
    if (first === undefined || known === undefined) return undefined;
    const now = this.deps.now();
    const waits = [this.wait, ...this.channels.all, ...this.unread.values()].map((one) => one.waitMs());
    const [tryMs = 0] = waits.filter((ms) => ms > 0).toSorted((one, other) => one - other);
    // Quiet hours end with a quarter of an hour, in every time zone.
    const leastMs = isQuiet(known, now, this.zone) ? quarterMs - (now % quarterMs) : Math.max(tryMs, betweenPollsMs);
    return Math.max(Math.min(first[3], now) + known.afterMs - now, leastMs);
  }

  /** To be called when the store was read. Never rejects, and nobody waits for it. */
  goOn() {
    const { monotonic, now } = this.deps;
    const [first] = this.rows ?? [];
    if (this.running || first === undefined || this.wait.waitMs() > 0) return;
    const isDue = this.known !== undefined && first[3] + this.known.afterMs <= now();
    if (!isDue && monotonic() < this.lookAt) return;
    this.lookAt = monotonic() + lookEveryMs;
    this.running = this.run(this.life);
  }

  private async run(life: number) {
    const { signal } = this.deps;
    try {
      await this.remind(() => {
        if (life !== this.life || signal.aborted || !this.deps.isMine()) throw new Overtaken();
      });
      this.wait.ok();
    } catch (error) {
      if (!signal.aborted && !(error instanceof Overtaken)) {
        this.wait.failed();
        this.notReminded(error);
      }
    }
    this.running = undefined;
  }

  private async remind(assertMine: () => void) {
    const { now } = this.deps;
    const settings = await this.settings();
    this.known = settings;
    if (settings === undefined) return this.change(() => [], assertMine);
    // The clock was fast, and was set right.
    if (this.rows?.some(([, , , at]) => at > now())) {
      await this.change(
        (rows) =>
          rows.map(([id, channelId, message, at, mayStand]) => [id, channelId, message, Math.min(at, now()), mayStand]),
        assertMine,
      );
    }
    const guild = await this.deps.guild();
    if (!guild.alerts || isQuiet(settings, now(), this.zone)) return;
    const messages = new Set(this.rows?.map(([, , message]) => message));
    for (const message of this.unread.keys()) if (!messages.has(message)) this.unread.delete(message);
    const tried = new Set<string>();
    for (let sent = 0; sent < mostAtOnce && tried.size < mostTried; ) {
      const isFree = (id: string) => !tried.has(id) && (this.unread.get(id)?.waitMs() ?? 0) === 0;
      const due = (this.rows ?? []).filter(([, , id, at]) => isFree(id) && at + settings.afterMs <= now());
      const named = due.map((row) => ({ row, channelId: row[1] }));
      const free = await this.channels.free(named, async ({ row }) => (await this.doubtSince(row)) !== undefined);
      // Those that failed least come first: the oldest may be of orders that the store never gives.
      const failures = (id: string) => this.unread.get(id)?.failures ?? 0;
      const [first] = free.toSorted(({ row: [, , one] }, { row: [, , other] }) => failures(one) - failures(other));
      const [, channelId, message] = first?.row ?? [];
      if (channelId === undefined || message === undefined) break;
      tried.add(message);
      try {
        const together = free.flatMap(({ row }) => (row[2] === message ? [row] : []));
        const wasInDoubt = await this.remindOf(together, guild, assertMine);
        this.channels.sent(channelId, wasInDoubt);
        this.unread.delete(message);
        sent++;
      } catch (error) {
        // Neither an order that the store cannot give nor a channel that takes nothing holds another one up.
        if (error instanceof StoreError) waitIn(this.unread, message, this.deps).failed(error.retryAfterMs);
        else if (error instanceof MessengerError) this.channels.failed(channelId, error);
        else throw error;
        this.notReminded(error);
      }
    }
  }

  private notReminded(error: unknown) {
    this.deps.log.warn(
      { err: error, guild: this.deps.guildId },
      "the channel could not be reminded; it is tried again",
    );
  }

  /** Rows of one message. Gives whether it looked for reminders that may stand already. */
  private async remindOf(rows: readonly ReminderRow[], before: Guild, assertMine: () => void): Promise<boolean> {
    const found = await this.alreadyReminded(rows, before);
    const takes = await this.deps.takesOf(
      before.id,
      rows.map(([id]) => id),
    );
    const waiting = await this.waiting(
      rows.filter(([id]) => !found?.has(id)),
      before,
      takes,
    );
    // A slow store takes a minute for the orders of one message.
    const guild = await this.deps.guild();
    if (!guild.alerts) return found !== undefined;
    const wanted = new Set(waiting.map(({ row: [id] }) => id));
    const ids = new Set(rows.map(([id]) => id));
    const note = (isNoted: boolean) =>
      this.change(
        (all) =>
          all.flatMap((row): ReminderRow[] => {
            const [id, channelId, messageId, at] = row;
            if (!ids.has(id)) return [row];
            return wanted.has(id) ? [[id, channelId, messageId, at, isNoted]] : [];
          }),
        assertMine,
      );
    await note(true);
    if (waiting.length === 0) return found !== undefined;
    assertMine();
    try {
      await this.send(waiting, guild, takes);
    } catch (error) {
      assertMine();
      if (isClear(error)) await note(false);
      throw error;
    }
    await this.change((all) => all.filter(([id]) => !ids.has(id)), assertMine);
    return found !== undefined;
  }

  private async send(waiting: readonly Waiting[], guild: Guild, takes: Takes) {
    const [first] = waiting;
    const own = placeOf(guild, undefined);
    if (first === undefined || own === undefined) return;
    const place = first.place ?? own;
    try {
      await this.sendIn(place, { waiting, guild, takes });
    } catch (error) {
      // Where a rule has lost its channel, the alerts' own one is left.
      if (place.route === undefined || !isClear(error)) throw error;
      await this.sendIn(own, { waiting, guild, takes });
    }
  }

  private async sendIn(
    { channelId, roleId }: Place,
    { waiting, guild, takes }: { readonly waiting: readonly Waiting[]; readonly guild: Guild; readonly takes: Takes },
  ) {
    const [, place, messageId] = waiting[0]?.row ?? [];
    const orders = waiting.map(({ order }) => order);
    const bare = orders.map((order) => ({ ...order, items: [], paymentMethod: "" }));
    const ctx = contextOf(guild);
    await sendReply(this.deps.messenger, {
      channelId,
      replyTo: place === channelId ? messageId : undefined,
      payload: reminderMessage(orders, ctx, { takes, roleId }),
      bare: reminderMessage(bare, ctx, { takes, roleId }),
      nonce: nonceFor(guild.id, channelId, ["reminder", ...orders.map(({ id }) => id)]),
      signal: this.deps.right.signal(),
    });
  }

  /**
   * Those that still wait for somebody: nobody took them, or their status is what it was when somebody did. What is over
   * waits for nobody, nor does what the store does not have any more: it is asked, for the ledger may be behind it.
   */
  private async waiting(rows: readonly ReminderRow[], guild: Guild, takes: Takes): Promise<Waiting[]> {
    const { alerts } = guild;
    const known = await this.deps.ledger.entries(rows.map(([id]) => id));
    const waiting: Waiting[] = [];
    for (const row of rows) {
      const [id, channelId, , at] = row;
      const entry = known.get(id);
      const take = takes.get(id);
      const shown = entry?.state === "posted" ? entry.order : undefined;
      const isFirst = (status: string) =>
        shown !== undefined && shown.changedAt === undefined && sameStatus(status, shown.status);
      if (take?.done || (take && !isFirst(shown?.status ?? "")) || at < (alerts?.since ?? 0)) continue;
      const order = await this.asked(id, guild, shown);
      // The ledger does not know any more by which rule an order went that has moved on.
      const isKnown = entry?.state === "posted" || entry?.state === "settled";
      const place = isKnown ? placeOfPosted(guild, { ...entry, channelId }) : placeOfChannel(guild, channelId);
      if (order && !isOver(order.status) && (!take || isFirst(order.status))) waiting.push({ row, place, order });
    }
    return waiting;
  }

  /**
   * An order as the store has it, or, where that cannot be read, as it is `known`; undefined where the store has none. Throws
   * `StoreError`.
   */
  private async asked(id: string, guild: Guild, known: AlertOrder | undefined): Promise<AlertOrder | undefined> {
    const store = this.deps.store(guild);
    if (store === undefined) throw new StoreError("unavailable", "GET order");
    try {
      return toAlertOrder(await store.getOrder(id, this.deps.untilOver()), "none");
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "not_found") return undefined;
      if (!["malformed", "too_large", "invalid"].includes(error.code)) throw error;
      const fields = { err: error, guild: guild.id, order: id };
      this.deps.log.warn(fields, "an order cannot be read: it is reminded of as its alert has it, or not at all");
      return known;
    }
  }

  /** From when on (epoch ms) a reminder may stand in the channel; undefined where none can. */
  private async doubtSince([, , , at, mayStand]: ReminderRow): Promise<number | undefined> {
    const noted = mayStand === true ? at : mayStand;
    return noted === false ? this.deps.restored.rungSince({ foundAt: at }) : noted;
  }

  /**
   * Ids of orders that a reminder in the channel has: it was sent, and the process ended before it knew. Undefined where
   * nothing was to be looked for.
   */
  private async alreadyReminded(rows: readonly ReminderRow[], guild: Guild): Promise<ReadonlySet<string> | undefined> {
    const { messenger, now } = this.deps;
    const begins: number[] = [];
    for (const row of rows) {
      const since = await this.doubtSince(row);
      if (since !== undefined) begins.push(since);
    }
    if (begins.length === 0 || !guild.alerts) return undefined;
    const { channelId } = guild.alerts;
    const ofRules = new Set(guild.routes?.map((route) => route.channelId));
    const found = new Set<string>();
    for (const place of new Set([channelId, ...rows.map(([, where]) => where)])) {
      const messages = await messenger.own(place, lookFrom(begins, now())).catch((error: unknown) => {
        // It goes to a rule's channel as well, and then may stand there.
        const mayStand = place === channelId || ofRules.has(place);
        if (isClear(error) && error.code === "forbidden" && mayStand)
          throw new HiddenHistory(error.code, error, error.retryAfterMs);
        if (place !== channelId && isClear(error)) return [];
        throw error;
      });
      for (const { marks } of messages) {
        if (replyOf(marks) !== "reminder") continue;
        for (const mark of marks) for (const part of [mark, ...(parseCustomId(mark)?.args ?? [])]) found.add(part);
      }
    }
    return found;
  }

  /** Channels or roles changed: what was refused there is tried again in so many ms. */
  channelMended(inMs: number) {
    for (const wait of this.channels.all) wait.atMost(inMs);
  }

  /** What is in memory is not what is in storage any more. Channels and orders are left alone for as long as before. */
  forget() {
    this.life++;
    this.rows = undefined;
    this.lookAt = Number.NEGATIVE_INFINITY;
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.running;
  }
}
