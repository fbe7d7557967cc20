import { setImmediate } from "node:timers/promises";
import { Backoff } from "../basics/limits/backoff.ts";
import type { Guild } from "../guilds/guild.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import type { PostedOrder } from "../orders/order-row.ts";
import { close } from "../orders/plan.ts";
import type { ServerContext } from "../outbox/context.ts";
import { hasStatus, isClosed, sameStatus } from "../store-api/order-status.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import type { ListRecorder } from "./list-recorder.ts";

/**
 * Time between two rechecks, because each is a request to the store. With 5,000 followed orders, each order is rechecked every
 * 21 hours.
 */
const betweenRechecksMs = 15_000;
/** Maximum number of rechecks after one poll, if polls are rare: as many as fit into an hour. */
const mostRechecks = 240;
/** Maximum number of rows read after one poll to find orders to recheck. */
const rowsPerPoll = 250;
/** The pause after a pass over all followed orders that found none to recheck. Another process may add one in the meantime. */
const restMs = 60 * 60_000;

/** Number of rows read at a time to find orders that are too old. */
const pruneSlice = 100;
/** Older orders are not followed, because an abandoned cart may stay PENDING for ever. */
const followedForMs = 30 * 24 * 60 * 60_000;
/** Maximum number of followed orders per server. The newest ones are followed. */
const mostFollowed = 5_000;
const prunedEveryMs = 24 * 60 * 60_000;
/** An order is closed only if it is found too old twice, this far apart. In between, a clock that was fast may have been set right. */
const tooOldForMs = 60 * 60_000;

/**
 * Follows one server's orders after their alert. It reads orders that no polled list shows any more, each by its id, in the
 * background (list-recorder.ts reads the lists). It stops following orders that are too old or too many.
 * If its memory is lost, the lists show again which orders left them.
 */
export class FollowedOrders {
  private readonly server: ServerContext;
  private readonly recorder: Pick<ListRecorder, "plan">;
  /** Orders that have just left the lists. Each has the wait after its last failed read. */
  private readonly left = new Map<string, Backoff>();
  /** Orders to recheck now. An order that cannot be read is tried again in the next pass over all followed orders. */
  private due: readonly string[] = [];
  /** Orders that the store did not have when they were last read. */
  private readonly notFound = new Set<string>();
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Increased when everything is forgotten. Work that began before must not record anything after that. */
  private life = 0;

  // The following fields are the position in the pass over all followed orders, newest first.
  /** Orders to recheck later in this pass. They were found in the rows read last. */
  private later: string[] = [];
  /** How many of the oldest orders this pass has not read yet. */
  private unread = 0;
  /** Whether this pass found an order to recheck, or one was added since it began. */
  private isWorthIt = false;
  private recheckAt = Number.NEGATIVE_INFINITY;
  /** The statuses of the lists that were polled last. */
  private polled: string | undefined;

  /** When the next pruning (closing of old orders) is due, by the monotonic clock. */
  private pruneAt = Number.NEGATIVE_INFINITY;
  /** Orders that were found too old by the last pruning. */
  private tooOld: ReadonlySet<string> = new Set();

  constructor(server: ServerContext, recorder: Pick<ListRecorder, "plan">) {
    this.server = server;
    this.recorder = recorder;
  }

  /**
   * Closes followed orders that are too old or too many, and begins the rechecks that are due. Throws `StorageError`.
   *
   * @param polled the statuses whose orders are in the polled lists
   */
  async afterPoll(polled: readonly string[]): Promise<void> {
    await this.prune();
    if (this.due.length === 0) this.due = await this.dueNow(polled);
    this.resume();
  }

  /**
   * Reads the orders that may be read now, in the background. Never rejects.
   *
   * @param left ids of orders that have just left the polled lists
   */
  resume(left: readonly string[] = []) {
    for (const id of left) if (!this.left.has(id)) this.left.set(id, new Backoff(this.server));
    if (this.running || this.left.size + this.due.length === 0) return;
    clearTimeout(this.timer);
    const { life } = this;
    this.running = this.run(life).then(() => this.ran(life));
  }

  private async run(life: number) {
    const { log, guildId, signal } = this.server;
    const isAlive = () => life === this.life && !signal.aborted && this.server.holdsLease();
    try {
      for (let id = this.next(); id !== undefined && isAlive(); id = this.next()) {
        const guild = await this.server.guild();
        const store = guild.alerts && this.server.store(guild);
        if (store === undefined) break;
        await this.read(id, guild, store, isAlive);
      }
    } catch (error) {
      if (!signal.aborted && !(error instanceof ConflictError)) {
        log.error(
          { err: error, guild: guildId },
          "what became of an order could not be recorded; it is looked at again",
        );
      }
    }
  }

  private ran(life: number) {
    this.running = undefined;
    if (this.server.signal.aborted) return;
    if (life !== this.life) return this.resume();
    const waits = [...this.left.values()].map((one) => one.waitMs()).filter((ms) => ms > 0);
    if (waits.length > 0) this.timer = setTimeout(() => this.resume(), Math.min(...waits)).unref();
  }

