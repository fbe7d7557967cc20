import { PermissionFlagsBits } from "discord.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { budgets } from "../../src/basics/budgets.ts";
import { textOf } from "../sandbox/discord/discord.ts";
import { sentenceOf, told } from "../support/checks.ts";
import { type Bot, connectStore, createWorld, run, type World } from "../support/world.ts";

const { ofPerson, ofServer, ofManagers } = budgets.refusedAttempts;
/** More of them than it takes to use up what all have together. */
const several = (name: string, { burst }: { readonly burst: number }) =>
  Array.from({ length: Math.ceil(burst / ofPerson.burst) + 2 }, (_, index) => `${name}${index}`);
const helpers = several("helper", ofServer);
const managers = several("manager", ofManagers);

let world: World;
let bot: Bot;

beforeAll(async () => {
  const plain = await createWorld();
  const guild = plain.discord.addGuild({
    channels: ["new-orders", "staff", "open", "closed", "shut", "alone"],
    roles: [
      { name: "Helpers" },
      { name: "Loud", mentionable: true },
      { name: "Quiet", mentionable: false },
      { name: "Managers", permissions: PermissionFlagsBits.ManageGuild },
    ],
    people: [
      { name: "owner" },
      ...["manager", ...managers].map((name) => ({ name, roles: ["Managers"] })),
      ...helpers.map((name) => ({ name, roles: ["Helpers"] })),
    ],
  });
  for (const hidden of guild.channels.filter(({ name }) => ["new-orders", "closed", "shut"].includes(name))) {
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

afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

const set = (by: string, channel: string, role?: string) => {
  const { guild } = world;
  const chosen = { channel: guild.channel(channel), ...(role === undefined ? {} : { role: guild.role(role) }) };
  return run(world, "alerts set", chosen, by);
};

const showCustomers = (privacy: string) => told(run(world, "store settings", { privacy }));

test("staff do not bring customers elsewhere, least of all where everybody reads (0.1.0: they did), and a manager does", async () => {
  await showCustomers("masked");
  expect(await sentenceOf(set("helper0", "open"), bot)).toBe(
    "Everyone in this server can read that channel, and alerts there would show customers. Only someone with the Manage Server permission can allow that. Nothing was changed. Choose a private channel, or ask them.",
  );
  expect(await told(run(world, "alerts status", {}, "helper0"))).toContain("Alerts are off in this server");

  const notTheirs =
    "Alerts in this server show customers, so only someone with the Manage Server permission can choose another channel. Nothing was changed. Ask them.";
  expect(await sentenceOf(set("helper0", "new-orders"), bot)).toBe(notTheirs);
  expect(await told(run(world, "alerts status", {}, "helper0"))).toContain("Alerts are off in this server");
  expect(await told(set("manager", "new-orders"))).toContain("✅ New orders are announced in");
  expect(await told(set("helper0", "new-orders")), "the channel that it is").not.toContain("Nothing was changed");
  expect(await told(run(world, "alerts status", {}, "helper0"))).toContain(`<#${world.guild.channel("new-orders")}>`);

  const question = await set("manager", "open").settled();
  expect(textOf(question)).toContain("Continue?");

  const answer = world.discord.press(world.guild.person("manager"), question, "Confirm");
  expect(textOf(await answer.settled())).toContain("✅ New orders are announced in");
});

test("staff let the bot mention what they may mention themselves (0.1.0: any role)", async () => {
  await showCustomers("none");
  expect(await sentenceOf(set("helper1", "new-orders", "Quiet"), bot)).toMatch(/^You cannot mention that role/);
  expect(await told(run(world, "alerts status", {}, "helper1"))).toContain("**Role:** none");

  const loud = await told(set("helper1", "new-orders", "Loud"));
  expect(loud).toContain("✅ New orders are announced in");
  expect(loud).not.toContain("is not notified");

  const quiet = await told(set("manager", "new-orders", "Quiet"));
  expect(quiet).toContain(`<@&${world.guild.role("Quiet")}> is not notified yet`);
});

test("staff take a role along only where they may mention it, and no sample mentions it for them (0.1.0: both)", async () => {
  const { discord, guild } = world;
  await showCustomers("none");
  expect(await sentenceOf(set("helper2", "staff"), bot)).toMatch(/^You cannot mention that role/);

  const sample = await told(run(world, "alerts test", {}, "helper2"));
  expect(sample).toContain(`<@&${guild.role("Quiet")}> was not mentioned`);

  const [last] = discord.messages(guild.channel("new-orders")).slice(-1);
  expect(JSON.stringify(last)).not.toContain(guild.role("Quiet"));
});

test("staff choose no channel in which they may not write (0.1.0: any)", async () => {
  const { guild } = world;
  const alone = guild.channels.find(({ name }) => name === "alone");
  const bit = PermissionFlagsBits.SendMessages;
  if (alone) alone.overwrites = [{ id: guild.role("Helpers"), type: 0, allow: 0n, deny: bit }];

  expect(await sentenceOf(set("helper3", "alone"), bot)).toMatch(/^You cannot see that channel or write in it/);
});

test.each([
  ["staff", "closed", helpers, ofServer.burst],
  ["managers", "shut", managers, ofManagers.burst],
])(
  "a closed channel is asked for as often as the server's %s may, however many try, and whoever tried before (0.1.0: two refusals for each try)",
  async (_, name, people, most) => {
    const { discord, guild } = world;
    await showCustomers("none");
    const channel = guild.channel(name);
    discord.setBotPermissions(channel, { deny: PermissionFlagsBits.ViewChannel });
    const before = discord.requests.length;
    const tries = people.flatMap((person) => Array.from({ length: ofPerson.burst }, () => set(person, name, "Loud")));
    const sentences = await Promise.all(tries.map((interaction) => told(interaction)));
    const asked = discord.requests.slice(before);

    expect(asked.filter(({ status }) => status === 403).map(({ path }) => path)).toEqual(
      Array(most).fill(`/channels/${channel}`),
    );
    expect(asked.filter(({ path }) => path.endsWith("/messages"))).toEqual([]);
    expect(sentences.filter((text) => text.includes("**View Channel**"))).toHaveLength(most);
    expect(sentences.filter((text) => /Try again in \d+ seconds/.test(text))).toHaveLength(tries.length - most);
  },
);
