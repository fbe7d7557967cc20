import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import type { GuildModel } from "../sandbox/discord/discord.ts";
import { buttonsOf, textOf } from "../sandbox/discord/discord.ts";
import { told } from "../support/process/checks.ts";
import { holdStore } from "../support/process/hold-store.ts";
import { useBot } from "../support/process/scene.ts";
import { alertOf } from "../support/process/shown-orders.ts";
import { connectStore, disconnectStore, run, setAlerts, type World } from "../support/process/world.ts";

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

test("stock that comes while a server is being forgotten does not stay when a poll is under way (0.1.0: it stayed for a day)", async () => {
  const guild = world.discord.addGuild();
  const there: World = { ...world, guild };
  await connectStore(there);
  await setAlerts(there);
  const question = await run(there, "store disconnect").settled();
  const release = holdStore(world.store, { method: "GET" });
  const polled = world.store.requests.length;
  await world.store.waitFor(() => world.store.requests.slice(polled).some(({ isOpen }) => isOpen), "a poll");
  const pressed = world.discord.press(guild.person("owner"), question, "Confirm");
  const category = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
  const product = run(there, "add-product", { title: "Key", price: "1", category }, "staff");
  await product.answer();
  const preview = await world.discord.submit(guild.person("staff"), product, { stock: "GOODS-SECRET-1" }).settled();
  expect(textOf(preview)).toContain("Key");

  release();
  expect(textOf(await pressed.settled())).toContain("✅ Deleted");
  const database = new DatabaseSync(world.database, { readOnly: true });
  const rows = database.prepare("SELECT namespace, key FROM shopbell").all();
  database.close();
  expect(rows.filter((row) => JSON.stringify(row).includes(guild.id))).toEqual([]);

  world.discord.removeGuild(guild.id);
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
