import { createGuilds } from "../../../src/guilds/guilds.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { Ledger } from "../../../src/orders/ledger.ts";
import type { OrderRow } from "../../../src/orders/order-row.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { prepareData } from "../../../src/storage/prepare-data.ts";
import type { GuildModel } from "../../sandbox/discord/discord.ts";
import { recordOrders } from "../engine/order-rows.ts";

export interface SeededServer {
  readonly guild: GuildModel;
  readonly token: string;
}

const atOnce = 100;

/**
 * Writes servers with alerts into a storage that no bot works with yet. With commands, a test would meet Discord's limits.
 * `key`: the bot's key, 32 bytes. `isAlerting`: false for servers that have a token, and never had alerts.
 */
export async function seedServers(options: {
  readonly storageUrl: string;
  readonly key: Buffer;
  readonly servers: readonly SeededServer[];
  readonly rowsOf?: (server: SeededServer) => ReadonlyMap<string, OrderRow>;
  readonly isAlerting?: boolean;
}): Promise<void> {
  const { storageUrl, key, servers, rowsOf = () => new Map(), isAlerting = true } = options;
  const quiet = { info: () => undefined, warn: () => undefined };
  const storage = await openStorage(storageUrl, quiet);
  // Records the version of the data. Data without a version counts as that of 0.1.0, and each bot would migrate it.
  await prepareData(storage, { url: storageUrl, keepOut: async () => undefined, log: quiet });
  const guilds = createGuilds({ storage, vault: createVault([key]) });
  const seed = async (server: SeededServer) => {
    const { guild, token } = server;
    const alerts = { channelId: guild.channel("new-orders"), statuses: ["PENDING"], since: Date.now() };
    await guilds.connect(guild.id, token, (record) => (isAlerting ? { ...record, alerts } : record));
    await recordOrders(new Ledger(storage, guild.id), rowsOf(server));
  };
  try {
    for (let start = 0; start < servers.length; start += atOnce) {
      await Promise.all(servers.slice(start, start + atOnce).map(seed));
    }
  } finally {
    await storage.close();
  }
}
