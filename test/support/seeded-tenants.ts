import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { Ledger } from "../../src/orders/ledger.ts";
import { createActiveGuilds } from "../../src/polling/active-guilds.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { dealtWith, recordOrders } from "./order-rows.ts";
import type { Tenant } from "./tenants.ts";
import type { World } from "./world.ts";

/**
 * Servers with alerts on and a shop each, as earlier days left them in a storage that no bot works with yet: for more of
 * them than commands could set up.
 *
 * @param options `key`: the bot's, 32 bytes. `pending`: orders of each shop that were there before alerts
 */
export async function seedTenants(
  world: World,
  options: { storageUrl: string; key: Buffer; count: number; pending?: number },
): Promise<Tenant[]> {
  const { storageUrl, key, count, pending = 0 } = options;
  const storage = await openStorage(storageUrl, { warn: () => undefined });
  try {
    const vault = createVault([key]);
    const guilds = createGuilds({ storage, vault });
    const roster = createActiveGuilds(storage);
    const tenants: Tenant[] = [];
    for (let index = 0; index < count; index++) {
      const tenant = { ...world, guild: world.discord.addGuild(), shop: world.store.addShop() };
      const { guild, shop } = tenant;
      const seen = shop.placeOrders(pending).map(({ id }) => id);
      const alerts = { channelId: guild.channel("new-orders"), statuses: ["PENDING"], since: Date.now() };
      await guilds.connect(guild.id, shop.token, (record) => ({ ...record, alerts }));
      await recordOrders(new Ledger(storage, guild.id), new Map(seen.map((id) => [id, dealtWith])));
      await roster.add([guild.id]);
      tenants.push(tenant);
    }
    return tenants;
  } finally {
    await storage.close();
  }
}
