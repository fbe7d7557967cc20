import type { Guild } from "../guilds/guild.ts";
import { encryptCustomer } from "../orders/customer-encryption.ts";
import type { Planning } from "../orders/plan.ts";
import { type CategoryMemory, createProductCategories } from "../routing/product-categories.ts";
import type { Order } from "../store-api/schemas.ts";
import type { Store } from "../store-api/store-api.ts";
import type { ServerContext } from "./context.ts";

/**
 * Returns the `Planning`: what orders/plan.ts needs to plan the messages about these orders. If a rule names a category, asks
 * the store for the categories of the orders' products. Throws `StorageError`.
 */
export type PlanningSource = (guild: Guild, orders?: readonly Order[], store?: Store) => Promise<Planning>;

/** Creates the planning source of one server. It remembers the categories of products. */
export function createPlanningSource(server: ServerContext): PlanningSource {
  const { restored, untilOver, now, monotonic } = server;
  let categories: CategoryMemory | undefined;
  return async (guild, orders = [], store) => {
    const asksStore = store !== undefined && guild.routes?.some(({ category }) => category !== undefined) === true;
    if (asksStore) categories ??= createProductCategories(monotonic);
    const items = orders.flatMap((order) => order.items);
    return {
      guild,
      categories: asksStore && categories ? await categories.of(items, store, untilOver()) : new Map(),
      seal: (orderId, customer) => encryptCustomer(server, customer, orderId),
      now: now(),
      sentSince: await restored.sentAfter(),
    };
  };
}
