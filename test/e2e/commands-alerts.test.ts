import { PermissionFlagsBits } from "discord.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { sentenceOf, told } from "../support/checks.ts";
import { type Bot, connectStore, createWorld, run, type World } from "../support/world.ts";

let world: World;
let bot: Bot;

beforeAll(async () => {
  const plain = await createWorld();
  const guild = plain.discord.addGuild({
    channels: ["new-orders", "staff", "open"],
    roles: [{ name: "Helpers" }, { name: "Managers", permissions: PermissionFlagsBits.ManageGuild }],
    people: [{ name: "owner" }, { name: "manager", roles: ["Managers"] }, { name: "helper", roles: ["Helpers"] }],
  });
  for (const hidden of guild.channels.filter(({ name }) => name === "new-orders")) {
    hidden.overwrites = [
      { id: guild.id, type: 0, allow: 0n, deny: PermissionFlagsBits.ViewChannel },
      { id: guild.role("Helpers"), type: 0, allow: PermissionFlagsBits.ViewChannel, deny: 0n },
    ];
  }
  world = { ...plain, guild };
  world.discord.setBotPermissions(guild.channel("new-orders"), { allow: PermissionFlagsBits.ViewChannel });
  bot = await world.start();
  await connectStore(world);
  plain.discord.setCommandPermissions(guild.id, plain.discord.applicationId, [
    { id: guild.role("Helpers"), type: 1, permission: true },
  ]);
});

afterAll(() => world[Symbol.asyncDispose]());

const set = (by: string, channel: string) => run(world, "alerts set", { channel: world.guild.channel(channel) }, by);

test("only a manager moves alerts that show customers to another channel, and confirms one that everyone reads", async () => {
  await told(run(world, "store settings", { privacy: "masked" }));
  expect(await sentenceOf(set("helper", "open"), bot)).toBe(
    "Everyone in this server can read that channel, and alerts there would show customers. Only someone with the Manage Server permission can allow that. Nothing was changed. Choose a private channel, or ask them.",
  );
  expect(await told(run(world, "alerts status", {}, "helper"))).toContain("Alerts are off in this server");

  const notTheirs =
    "Alerts in this server show customers, so only someone with the Manage Server permission can choose another channel. Nothing was changed. Ask them.";
  expect(await sentenceOf(set("helper", "new-orders"), bot)).toBe(notTheirs);
  expect(await told(run(world, "alerts status", {}, "helper"))).toContain("Alerts are off in this server");
  expect(await told(set("manager", "new-orders"))).toContain("✅ New orders are announced in");
  expect(await told(set("helper", "new-orders")), "the channel that it is").not.toContain("Nothing was changed");
  expect(await told(run(world, "alerts status", {}, "helper"))).toContain(`<#${world.guild.channel("new-orders")}>`);

  const question = await set("manager", "open").settled();
  expect(textOf(question)).toContain("Continue?");

  const answer = world.discord.press(world.guild.person("manager"), question, "Confirm");
  expect(textOf(await answer.settled())).toContain("✅ New orders are announced in");
});
