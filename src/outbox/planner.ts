import type { Guild } from "../guilds/guild.ts";
import type { CustomerSeal } from "../orders/customer-seal.ts";
import type { Planning } from "../orders/plan.ts";
import { type CategoryMemory, createProductCategories } from "../routing/product-categories.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";
import type { RestoreMarker } from "./restore-marker.ts";

export interface PlannerDeps {
  readonly seal: CustomerSeal;
  readonly restored: Pick<RestoreMarker, "sentAfter">;
  /** Aborted when nothing may be asked for any more. */
  untilOver(): AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}

/** Gathers what one server's messages are planned with. */
export class Planner {
  private readonly deps: PlannerDeps;
  private categories: CategoryMemory | undefined;

  constructor(deps: PlannerDeps) {
    this.deps = deps;
  }

  /** Where rules ask for categories of products, those of these orders are looked up in their store. Throws `StorageError`. */
  async planning(guild: Guild, orders: readonly Order[] = [], store?: Store): Promise<Planning> {
    const { seal, restored, untilOver, now, monotonic } = this.deps;
    const asks = store !== undefined && (guild.routes?.some(({ category }) => category !== undefined) ?? false);
    if (asks) this.categories ??= createProductCategories(monotonic);
    const items = orders.flatMap((order) => order.items);
    return {
      guild,
      categories: asks && this.categories ? await this.categories.of(items, store, untilOver()) : new Map(),
      seal: (orderId, customer) => seal.seal(customer, orderId),
      now: now(),
      sentSince: await restored.sentAfter(),
    };
  }
}
