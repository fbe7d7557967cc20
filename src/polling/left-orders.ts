import { Backoff, type Chance } from "../basics/backoff.ts";
import type { Log } from "../basics/log.ts";
import type { Guild } from "../guilds/guild.ts";
import { ConflictError } from "../orders/conflict-error.ts";
import type { Ledger } from "../orders/ledger.ts";
import { close } from "../orders/plan.ts";
import { Rechecks } from "../orders/rechecks.ts";
import type { FailureCode } from "../outbox/notices.ts";
import { sameStatus } from "../store-api/order-status.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import type { ListReader } from "./list-reader.ts";

export interface LeftOrdersDeps extends Chance {
  readonly guildId: string;
  readonly ledger: Ledger;
  readonly reader: Pick<ListReader, "plan">;
  guild(): Promise<Guild>;
  /** The server's store while it may be asked. */
  store(guild: Guild): Store | undefined;
  /** Aborted when the process ends, or its lease. */
  untilOver(): AbortSignal;
  /** Whether this process still polls. */
  holdsLease(): boolean;
  failed(code: FailureCode): void;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * Reads orders with an alert, each by itself, that no polled list shows any more, in parallel with the polls. What is in memory may be
 * lost: the lists say once more who left them.
 */
export class LeftOrders {
  private readonly deps: LeftOrdersDeps;
  private readonly rechecks: Rechecks;
  /** Orders that have just left, each with what its last reads came to. */
  private readonly fresh = new Map<string, Backoff>();
  /** Orders that left long ago: one that cannot be read has its turn again in the next round. */
  private others: readonly string[] = [];
  /** Orders that the store did not have when they were read last. */
  private readonly notFound = new Set<string>();
  private running: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** Raised when everything is forgotten: what is under way then records nothing any more. */
  private life = 0;

  constructor(deps: LeftOrdersDeps) {
    this.deps = deps;
    this.rechecks = new Rechecks(deps);
  }

  /** Goes on with what may be read now. Never rejects; the caller does not wait for it. */
  resume(ids: readonly string[] = []) {
    for (const id of ids) if (!this.fresh.has(id)) this.fresh.set(id, new Backoff(this.deps));
    if (this.running || this.fresh.size + this.others.length === 0) return;
    clearTimeout(this.timer);
    const { life } = this;
    this.running = this.run(life).then(() => this.ran(life));
  }

  /** Looks again at what left the polled statuses long ago, as far as that is due. Throws `StorageError`. */
  async lookAgain(polled: readonly string[]): Promise<void> {
    if (this.others.length === 0) this.others = await this.rechecks.due(polled);
    this.resume();
  }

  private async run(life: number) {
    const { log, guildId, signal } = this.deps;
    const isAlive = () => life === this.life && !signal.aborted && this.deps.holdsLease();
    try {
      for (let id = this.next(); id !== undefined && isAlive(); id = this.next()) {
        const guild = await this.deps.guild();
        const store = guild.alerts && this.deps.store(guild);
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
    if (this.deps.signal.aborted) return;
    if (life !== this.life) return this.resume();
    const waitMs = this.waitMs();
    if (waitMs !== undefined) this.timer = setTimeout(() => this.resume(), waitMs).unref();
  }

  private next(): string | undefined {
    const [id] = [...this.fresh].find(([, backoff]) => backoff.waitMs() === 0) ?? [];
    if (id !== undefined) return id;
    const [other, ...others] = this.others;
    this.others = others;
    return other;
  }

  /** Milliseconds until one that failed may be read again; undefined where none did. */
  waitMs(): number | undefined {
    const waits = [...this.fresh.values()].map((one) => one.waitMs()).filter((ms) => ms > 0);
    return waits.length > 0 ? Math.min(...waits) : undefined;
  }

  private async read(id: string, guild: Guild, store: Store, isAlive: () => boolean) {
    const { ledger, reader, untilOver, log, guildId } = this.deps;
    const row = (await ledger.entries([id])).get(id);
    if (row?.state !== "open") return void this.fresh.delete(id);
    try {
      const order = await store.getOrder(id, untilOver());
      if (!isAlive()) return;
      this.fresh.delete(id);
      this.notFound.delete(id);
      // The polled lists may show this order again only much later, so its new status is planned now.
      if (sameStatus(order.status, row.facts.status)) return;
      await reader.plan(guild, store, [{ order, isFresh: false, since: undefined }]);
      this.rechecks.wake();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "not_found") return this.gone(id, row.stand.members, isAlive);
      this.fresh.get(id)?.failed(error.retryAfterMs);
      this.deps.failed(error.code);
      log.warn({ err: error, guild: guildId, code: error.code }, "an order that left the list could not be read");
    }
  }

  /** One answer may be a mistake: the list's next rounds give the order once more. */
  private async gone(id: string, members: readonly string[], isAlive: () => boolean) {
    this.fresh.delete(id);
    if (!this.notFound.delete(id)) return void this.notFound.add(id);
    if (!isAlive()) return;
    await this.deps.ledger.write(members, (orders) => [close(orders, ({ facts }) => facts.id === id)]);
  }

  /** What waits is forgotten. Whose turn it is to be looked at is not: another worker's poll may come in between. */
  forget() {
    this.life++;
    clearTimeout(this.timer);
    this.others = [];
    this.fresh.clear();
    this.notFound.clear();
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.running;
  }
}