  private next(): string | undefined {
    const [id] = [...this.left].find(([, backoff]) => backoff.waitMs() === 0) ?? [];
    if (id !== undefined) return id;
    const [first, ...others] = this.due;
    this.due = others;
    return first;
  }

  private async read(id: string, guild: Guild, store: Store, isAlive: () => boolean) {
    const { ledger, untilOver, log, guildId } = this.server;
    const row = (await ledger.entries([id])).get(id);
    if (row?.state !== "open") return void this.left.delete(id);
    try {
      const order = await store.getOrder(id, untilOver());
      if (!isAlive()) return;
      this.left.delete(id);
      this.notFound.delete(id);
      // The polled lists may show this order again only much later, so its new status is planned now.
      if (sameStatus(order.status, row.facts.status)) return;
      await this.recorder.plan(guild, store, [{ order, isFresh: false, since: undefined }]);
      this.recheckSoon();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "not_found") return this.gone(id, row.stand.members, isAlive);
      this.left.get(id)?.failed(error.retryAfterMs);
      this.server.failed(error.code);
      log.warn({ err: error, guild: guildId, code: error.code }, "an order that left the list could not be read");
    }
  }

  /**
   * Handles a store that does not have the order. One such answer may be a mistake, so the order is closed only after a second
   * one: the lists report it as missing again.
   */
  private async gone(id: string, members: readonly string[], isAlive: () => boolean) {
    this.left.delete(id);
    if (!this.notFound.delete(id)) return void this.notFound.add(id);
    if (!isAlive()) return;
    await this.server.ledger.write(members, (orders) => [close(orders, ({ facts }) => facts.id === id)]);
  }

  /** Begins rechecks soon, because there is an order to recheck now. */
  private recheckSoon() {
    this.isWorthIt = true;
    this.recheckAt = Math.min(this.recheckAt, this.server.monotonic() + betweenRechecksMs);
  }

  /** Returns ids of followed orders that no polled list shows and that are rechecked now: one per 15 s since the last call. */
  private async dueNow(polled: readonly string[]): Promise<string[]> {
    const now = this.server.monotonic();
    // If a status is no longer polled, all orders with it have just left the lists.
    this.polled ??= polled.join();
    if (this.polled !== polled.join()) this.recheckSoon();
    this.polled = polled.join();
    if (now < this.recheckAt) return [];
    const lateMs = Number.isFinite(this.recheckAt) ? now - this.recheckAt : 0;
    const count = Math.min(1 + Math.floor(lateMs / betweenRechecksMs), mostRechecks);
    this.recheckAt = now + betweenRechecksMs - (lateMs % betweenRechecksMs);
    if (this.later.length < count) this.later.push(...(await this.readOn(polled, now)));
    return [...new Set(this.later.splice(0, count))];
  }

  private async readOn(polled: readonly string[], now: number): Promise<string[]> {
    const { ledger } = this.server;
    const ids = await ledger.openIds();
    const end = this.unread === 0 ? ids.length : Math.min(this.unread, ids.length);
    this.unread = Math.max(end - rowsPerPoll, 0);
    const known = await ledger.entries(ids.slice(this.unread, end).reverse());
    const found = [...known].flatMap(([id, row]) =>
      row.state === "open" && !hasStatus(row.facts, polled) && !isClosed(row.facts.status) ? [id] : [],
    );
    this.isWorthIt ||= found.length > 0;
    if (this.unread > 0) return found;
    if (!this.isWorthIt) this.recheckAt = now + restMs;
    this.isWorthIt = false;
    return found;
  }

  /** Once a day, closes the oldest orders beyond 5,000, and orders older than 30 days if they were already too old an hour before. */
  private async prune(): Promise<void> {
    const { ledger, monotonic, now } = this.server;
    if (monotonic() < this.pruneAt) return;
    const ids = await ledger.openIds();
    const tooMany = new Set(ids.slice(0, Math.max(ids.length - mostFollowed, 0)));
    const isOver = ({ facts, foundAt }: PostedOrder) => tooMany.has(facts.id) || foundAt < now() - followedForMs;
    const over: PostedOrder[] = [];
    for (let start = 0; start < ids.length; start += pruneSlice) {
      const known = await ledger.entries(ids.slice(start, start + pruneSlice));
      const some = [...known.values()].flatMap((row) => (row.state === "open" && isOver(row) ? [row] : []));
      if (some.length === 0) break;
      over.push(...some);
      await setImmediate();
    }
    const idsOver = over.map(({ facts }) => facts.id);
    const ended = new Set(idsOver.filter((id) => tooMany.has(id) || this.tooOld.has(id)));
    for (const { facts, stand } of over) {
      if (!ended.has(facts.id)) continue;
      await ledger.write(stand.members, (orders) => [close(orders, (row) => ended.has(row.facts.id))]);
    }
    const isUnsure = ended.size < over.length;
    this.tooOld = new Set(isUnsure ? idsOver : []);
    this.pruneAt = monotonic() + (isUnsure ? tooOldForMs : prunedEveryMs);
  }

  /** Forgets which orders to read. The position in the pass stays, because polls of another worker may happen in between. */
  forget() {
    this.life++;
    clearTimeout(this.timer);
    this.due = [];
    this.left.clear();
    this.notFound.clear();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.running;
  }
}
