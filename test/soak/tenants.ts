import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { createLog } from "../../src/operations/log.ts";
import { createActiveGuilds } from "../../src/polling/active-guilds.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { GuildModel } from "../sandbox/discord/discord.ts";
import type { Shop } from "../sandbox/store/start-store.ts";
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
 * So many servers, each with a shop and a token of its own behind the one store's address, as an earlier life of the bot
 * left them: two hundred that are set up by commands would wait a minute for Discord's limit.
 *
 * @param key what the bot is to have in `SECRET_KEYS`
 */
export async function settleTenants(world: World, count: number, key: Buffer): Promise<readonly Tenant[]> {
  await mkdir(join(world.directory, "data"), { recursive: true });
  const log = createLog("silent");
  const storage = await openStorage(`sqlite://${join(world.directory, "data", "shopbell.sqlite")}`, log);
  try {
    const guilds = createGuilds({ storage, vault: createVault([key]) });
    const roster = createActiveGuilds(storage);
    const tenants: Tenant[] = [];
    for (let index = 0; index < count; index += 1) {
      const guild = index === 0 ? world.guild : world.discord.addGuild();
      const shop = index === 0 ? world.store : world.store.addShop();
      shop.placeOrders(oldOrders, () => ({ status: "COMPLETED" }));
      shop.seedProducts(products);
      const channel = guild.channel("new-orders");
      const alerts = { channelId: channel, statuses: ["PENDING"], since: Date.now() };
      await guilds.connect(guild.id, shop.token, (record) => ({ ...record, alerts }));
      await roster.add([guild.id]);
      tenants.push({ guild, shop, channel });
    }
    return tenants;
  } finally {
    await storage.close();
  }
}
