import { expect, test } from "vitest";
import type { GuildModel } from "../sandbox/discord/discord.ts";
import { buttonsOf, textOf } from "../sandbox/discord/discord.ts";
import { told } from "../support/checks.ts";
import { useBot } from "../support/scene.ts";
import { alertOf } from "../support/shown-orders.ts";
import { connectStore, disconnectStore, run, setAlerts, type World } from "../support/world.ts";

const notConnected = "No store is connected to this server yet.";

const world = useBot({ isConnected: false });

/** With a store, alerts, an order that was alerted, a list that was paged, and settings. */
async function settle(guild: GuildModel) {
  const there: World = { ...world, guild };
  await connectStore(there);
  await run(there, "store settings", { privacy: "none" }).settled();
  await setAlerts(there);
  await run(there, "store settings", { privacy: "full", currency: "BRL" }).settled();
  await run(there, "orders").settled();
  const order = world.store.placeOrder();
  await alertOf(there, order.id);
  return there;
}

async function expectNew(there: World) {
  expect(await told(run(there, "orders"))).toContain(notConnected);
  expect(await told(run(there, "alerts status"))).toContain(notConnected);
  expect(await told(run(there, "store settings"))).toContain("**Currency:** not set (plain numbers)");
}

// `left-behind.test.ts` searches what is stored.
test("/store disconnect asks first, and Cancel changes nothing; after Confirm the bot is as new", async () => {
  await settle(world.guild);
  const question = await run(world, "store disconnect").settled();
  expect(textOf(question)).toBe(
    "### ⚠️ Disconnect the store?\nThis deletes the API token, the settings, and everything else stored for this server, including alerts not yet posted. Messages already posted stay. This cannot be undone.\nConfirm\nCancel",
  );

  const kept = await world.pressed(question, "Cancel");
  expect(textOf(kept)).toBe("ℹ️ Nothing was deleted.");
  expect(buttonsOf(kept)).toEqual([]);
  expect(textOf(await run(world, "orders").settled())).toContain("### Orders · Page 1 of 1");

  expect(await disconnectStore(world)).toBe(
    "✅ Deleted: the API token and everything stored for this server. Connect again with **/store connect**.",
  );
  await expectNew(world);
});

test("after a server's removal of the bot it is as new", async () => {
  const guild = world.discord.addGuild();
  const there = await settle(guild);
  const { id } = guild;
  world.discord.removeGuild(id);
  await world.bot.printed(`"guild":"${id}","msg":"removed from a server; its data is deleted"`);
  world.discord.returnGuild(id);
  await expectNew(there);
});

test("a server is kept while it is only missing: an outage, or not there at a start", async () => {
  const guild = world.discord.addGuild();
  const there = await settle(guild);
  world.discord.setGuildUnavailable(guild.id);
  world.discord.setGuildUnavailable(guild.id, false);
  expect(textOf(await run(there, "orders").settled())).toContain("### Orders");

  await world.bot.stop();
  world.discord.removeGuild(guild.id);
  // Otherwise the next start would resume and learn that the server was removed.
  world.discord.gateway.endSessions();
  await world.start();
  await world.bot.printed('"msg":"ready"');
  world.discord.returnGuild(guild.id);
  expect(textOf(await run(there, "orders").settled())).toContain("### Orders");
  expect(textOf(await run(there, "store settings").settled())).toContain("**Currency:** BRL");

  const order = world.store.placeOrder();
  await alertOf(there, order.id);
});
