import { PermissionFlagsBits } from "discord.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { expectDiscordAgreed, sentenceOf, told } from "./checks.ts";
import { type Bot, connectStore, createWorld, run, type World } from "./harness.ts";

const helpers = Array.from({ length: 12 }, (_, index) => `helper${index}`);

let world: World;
let bot: Bot;

beforeAll(async () => {
  const plain = await createWorld();
  const guild = plain.discord.addGuild({
    channels: ["new-orders", "staff", "open", "closed"],
    roles: [
      { name: "Helpers" },
      { name: "Loud", mentionable: true },
      { name: "Quiet", mentionable: false },
      { name: "Managers", permissions: PermissionFlagsBits.ManageGuild },
    ],
    people: [
      { name: "owner" },
      { name: "manager", roles: ["Managers"] },
      ...helpers.map((name) => ({ name, roles: ["Helpers"] })),
    ],
  });
  for (const hidden of guild.channels.filter(({ name }) => name === "new-orders" || name === "closed")) {
    hidden.overwrites = [{ id: guild.id, type: 0, allow: 0n, deny: PermissionFlagsBits.ViewChannel }];
  }
  world = { ...plain, guild };
  world.discord.setBotPermissions(guild.channel("new-orders"), { allow: PermissionFlagsBits.ViewChannel });
  bot = await world.start();
  await connectStore(world);
  await told(run(world, "store settings", { privacy: "masked" }));
  plain.discord.setCommandPermissions(guild.id, plain.discord.applicationId, [
    { id: guild.role("Helpers"), type: 1, permission: true },
  ]);
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const set = (by: string, channel: string, role?: string) => {
  const { guild } = world;
  const chosen = { channel: guild.channel(channel), ...(role === undefined ? {} : { role: guild.role(role) }) };
  return run(world, "alerts set", chosen, by);
};

test("staff do not bring customers where everybody reads (0.1.0: they did), and a manager does", async () => {
  expect(await sentenceOf(set("helper0", "open"), bot)).toBe(
    "Everyone in this server can read that channel, and alerts there would show customers. Only someone with the Manage Server permission can decide that. Nothing was changed. Choose a channel that not everyone can read, or ask them.",
  );
  expect(await told(run(world, "alerts status", {}, "helper0"))).toContain("Alerts are off in this server");
  expect(await told(set("helper0", "new-orders"))).toContain("✅ New orders are announced in");
  expect(await told(run(world, "alerts status", {}, "helper0"))).toContain(`<#${world.guild.channel("new-orders")}>`);

  const question = await set("manager", "open").settled();
  expect(textOf(question)).toContain("Go on?");
  const answer = world.discord.press(world.guild.person("manager"), question, "Confirm");
  expect(textOf(await answer.settled())).toContain("✅ New orders are announced in");
});

test("staff let the bot mention what they may mention themselves (0.1.0: any role)", async () => {
  expect(await sentenceOf(set("helper1", "new-orders", "Quiet"), bot)).toMatch(/^You may not mention that role/);
  expect(await told(run(world, "alerts status", {}, "helper1"))).toContain("**Role:** none");
  const loud = await told(set("helper1", "new-orders", "Loud"));
  expect(loud).toContain("✅ New orders are announced in");
  expect(loud).not.toContain("is not notified");
  const quiet = await told(set("manager", "new-orders", "Quiet"));
  expect(quiet).toContain(`<@&${world.guild.role("Quiet")}> is not notified yet`);
});

test("a closed channel is asked for ten times, however many people try (0.1.0: two refusals for each try)", async () => {
  const { discord, guild } = world;
  discord.setBotPermissions(guild.channel("closed"), { deny: PermissionFlagsBits.ViewChannel });
  const before = discord.requests.length;
  const tries = helpers.flatMap((name) => Array.from({ length: 5 }, () => set(name, "closed")));
  const sentences = await Promise.all(tries.map((interaction) => told(interaction)));
  const asked = discord.requests.slice(before);
  expect(asked.filter(({ status }) => status === 403).map(({ path }) => path)).toEqual(
    Array(10).fill(`/channels/${guild.channel("closed")}`),
  );
  expect(asked.filter(({ path }) => path.endsWith("/messages"))).toEqual([]);
  expect(sentences.filter((text) => text.includes("**View Channel**"))).toHaveLength(10);
  expect(sentences.filter((text) => /try again in \d+ seconds/.test(text))).toHaveLength(50);
});

test("Discord took everything else that it was sent", () => {
  expectDiscordAgreed(world);
});
