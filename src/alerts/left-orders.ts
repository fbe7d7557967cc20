import type { Log } from "../basics/log.ts";
import type { Guild } from "../guilds/guild.ts";
import { sameStatus } from "../store-api/orders.ts";
import type { Order } from "../store-api/schemas.ts";
import { type Store, StoreError } from "../store-api/store-api.ts";
import { Backoff, type Chance } from "./backoff.ts";
import type { Ledger, PostedEntry } from "./ledger.ts";
import { Looks } from "./looks.ts";
import type { RoutePosts } from "./route-posts.ts";
import type { Routed } from "./routed.ts";
import type { Trouble } from "./troubles.ts";

export interface LeftOrdersDeps extends Chance {
  readonly guildId: string;
  readonly ledger: Ledger;
  readonly routed: Pick<Routed, "find">;
  readonly routePosts: Pick<RoutePosts, "goOn">;
  guild(): Promise<Guild>;
  /** Aborted when the process ends, or its right to poll. */
  untilOver(): AbortSignal;
  failed(trouble: Trouble): void;
  readonly log: Log;
}

/** Reads orders with an alert, each by itself, that no polled list shows any more. What is in memory may be lost. */
export class LeftOrders {
  private readonly deps: LeftOrdersDeps;
  private readonly looks: Looks;
  /** Orders that have just left, each with what its last reads came to. */
  private readonly fresh = new Map<string, Backoff>();
  /** Orders that left long ago: one that cannot be read has its turn again in the next round. */
  private others: readonly string[] = [];
  /** Orders that the store did not have when they were read last. */
  private readonly notFound = new Set<string>();

  constructor(deps: LeftOrdersDeps) {
    this.deps = deps;
    this.looks = new Looks(deps);
  }

  add(ids: readonly string[]) {
    for (const id of ids) if (!this.fresh.has(id)) this.fresh.set(id, new Backoff(this.deps));
  }

  /** There is one more that is to be looked at from time to time. */
  wake() {
    this.looks.wake();
  }

  /** As {@link Looks.due}: what is due is read next. */
  async lookAgain(polled: readonly string[]): Promise<void> {
    if (this.others.length === 0) this.others = await this.looks.due(polled);
  }

  /** The id of an order that may be read now. */
  next(): string | undefined {
    const [id] = [...this.fresh].find(([, backoff]) => backoff.waitMs() === 0) ?? [];
    if (id !== undefined) return id;
    const [other, ...others] = this.others;
    this.others = others;
    return other;
  }

  get size() {
    return this.fresh.size + this.others.length;
  }

  /** Those that have just left. */
  get ids(): readonly string[] {
    return [...this.fresh.keys()];
  }

  get waits(): readonly Backoff[] {
    return [...this.fresh.values()];
  }

  /**
   * Reads one. Gives its entry where there is something to do: with the order where that has another status, and without
   * where the store has said twice in a row that it has no such order.
   *
   * @param assertMine throws where nothing may be recorded any more
   */
  async read(
    id: string,
    store: Store,
    assertMine: () => void,
  ): Promise<{ readonly entry: PostedEntry; readonly order?: Order } | undefined> {
    const { ledger, untilOver, log, guildId } = this.deps;
    const entry = (await ledger.entries([id])).get(id);
    if (entry?.state !== "posted") return void this.fresh.delete(id);
    try {
      const order = await store.getOrder(id, untilOver());
      // The list of its status may show it much later.
      const hasMoved = !sameStatus(order.status, entry.order.status);
      if (hasMoved) await this.route(order, store, assertMine);
      this.fresh.delete(id);
      this.notFound.delete(id);
      return hasMoved ? { entry, order } : undefined;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      if (error.code === "not_found") {
        this.fresh.delete(id);
        // One answer may be a mistake: the list's next rounds give the order once more.
        if (this.notFound.delete(id)) return { entry };
        this.notFound.add(id);
        return undefined;
      }
      this.fresh.get(id)?.failed(error.retryAfterMs);
      this.deps.failed(error.code);
      log.warn({ err: error, guild: guildId, code: error.code }, "an order that left the list could not be read");
      return undefined;
    }
  }

  /** Puts down what rules say of an order that has come to another status. */
  private async route(order: Order, store: Store, assertMine: () => void) {
    const { routed, routePosts } = this.deps;
    const found = { guild: await this.deps.guild(), store, orders: [order], fresh: new Set<string>(), assertMine };
    await routed.find({ ...found, isFirstRound: false });
    routePosts.goOn();
  }

  /** What waits is forgotten. Whose turn it is to be looked at is not: another worker's poll may come in between. */
  forget() {
    this.others = [];
    this.fresh.clear();
    this.notFound.clear();
  }
}
