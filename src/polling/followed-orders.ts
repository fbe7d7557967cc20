import { idHash } from "../basics/id-hash.ts";
import { Backoff } from "../basics/limits/backoff.ts";
import type { Guild } from "../guilds/guild.ts";
import type { Lists, Statuses } from "../orders/list-memory.ts";
import type { PostedOrder } from "../orders/order-row.ts";
import { close } from "../orders/plan-messages.ts";
import type { ServerContext } from "../outbox/context.ts";
import { hasStatus, isClosed, sameStatus } from "../store-api/order-status.ts";
import type { Order } from "../store-api/schemas.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import type { ListRecorder } from "./list-recorder.ts";

/** Time between two rechecks of followed orders that no list shows. 5,000 such orders are all rechecked within 21 hours. */
const betweenRechecksMs = 15_000;
/** At most this many orders are rechecked after one poll: as many as are due in an hour. */
const mostRechecks = 240;
/** One poll reads at most this many rows to find orders to recheck. */
const rowsPerPoll = 250;
/** If a pass over all followed orders found none to recheck, the next pass begins after this time. */
const restMs = 60 * 60_000;
/** Without a limit, abandoned carts would be followed for ever. */
const followedForMs = 30 * 24 * 60 * 60_000;
/** At most this many orders of a server are followed: the newest ones. */
const mostFollowed = 5_000;

type Work = () => Promise<unknown>;

interface Unread {
  /** The statuses of the list that the order has just left. Undefined if the pass over all followed orders chose the order. */
  readonly list?: Statuses;
  readonly wait: Backoff;
}

/**
 * Follows one server's orders after their alert. list-recorder.ts reads the orders in the polled lists; this class reads the
 * others by their ids. If its memory is lost, it begins a new pass over all followed orders.
 */
export class FollowedOrders {
  private readonly server: ServerContext;
  private readonly recorder: Pick<ListRecorder, "plan">;
  private readonly lists: Lists;
  /** Orders to read by their ids. */
  private readonly unread = new Map<string, Unread>();
  /** The rest of the present pass over all followed orders, newest first. */
  private pass: string[] = [];
  private hasFound = false;
  private recheckAt = Number.NEGATIVE_INFINITY;
  /** Orders that the store did not have when they were last read. */
  private readonly notFound = new Set<string>();

  constructor(server: ServerContext, recorder: Pick<ListRecorder, "plan">, lists: Lists) {
    this.server = server;
    this.recorder = recorder;
    this.lists = lists;
  }

  add(left: readonly string[], list: Statuses) {
    for (const id of left) {
      const isKnown = this.unread.get(id)?.list?.join() === list.join();
      if (!isKnown) this.unread.set(id, { list, wait: new Backoff(this.server) });
    }
  }

  private recheckSoon() {
    this.recheckAt = Math.min(this.recheckAt, this.server.monotonic() + betweenRechecksMs);
  }

  /** Chooses the orders that are rechecked after a poll. */
  async afterPoll(): Promise<void> {
    const now = this.server.monotonic();
    if (now < this.recheckAt) return;
    const lateMs = Number.isFinite(this.recheckAt) ? now - this.recheckAt : 0;
    const most = Math.min(1 + Math.floor(lateMs / betweenRechecksMs), mostRechecks);
    // A recheck waits for a poll, so it may be late. The next recheck is due as if this one had been on time.
    this.recheckAt = now + betweenRechecksMs - (lateMs % betweenRechecksMs);
    if (this.pass.length < most) this.pass = [...new Set([...this.pass, ...(await this.beginPass())])];
    const listed = this.lists.alerted();
    this.pass = this.pass.filter((id) => !listed.has(idHash(id)));
    let due = [...this.unread.values()].filter(({ list }) => list === undefined).length;
    for (let read = 0; this.pass.length > 0 && due < most && read < rowsPerPoll; ) {
      const ids = this.pass.slice(0, most - due);
      const rows = await this.server.ledger.entries(ids);
      // Removed only after the read, so that a failing storage takes no order out of the pass.
      this.pass.splice(0, ids.length);
      read += ids.length;
      for (const [id, row] of rows) {
        if (row.state !== "open" || isClosed(row.facts.status) || this.unread.has(id)) continue;
        this.unread.set(id, { wait: new Backoff(this.server) });
        due++;
      }
    }
    this.hasFound ||= due > 0;
    if (this.pass.length > 0) return;
    if (!this.hasFound) this.recheckAt = now + restMs;
    this.hasFound = false;
  }

  /** Closes orders older than {@link followedForMs} or beyond {@link mostFollowed}. Returns the others, newest first. */
  private async beginPass(): Promise<string[]> {
    const { ledger, now } = this.server;
    const open = await ledger.openOrders();
    const isFollowed = (foundAt: number, older: number) =>
      older >= open.length - mostFollowed && foundAt >= now() - followedForMs;
    const over = new Set(open.flatMap(([id, foundAt], older) => (isFollowed(foundAt, older) ? [] : [id])));
    for (const id of over) await this.close(id, over);
    return open.flatMap(([id]) => (over.has(id) ? [] : [id])).reverse();
  }

