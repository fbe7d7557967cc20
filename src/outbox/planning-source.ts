import type { Guild } from "../guilds/guild.ts";
import type { CustomerSeal } from "../orders/customer-seal.ts";
import type { Planning } from "../orders/plan.ts";
import { type CategoryMemory, createProductCategories } from "../routing/product-categories.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";
import type { RestoreMarker } from "./restore-marker.ts";

export interface PlanningSourceDeps {
  readonly seal: CustomerSeal;
  readonly restored: Pick<RestoreMarker, "sentAfter">;
  /** Returns a signal that is aborted when no request may begin any more. */
  untilOver(): AbortSignal;
  /** Epoch ms. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly monotonic: () => number;
}

/**
 * Returns the `Planning`: the input with which messages about these orders of one server are planned (orders/plan.ts).
 * If a rule names a category, the function asks the store for the categories of the orders' products. Throws `StorageError`.
 */
export type PlanningSource = (guild: Guild, orders?: readonly Order[], store?: Store) => Promise<Planning>;

/** Creates the planning source of one server. It remembers the categories of products. */
export function createPlanningSource(deps: PlanningSourceDeps): PlanningSource {
  const { seal, restored, untilOver, now, monotonic } = deps;
  let categories: CategoryMemory | undefined;
  return async (guild, orders = [], store) => {
    const asksStore = store !== undefined && guild.routes?.some(({ category }) => category !== undefined) === true;
    if (asksStore) categories ??= createProductCategories(monotonic);
    const items = orders.flatMap((order) => order.items);
    return {
      guild,
      categories: asksStore && categories ? await categories.of(items, store, untilOver()) : new Map(),
      seal: (orderId, customer) => seal.seal(customer, orderId),
      now: now(),
      sentSince: await restored.sentAfter(),
    };
  };
}
