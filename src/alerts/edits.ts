import { isDeepStrictEqual } from "node:util";
import type { Metrics } from "../basics/metrics.ts";
import type { Guild } from "../guilds/guild.ts";
import { isClosed } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { type AlertOrder, alertMessage } from "../views/alert.ts";
import { alertEditV2 } from "../views/alert-v2.ts";
import type { Customer } from "../views/customer.ts";
import type { Takes } from "../views/handling.ts";
import { contextOf } from "./alert-order.ts";
import { Backoff, waitIn } from "./backoff.ts";
import { leastOfLost } from "./channel-changes.ts";
import { FollowWaits, HiddenHistory } from "./follow-waits.ts";
import type { PostedEntry } from "./ledger.ts";
import { LeftOrders, type LeftOrdersDeps } from "./left-orders.ts";
import { MessengerError } from "./messenger.ts";
import { placeOfPosted } from "./place.ts";
import { polledOf, statusesPolled } from "./polled.ts";
import type { Reminders, RemindersDeps } from "./reminders.ts";
import {
  isInDoubt,
  isPaid,
  isReversed,
  isRungByRule,
  mayBePaid,
  type Reply,
  replyDue,
  replyTo,
  type StatusChange,
} from "./replies.ts";
import type { RouteChannels } from "./route-channels.ts";
import type { Routed } from "./routed.ts";
import { Overtaken } from "./term.ts";
import { isBlockage, type Troubles } from "./troubles.ts";

/** What an alert's order has become. */
interface Change {
  readonly status: string;
  /** Shown in the alert of a single order; the ledger does not keep it. */
  readonly customer: Customer | undefined;
}

/** Orders of one message, and what is to be said of them once more. */
interface DueReply {
  readonly reply: Reply;
  readonly changes: readonly StatusChange[];
}

/** Changed orders whose entries are read at a time. */
const sliceSize = 100;
/** An alert is edited no more often than this, whatever is pressed. */
const betweenEditsMs = 1_000;
const nothing = { changed: [], missing: [] };

export interface EditsDeps extends Omit<RemindersDeps, "storage">, LeftOrdersDeps {
  readonly routed: Pick<Routed, "find" | "rung">;
  readonly routeChannels: RouteChannels;
  readonly metrics: Metrics;
  readonly troubles: Troubles;
  readonly reminders: Pick<Reminders, "load" | "goOn" | "dueMs" | "forget" | "idle" | "channelMended">;
}

/**
 * Brings alerts up to date whose orders left their first status: beside the polls, and with waits of its own, so that
 * nothing here ever holds up a new alert. In memory: what is lost with the process is seen again by the next one.
 */
export class Edits {
  private readonly deps: EditsDeps;
  private readonly changes = new Map<string, Change>();
  private readonly left: LeftOrders;
  private readonly channels = new Map<string, Backoff>();
  /** Replies wait for themselves, by the channels of their alerts: no edit holds them up, and no other channel. */
  private readonly replyWaits: FollowWaits;
  /** For what is no fault of Discord or the store: the storage's, most likely. */
  private readonly fault: Backoff;
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Raised when everything is forgotten: what is under way then writes nothing any more. */
  private life = 0;

  constructor(deps: EditsDeps) {
    this.deps = deps;
    this.fault = new Backoff(deps);
    this.replyWaits = new FollowWaits(deps);
    this.left = new LeftOrders(deps);
  }

  /** Goes on with what waits and may be tried now; `found` is what a poll has shown. */
  goOn(found: { readonly changed: readonly Order[]; readonly missing: readonly string[] } = nothing) {
    for (const { id, status, customer } of found.changed) this.changes.set(id, { status, customer });
    this.left.add(found.missing);
    if (this.running || this.changes.size + this.left.size === 0) return;
    clearTimeout(this.timer);
    this.running = this.run(this.life);
  }

  private async run(life: number) {
    const { log, guildId, signal } = this.deps;
    try {
      await this.workOff(life);
      this.fault.ok();
    } catch (error) {
      if (!signal.aborted && !(error instanceof Overtaken)) {
        this.fault.failed();
        log.error({ err: error, guild: guildId }, "alerts could not be brought up to date");
      }
    }
    this.running = undefined;
    // What was found since all was forgotten.
    if (life !== this.life && !signal.aborted) return this.goOn();
    const waitMs = this.waitMs();
    if (waitMs !== undefined && !signal.aborted) this.timer = setTimeout(() => this.goOn(), waitMs).unref();
  }