  /**
   * Orders that have just left a list come first, and orders whose read has failed come last. A refusal ends the work, although
   * it may be about one order alone.
   */
  private next(): string | undefined {
    const ready = [...this.unread].filter(([, { wait }]) => wait.waitMs() === 0);
    const fresh = ready.filter(([, { wait }]) => wait.failures === 0);
    const [id] = fresh.find(([, { list }]) => list !== undefined) ?? fresh[0] ?? ready[0] ?? [];
    return id;
  }

  /** Milliseconds until an order that could not be read may be tried again. */
  waitMs(): number | undefined {
    const waits = [...this.unread.values()].map(({ wait }) => wait.waitMs()).filter((ms) => ms > 0);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  /**
   * Reads waiting orders until one has changed or cannot be read. Returns a function that records the change. "failed": another
   * order may be read. "stop": no order may be read now.
   */
  async readNext(guild: Guild, store: Store): Promise<Work | "failed" | "stop"> {
    const { ledger, lease } = this.server;
    for (let id = this.next(); id !== undefined; id = this.next()) {
      const row = (await ledger.entries([id])).get(id);
      const { list } = this.unread.get(id) ?? {};
      // If the row's status has changed, another list has shown the order. The store's answer about the single order may be
      // older than that list, so the order is not requested.
      if (row?.state !== "open" || (list && !hasStatus(row.facts, list))) {
        this.unread.delete(id);
        continue;
      }
      // Rechecks come soon for two reasons: more orders may have left the lists, and an order that is not found is read again.
      this.recheckSoon();
      let work: Work | undefined;
      try {
        const order = await store.getOrder(id, lease.untilOver());
        work = await this.found(order, row, guild, store);
      } catch (error) {
        if (!(error instanceof StoreError)) throw error;
        if (error.code !== "not_found") return this.failed(id, error);
        work = await this.missing(row);
      }
      if (work) return work;
    }
    return "stop";
  }

  private async found(order: Order, row: PostedOrder, guild: Guild, store: Store): Promise<Work | undefined> {
    const { ledger, restored } = this.server;
    const { id } = row.facts;
    this.notFound.delete(id);
    if (sameStatus(order.status, row.facts.status)) {
      this.unread.delete(id);
      return undefined;
    }
    // Until the change is recorded, the order counts as unread. So it is read again if the storage fails.
    const { wait = new Backoff(this.server) } = this.unread.get(id) ?? {};
    wait.failed();
    this.unread.set(id, { list: [row.facts.status], wait });
    const since = await restored.sinceOfOrder(order, !this.lists.areComplete);
    return async () => {
      // A list may have shown a later status since the request was sent.
      const present = (await ledger.entries([id])).get(id);
      if (present?.state === "open" && sameStatus(present.facts.status, row.facts.status)) {
        await this.recorder.plan(guild, store, [{ order, since }]);
      }
      this.unread.delete(id);
    };
  }

  /** The store does not have the order. One such answer may be a mistake, so only the second one closes the order. */
  private async missing({ facts: { id }, stand }: PostedOrder): Promise<Work | undefined> {
    this.unread.delete(id);
    // While pages are unread, the order may be on one of them. While an edit waits, the order stays open, because a message
    // with a closed order is not edited.
    const mayClose = this.lists.areComplete && !(await this.server.ledger.outbox()).has(`edit/${stand.messageId}`);
    if (mayClose && this.notFound.delete(id)) return () => this.close(id, new Set([id]));
    this.notFound.add(id);
    return undefined;
  }

  /**
   * After a 429, or a refusal that may be about the token, no more orders are read until a wait is over or the next poll comes.
   * After any other failure, the next order is read.
   */
  private failed(id: string, error: StoreError): "failed" | "stop" {
    const { log, guildId, failed } = this.server;
    const unread = this.unread.get(id);
    if (unread?.list) unread.wait.failed(error.retryAfterMs);
    this.unread.delete(id);
    // The order goes behind the others. But after a failure other than a 429, an order of the pass waits for the next pass.
    if (unread && (unread.list || error.code === "rate_limited")) this.unread.set(id, unread);
    failed(error.code);
    log.warn({ err: error, guild: guildId, code: error.code }, "an order that left the list could not be read");
    return error.code === "rate_limited" || error.code === "unauthorized" ? "stop" : "failed";
  }

  /** Closes the orders of this order's message that are in `over` (see `close` in plan-messages.ts). */
  private async close(id: string, over: ReadonlySet<string>): Promise<void> {
    const { ledger } = this.server;
    const row = (await ledger.entries([id])).get(id);
    if (row?.state !== "open") return;
    await ledger.write(row.stand.members, (orders) => [close(orders, ({ facts }) => over.has(facts.id))]);
  }

  /** Keeps the position in the pass. Otherwise no pass would end while the record changes often. */
  forget() {
    this.unread.clear();
    this.notFound.clear();
    this.recheckSoon();
  }
}
