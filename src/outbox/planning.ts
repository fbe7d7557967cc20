import type { Guild } from "../guilds/guild.ts";
import { encryptCustomer } from "../orders/customer-encryption.ts";
import type { Planning } from "../orders/plan-messages.ts";
import type { ProductCategories } from "../routing/match-rules.ts";
import type { ServerContext } from "./context.ts";

export async function planningOf(
  server: ServerContext,
  guild: Guild,
  categories: ProductCategories = new Map(),
): Promise<Planning> {
  return {
    guild,
    categories,
    seal: (orderId, customer) => encryptCustomer(server, customer, orderId),
    now: server.now(),
    sinceOf: await server.restored.sinceOfRow(),
  };
}
