import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { connectStore, createWorld, setAlerts } from "../support/world.ts";

it("a locked database holds alerts up, says so in the log, and doubles nothing", async () => {
  await using world = await createWorld();
  const bot = await world.start();
  await connectStore(world);
  await setAlerts(world);
  const channel = world.guild.channel("new-orders");
  const timesShown = (id: string) =>
    world.discord.messages(channel).filter((message) => textOf(message).includes(id.slice(0, 8))).length;

  const other = new DatabaseSync(join(world.directory, "data", "shopbell.sqlite"), { timeout: 5_000 });
  other.exec("BEGIN EXCLUSIVE");
  const orders = world.store.placeOrders(3);
  await bot.printed("storage failed", 15_000);
  expect(orders.map(({ id }) => timesShown(id))).toEqual([0, 0, 0]);

  other.exec("ROLLBACK");
  other.close();

  await world.discord.waitFor(
    () => (orders.every(({ id }) => timesShown(id) > 0) ? true : undefined),
    "the orders of the meantime",
    20_000,
  );
  const last = world.store.placeOrder();
  await world.discord.waitFor(() => (timesShown(last.id) > 0 ? true : undefined), "the next order", 10_000);
  expect([...orders, last].map(({ id }) => timesShown(id))).toEqual([1, 1, 1, 1]);
}, 60_000);
