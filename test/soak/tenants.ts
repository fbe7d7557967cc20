import { join } from "node:path";
import type { GuildModel } from "../sandbox/discord/discord.ts";
import type { Shop } from "../sandbox/store/start-store.ts";
import { seedServers } from "../support/seed-servers.ts";
import type { World } from "../support/world.ts";

/** A server with alerts on, and its shop. */
export interface Tenant {
  readonly guild: GuildModel;
  readonly shop: Shop;
  /** Id of the channel for alerts. */
  readonly channel: string;
}

/** Old orders of each shop, so that lists have several pages. */
const oldOrders = 25;
const products = 12;

/**
 * So many servers, each with a shop and a token of its own behind the one store's address, in the data of a bot that was not
 * started yet.
 *
 * @param key what the bot is to have in `SECRET_KEYS`
 */
export async function settleTenants(world: World, count: number, key: Buffer): Promise<readonly Tenant[]> {
  const tenants = Array.from({ length: count }, (_, index): Tenant => {
    const guild = index === 0 ? world.guild : world.discord.addGuild();
    const shop = index === 0 ? world.store : world.store.addShop();
    shop.placeOrders(oldOrders, () => ({ status: "COMPLETED" }));
    shop.seedProducts(products);
    return { guild, shop, channel: guild.channel("new-orders") };
  });
  const servers = tenants.map(({ guild, shop }) => ({ guild, token: shop.token }));
  await seedServers({ storageUrl: `sqlite://${join(world.directory, "data", "shopbell.sqlite")}`, key, servers });
  return tenants;
}