  private async workOff(life: number) {
    while (this.isAlive(life)) {
      const guild = await this.deps.guild();
      if (!guild.alerts) return;
      const store = this.deps.store(guild);
      const due = this.changes.size > 0 ? await this.nextReply(guild) : undefined;
      if (due && this.isAlive(life)) {
        await this.reply(due, guild, life);
        continue;
      }
      const message = this.changes.size > 0 ? await this.nextMessage(guild) : [];
      if (!this.isAlive(life)) return;
      const id = store && this.left.next();
      if (id === undefined && message.length === 0) return;
      if (message.length > 0) await this.edit(message, guild, life);
      if (!store || id === undefined) continue;
      const found = await this.left.read(id, store, () => this.assertAlive(life));
      const { order } = found ?? {};
      if (order) this.changes.set(id, { status: order.status, customer: order.customer });
      else if (found) await this.settle([found.entry], life);
    }
  }

  private isAlive(life: number) {
    return life === this.life && !this.deps.signal.aborted && this.deps.isMine();
  }

  /** Milliseconds until something that failed may be tried again; undefined when nothing waits for a time. */
  waitMs(): number | undefined {
    const ofChanges = this.changes.size > 0 ? [...this.replyWaits.all, ...this.channels.values()] : [];
    const waits = [this.fault, ...this.left.waits, ...ofChanges].map((one) => one.waitMs()).filter((ms) => ms > 0);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  /** The posted orders that changed, a part at a time; what is not followed any more is forgotten on the way. */
  private async *postedSlices(of: (change: Change) => boolean = () => true): AsyncGenerator<PostedEntry[]> {
    const ids = [...this.changes].flatMap(([id, change]) => (of(change) ? [id] : []));
    for (let start = 0; start < ids.length; start += sliceSize) {
      const slice = ids.slice(start, start + sliceSize);
      const known = await this.deps.ledger.entries(slice);
      const posted: PostedEntry[] = [];
      for (const id of slice) {
        const entry = known.get(id);
        if (entry?.state === "posted") posted.push(entry);
        // An owed one is edited once it stands in the channel.
        else if (entry?.state !== "owed") this.changes.delete(id);
      }
      yield posted;
    }
  }

  /**
   * The orders of one message that may be edited now. While one of them is still to be answered, the edit waits for that:
   * after it, an order may not be followed any more.
   */
  private async nextMessage(guild: Guild): Promise<PostedEntry[]> {
    const statuses = guild.alerts?.statuses ?? [];
    for await (const posted of this.postedSlices()) {
      const silent = new Set(
        posted.filter((entry) => this.replyDue(entry, statuses)).map(({ messageId }) => messageId),
      );
      const isFree = ({ channelId, messageId }: PostedEntry) =>
        !silent.has(messageId) && (this.channels.get(channelId)?.waitMs() ?? 0) === 0;
      const first = posted.find(isFree);
      if (first) return posted.filter(({ messageId }) => messageId === first.messageId);
    }
    return [];
  }

  private assertAlive(life: number) {
    if (!this.isAlive(life)) throw new Overtaken();
  }

  /**
   * Edits one message for all its orders that changed. One that somebody deleted is left alone, and so is one that shows an
   * order of which nothing is known: it left the list before a backup was restored, and would go from the message.
   */
  private async edit(entries: readonly PostedEntry[], guild: Guild, life: number) {
    const [first] = entries;
    if (!first) return;
    const { messenger, now, guildId, takesOf } = this.deps;
    // A poll may bring newer ones while Discord is asked: these are what is shown and recorded.
    const seen = new Map(entries.map(({ order }) => [order.id, this.changes.get(order.id)]));
    const statuses = guild.alerts?.statuses ?? [];
    // Paid in the moment since the message was chosen: the ring comes first.
    if (entries.some((entry) => this.replyDue(entry, statuses))) return;
    const changed = entries.map((entry) => {
      const status = seen.get(entry.order.id)?.status ?? entry.order.status;
      // What was paid, and rang as that, comes back to it without a word.
      const paid = isPaid(entry.order.status, statuses) ? ("rung" as const) : entry.paid;
      return { ...entry, paid, order: { ...entry.order, status, changedAt: now() } };
    });
    const ids = [...new Set([...first.batch, ...entries.map(({ order }) => order.id)])];
    try {
      const takes = await takesOf(guildId, ids);
      const message = await this.remade(changed, { guild, takes, customer: seen.get(first.order.id)?.customer });
      if (message) {
        await messenger.edit(first.channelId, first.messageId, message);
        this.deps.metrics.alertEdited();
        this.channels.delete(first.channelId);
        // Whoever took an order meanwhile changed the message before this edit arrived, or after: it is made once more.
        const isOld = !isDeepStrictEqual(takes, await takesOf(guildId, ids));
        if (isOld) return waitIn(this.channels, first.channelId, this.deps).hold(betweenEditsMs);
      }
    } catch (error) {
      if (!(error instanceof MessengerError)) throw error;
      const isFinal = error.code === "channel_gone" || error.code === "refused";
      if (!isFinal) return this.editFailed(first.channelId, error);
    }
    for (const [id, change] of seen) if (this.changes.get(id) === change) this.changes.delete(id);
    const open = changed.filter((entry) => !isClosed(entry.order.status) || mayBePaid(entry, statuses));
    if (this.isAlive(life) && open.length > 0) {
      await this.deps.ledger.keepPosted(open);
      this.left.wake();
    }
    const over = changed.filter((entry) => !open.includes(entry));
    await this.settle(over, life);
  }

  /** Orders of one message that were paid, or paid back, and were not answered for it. */
  private async nextReply(guild: Guild): Promise<DueReply | undefined> {
    const statuses = guild.alerts?.statuses ?? [];
    for await (const entries of this.postedSlices(({ status }) => isPaid(status, statuses) || isReversed(status))) {
      for (const reply of ["paid", "refunded"] as const) {
        const due = entries.filter((entry) => this.replyDue(entry, statuses) === reply);
        const free = await this.replyWaits.free(due, (entry) => isInDoubt(entry, reply, this.deps.restored));
        const together = free.filter(({ messageId }) => messageId === free[0]?.messageId);
        const changes = together.map((entry) => ({ entry, status: this.statusOf(entry) }));
        if (changes.length > 0) return { reply, changes };
      }
    }
    return undefined;
  }

  private statusOf({ order }: PostedEntry): string {
    return this.changes.get(order.id)?.status ?? order.status;
  }

  private replyDue(entry: PostedEntry, statuses: readonly string[]): Reply | undefined {
    return replyDue(entry, this.statusOf(entry), statuses);
  }

  private async reply({ reply, changes }: DueReply, guild: Guild, life: number) {
    const { ledger, log, guildId, routed, routeChannels } = this.deps;
    const assertMine = () => this.assertAlive(life);
    const ruled: PostedEntry[] = [];
    for (const { entry, status } of changes) {
      const rung = await routed.rung(entry.order.id, guild.routes);
      if (isRungByRule(rung, status, guild.alerts?.statuses ?? [])) ruled.push({ ...entry, [reply]: "rung" });
    }
    assertMine();
    if (ruled.length > 0) return ledger.keepPosted(ruled);
    const [first] = changes;
    const posted = first && placeOfPosted(guild, first.entry);
    const place = posted?.route ? routeChannels.resortOf(guild, posted.route.id) : posted;
    if (first === undefined || place === undefined) return;
    const { channelId } = first.entry;
    try {
      const signal = this.deps.right.signal();
      const wasInDoubt = await replyTo({ ...this.deps, guild, place, reply, changes, signal, assertMine });
      this.replyWaits.sent(channelId, wasInDoubt);
      if (wasInDoubt && place.route) await routeChannels.historyShown(place.route);
    } catch (error) {
      if (!(error instanceof MessengerError)) throw error;
      const { code } = error;
      const { route } = place;
      const isHidden = error instanceof HiddenHistory;
      const isLost = route !== undefined && isBlockage(code) && !isHidden;
      if (isLost) await routeChannels.failed(guild, route, error);
      // What follows rings in the alerts' own channel, if it was not there.
      if (isLost && place.channelId !== guild.alerts?.channelId) return;
      this.replyWaits.failed(channelId, error);
      this.deps.failed(code === "uncertain" ? "undelivered" : code);
      const fields = { err: error, guild: guildId, orders: changes.length };
      log.warn(fields, "an alert could not be answered for a payment or a refund; it is tried again");
      if (route && isHidden) await routeChannels.historyHidden(guild, route, "forbidden");
      else if (!route && isBlockage(code)) await this.deps.troubles.channelFailed(guild, code);
    }
  }

  private editFailed(channelId: string, error: MessengerError) {
    const { log, guildId } = this.deps;
    const backoff = waitIn(this.channels, channelId, this.deps);
    if (error.retryAfterMs > 0) backoff.hold(error.retryAfterMs);
    else backoff.failed(0, isBlockage(error.code) ? leastOfLost : 1);
    log.warn({ err: error, guild: guildId }, "an alert could not be brought up to date; it is tried again");
  }

  /** The alert of these entries as it is to stand, with what became of some of them; nothing where one of it is not known. */
  private async remade(
    entries: readonly PostedEntry[],
    { guild, takes, customer: of }: { guild: Guild; takes: Takes; customer: Customer | undefined },
  ) {
    const [first] = entries;
    const ctx = contextOf(guild);
    const batch = first?.batch ?? [];
    const shown = new Map<string, AlertOrder>();
    for (const [id, sibling] of batch.length > 1 ? await this.deps.ledger.entries(batch) : []) {
      if (sibling.state !== "seen") shown.set(id, sibling.order);
    }
    for (const { order } of entries) shown.set(order.id, order);
    if (batch.some((id) => !shown.has(id))) return undefined;
    // Who reads a channel that alerts have left was not asked when customers were to be shown.
    const place = first && placeOfPosted(guild, first);
    const isHere = place?.channelId === first?.channelId && place?.showsCustomers === true;
    const customer = isHere && batch.length <= 1 && ctx.privacy !== "none" ? of : undefined;
    const orders = [...shown.values()].map((order) => ({ ...order, customer }));
    const roleId = place?.roleId;
    if (!first?.isClassic) return alertEditV2(orders, ctx, roleId);
    return alertMessage(orders, ctx, { takes, ...(roleId ? { roleId } : {}) });
  }

  /** Somebody may have dealt with them while Discord or the store was asked. */
  private async settle(entries: readonly PostedEntry[], life: number) {
    const known = await this.deps.ledger.entries(entries.map(({ order }) => order.id));
    const posted = entries.filter(({ order }) => known.get(order.id)?.state === "posted");
    if (this.isAlive(life) && posted.length > 0) await this.deps.ledger.settle(posted);
  }

  /** The store was read: goes on with reminders, and with what left the statuses that are polled. Throws `StorageError`. */
  async storeRead(guild: Guild): Promise<void> {
    await this.deps.reminders.load();
    this.deps.reminders.goOn();
    await this.left.lookAgain(statusesPolled(polledOf(guild)));
    this.goOn();
  }

  /** As {@link Reminders.dueMs}. */
  remindMs = (): number | undefined => this.deps.reminders.dueMs();

  /** Channels or roles changed: what was refused there is tried again in so many ms. */
  channelMended(inMs: number) {
    for (const wait of [...this.replyWaits.all, ...this.channels.values()]) wait.atMost(inMs);
    this.deps.reminders.channelMended(inMs);
  }

  /**
   * Forgets what waits, but for how long replies are left alone in channels, and who was looked at last: where workers take turns each poll may begin a
   * term, and none would wait. What another process may have seen mended is tried again by {@link channelMended}.
   */
  forget() {
    this.life++;
    this.deps.reminders.forget();
    clearTimeout(this.timer);
    this.fault.ok();
    this.left.forget();
    for (const waiting of [this.changes, this.channels]) waiting.clear();
  }

  /** Ids of orders whose alerts are still to be brought up to date, now or after a wait. */
  get due(): readonly string[] {
    return [...this.changes.keys(), ...this.left.ids];
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.running;
    await this.deps.reminders.idle();
  }
}
