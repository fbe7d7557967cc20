import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createGuilds } from "../../src/guilds/guilds.ts";
import { createVault } from "../../src/guilds/vault.ts";
import { Ledger } from "../../src/orders/ledger.ts";
import { createActiveGuilds } from "../../src/polling/active-guilds.ts";
import type { Storage } from "../../src/storage/table.ts";
import type { GuildModel } from "../sandbox/discord/discord.ts";
import type { StoredOrder } from "../sandbox/store/start-store.ts";
import { dealtWith, factsOf, openRow, recordOrders } from "../support/order-rows.ts";
import { createWorld, type World } from "../support/world.ts";
import { storageOf } from "./bot-process.ts";
import { type Child, startChild } from "./child.ts";
import type { StoreCalls } from "./processes/store.ts";

const key = Buffer.alloc(32, 7);

/** Servers with alerts on, as earlier days left them. All stores are the same, but each server has a token of its own. */
export interface Servers {
  readonly servers: number;
  /** How often each is polled; whole seconds, at most a minute. */
  readonly intervalMs: number;
  /** Orders that wait in each store. */
  readonly pending: number;
  /** How many of them rang and are followed, the oldest first; the rest was there before alerts. */
  readonly followed?: number;
  /** False: the tokens are there, and alerts were never turned on. */
  readonly isAlerting?: boolean;
}

/** A world whose store is in a process of its own, and the environment of a bot in it. */
export interface SeededWorld extends AsyncDisposable {
  readonly world: World;
  readonly store: Child<StoreCalls>;
  readonly guilds: readonly GuildModel[];
  readonly environment: Readonly<Record<string, string>>;
}

async function seed(storage: Storage, seeded: readonly GuildModel[], orders: readonly StoredOrder[], plan: Servers) {
  const { followed = 0, isAlerting = true } = plan;
  const vault = createVault([key]);
  const guilds = createGuilds({ storage, vault });
  const roster = createActiveGuilds(storage);
  for (const guild of seeded) {
    const channelId = guild.channel("new-orders");
    const alerts = { channelId, statuses: ["PENDING"], since: Date.now() };
    await guilds.connect(guild.id, tokenOf(guild), (record) => (isAlerting ? { ...record, alerts } : record));
    if (!isAlerting) continue;
    await roster.add([guild.id]);
    const rows = orders.map((order, index) => {
      const facts = factsOf({ ...order, createdAt: Date.parse(order.createdAt) });
      return [order.id, index < followed ? openRow(facts, channelId, "1", Date.now()) : dealtWith] as const;
    });
    await recordOrders(new Ledger(storage, guild.id), new Map(rows));
  }
}

const tokenOf = ({ id }: GuildModel) => `token-of-${id}`;

/** The bot is not started yet. */
export async function createSeededWorld(plan: Servers): Promise<SeededWorld> {
  await using stack = new AsyncDisposableStack();
  const world = stack.use(await createWorld());
  const store = stack.use(await startChild<StoreCalls>("store.ts"));
  const guilds = Array.from({ length: plan.servers }, (_, index) =>
    index === 0 ? world.guild : world.discord.addGuild(),
  );
  await store.call("allowTokens", guilds.map(tokenOf));
  const orders = await store.call("placeOrders", plan.pending);
  await mkdir(join(world.directory, "data"), { recursive: true });
  const storage = await storageOf(world);
  try {
    await seed(storage, guilds, orders, plan);
  } finally {
    await storage.close();
  }
  const environment = {
    LOG_LEVEL: "warn",
    POLL_SCHEDULE: `*/${plan.intervalMs / 1_000} * * * * *`,
    SECRET_KEYS: key.toString("base64"),
    STORE_API_URL: await store.call("url"),
  };
  const end = stack.move();
  return { world, store, guilds, environment, [Symbol.asyncDispose]: () => end.disposeAsync() };
}
