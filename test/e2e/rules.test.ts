import { expect, test } from "vitest";
import { type ApiMessage, textOf } from "../sandbox/discord/discord.ts";
import { allMarked, allShown } from "../support/shown-orders.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

const add = (world: World, name: string, channel: string, options: Record<string, string | boolean> = {}) =>
  run(world, "alerts route add", { name, channel: world.guild.channel(channel), ...options }).settled();

const messagesIn = ({ discord, guild }: World, channel: string): readonly ApiMessage[] =>
  discord.messages(guild.channel(channel));

test("rules send alerts to their channels, public lines, and an alert when an order enters a status", async () => {
  await using created = await createWorld();
  const guild = created.discord.addGuild({
    channels: ["new-orders", "staff", "keys", "wins"],
    roles: [{ name: "Staff" }, { name: "Packers" }],
  });
  const world: World = { ...created, guild };
  await world.start();
  await connectStore(world);
  await setAlerts(world);
  await add(world, "Paid", "keys", { status: "PAID", role: world.guild.role("Packers") });
  await add(world, "Wins", "wins", { style: "feed" });
  await add(world, "Wins in money", "wins", { style: "feed", status: "PAID", amount: true });
  const order = world.store.placeOrder();
  await allShown(world, [order.id], 15_000);
  await allMarked(world, "wins", 1);

  const [line] = messagesIn(world, "wins");
  expect(line?.content).toMatch(/^🛍️ Someone bought .* 🎉$/);
  expect(line?.content).not.toContain(order.id.slice(0, 8));
  expect([line?.components, line?.embeds, line?.mention_roles]).toEqual([[], [], []]);
  expect(JSON.stringify(line)).not.toContain(order.customer.email);
  expect(messagesIn(world, "keys")).toEqual([]);

  world.store.setStatus(order.id, "PAID");
  await allMarked(world, "keys", 1);
  await allMarked(world, "wins", 2);
  const [ring] = messagesIn(world, "keys");
  expect(ring?.mention_roles).toEqual([world.guild.role("Packers")]);
  expect(textOf(ring as ApiMessage)).toContain(order.id);
  expect(ring?.content).toContain("📌 Paid");
  expect(messagesIn(world, "wins")).toHaveLength(2);
});
