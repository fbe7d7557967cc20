import { ChannelType, PermissionFlagsBits } from "@discordjs/core";
import { beforeEach, expect, test } from "vitest";
import type { Component } from "../sandbox/discord/components.ts";
import { flat } from "../sandbox/discord/components.ts";
import { type ApiMessage, textOf } from "../sandbox/discord/discord.ts";
import { told } from "../support/process/checks.ts";
import { useBot } from "../support/process/scene.ts";
import { run, setAlerts, type World } from "../support/process/world.ts";

const { ViewChannel, SendMessages } = PermissionFlagsBits;

const plain = useBot({ isConnected: false });
/** Each test has a server of its own in the same world. */
let world: World;

beforeEach(() => {
  const guild = plain.discord.addGuild({
    channels: ["new-orders", "staff"],
    roles: [{ name: "Loud", mentionable: true }, { name: "Staff" }, { name: "Quiet", mentionable: false }],
    people: [{ name: "owner" }],
  });
  world = { ...plain, guild };
});

const owner = () => world.guild.person("owner");
const channel = (name: string) => world.guild.channel(name);
const posts = () => world.discord.messages(channel("new-orders")).map((message) => textOf(message));

async function connect(locale = "en-US"): Promise<ApiMessage> {
  const opener = run(world, "store connect", {}, "owner", { locale });
  await opener.answer();
  return world.discord.submit(owner(), opener, { token: world.store.token }).settled();
}

const menusOf = (message: ApiMessage) =>
  flat(message.components as unknown as readonly Component[]).filter(({ type }) => [3, 6, 8].includes(type)) as {
    type: number;
    placeholder: string;
    options?: { value: string; default?: boolean }[];
    default_values?: { id: string; type: string }[];
  }[];

/** In the order of the menus. */
const chosenIn = (message: ApiMessage) =>
  menusOf(message).map(({ options = [], default_values: ids = [] }) => [
    ...options.filter((option) => option.default).map(({ value }) => value),
    ...ids.map(({ id }) => id),
  ]);

/** `index`: the menu's place from above. */
function choose(message: ApiMessage, index: number, value?: string): Promise<ApiMessage> {
  const { placeholder = "" } = menusOf(message)[index] ?? {};
  const values = value === undefined ? [] : [value];
  return world.discord.press(owner(), message, placeholder, { values }).settled();
}
const press = (message: ApiMessage, label: string) => world.discord.press(owner(), message, label).settled();

test("a token that is accepted leads to the first alert without another command", async () => {
  const panel = await connect();
  expect(textOf(panel)).toContain(
    `### ✅ Your store is connected\nAPI token ending in ${world.store.token.slice(-4)}.`,
  );
  expect(menusOf(panel).map(({ type }) => type)).toEqual([8, 6, 3, 3, 3, 3]);
  expect(chosenIn(panel)).toEqual([[channel("staff")], [], ["both"], ["en"], ["none"], ["UTC"]]);

  const moved = await choose(panel, 0, channel("new-orders"));
  const ringing = await choose(moved, 1, world.guild.role("Loud"));
  const brl = await choose(await choose(ringing, 2, "paid"), 4, "BRL");
  const spanish = await choose(await choose(brl, 5, "America/Bogota"), 3, "es");
  const own = [[channel("new-orders")], [world.guild.role("Loud")], ["paid"], ["es"], ["BRL"], ["America/Bogota"]];
  expect(chosenIn(spanish)).toEqual(own);
  expect(posts(), "nothing is posted before it is asked for").toEqual([]);

  const done = await press(spanish, "Send a sample");
  expect(textOf(done)).toContain(
    `### ✅ Alerts are on\nA sample was posted in <#${channel("new-orders")}>. From now on, order alerts come there.\n**Role:** <@&${world.guild.role("Loud")}>\n**Alerts for:** Paid`,
  );

  const [announced = "", sample = ""] = posts();
  expect(announced).toContain("A partir de ahora, los avisos de pedidos llegan a este canal.");
  expect(sample).toContain("Esto es una muestra");
  expect(sample).toContain("Producto de muestra");

  const [, message] = world.discord.messages(channel("new-orders"));
  expect(message?.mention_roles).toEqual([world.guild.role("Loud")]);
});

test.each([
  ["pt-BR", "pt-BR", "America/Sao_Paulo"],
  ["es-419", "es", "America/Mexico_City"],
  ["de", "en", "UTC"],
])(
  "channels speak the language of whoever connects the store, and its days are guessed from it (%s; 0.1.0: English, UTC)",
  async (locale, language, zone) => {
    const panel = await connect(locale);
    expect(chosenIn(panel)[3]).toEqual([language]);
    expect(chosenIn(panel)[5]).toEqual([zone]);
  },
);

test("the server's time zone is changed by /store settings, is shown by /store status, and stays when a token follows", async () => {
  await connect("pt-BR");
  const refused = run(world, "store settings", { timezone: "Mars" });
  expect(await told(refused)).toContain("That is not a time zone.");
  const answer = await told(run(world, "store settings", { timezone: "europe/lisbon (12:00)" }));
  expect(answer).toContain("**Time zone:** Europe/Lisbon");
  const status = await run(world, "store status").settled();
  expect(textOf(await press(status, "Details"))).toContain("**Time zone:** Europe/Lisbon");
  expect(await told(run(world, "store log"))).toContain("Time zone: **Europe/Lisbon**");
  expect(chosenIn(await connect("pt-BR"))[5]).toEqual(["Europe/Lisbon"]);
});

test("a language that was chosen before stays, and alerts that are on go on", async () => {
  await told(run(world, "store settings", { language: "es" }));
  expect(chosenIn(await connect("pt-BR"))[3]).toEqual(["es"]);
  await setAlerts(world);
  expect(textOf(await connect())).toBe(
    `✅ Your store is connected with the token ending in ${world.store.token.slice(-4)}. Alerts continue.`,
  );
});

test("what is missing is found there and then, in the words of Discord's settings, with a button that tries again", async () => {
  world.discord.setBotPermissions(channel("staff"), { deny: ViewChannel });
  world.discord.setBotPermissions(channel("new-orders"), { deny: SendMessages });
  const first = await connect();
  expect(chosenIn(first)[0]).toEqual([channel("staff")]);
  expect(textOf(first)).toContain("**View Channel**");
  const panel = await choose(first, 0, channel("new-orders"));
  expect(textOf(panel)).toContain(": **Send Messages**");
  expect(posts()).toEqual([]);

  world.discord.setBotPermissions(channel("new-orders"), { allow: SendMessages });
  expect(textOf(await press(panel, "Try again"))).not.toContain("Send Messages");
  expect(posts()).toHaveLength(2);
});

test("a channel without messages of people, such as voice, is not offered as the first", async () => {
  const voice = world.guild.channels.find(({ name }) => name === "staff");
  if (voice) Object.assign(voice, { type: ChannelType.GuildVoice });
  expect(chosenIn(await connect())[0]).toEqual([]);
});

test("Change leads back to the menus, and no role is one of the choices", async () => {
  const panel = await choose(await connect(), 1, world.guild.role("Loud"));
  const again = await press(await press(panel, "Send a sample"), "Change");
  expect(chosenIn(again)[1]).toEqual([world.guild.role("Loud")]);
  // Before, it said again that this turns alerts on.
  expect(textOf(again)).toContain("Alerts are on. If you change the channel");
  expect(textOf(await press(await choose(again, 1), "Send a sample"))).toContain("**Role:** none");
});

test("the button of a sample says that it is one (0.1.0: nothing with this id)", async () => {
  await press(await connect(), "Send a sample");
  const sample = world.discord.messages(channel("staff")).at(-1);
  if (!sample) throw new Error("no sample");
  expect(await told(world.discord.press(owner(), sample, "Open"))).toBe(
    "ℹ️ This is a sample, so there is no order behind it. In a real alert, this button shows the order.",
  );
});

test("/store status says that the role of alerts or the staff role was deleted (before: only the role of alerts)", async () => {
  await connect();
  await setAlerts(world, { role: world.guild.role("Loud") });
  await run(world, "store settings", { staff: world.guild.role("Staff") }, "owner").settled();
  const status = () => told(run(world, "store status", {}, "owner"));
  const remove = (role: string) => {
    const { roles } = world.guild;
    roles.splice(
      roles.findIndex(({ name }) => name === role),
      1,
    );
  };
  expect(await status()).toContain("All is well");
  remove("Staff");
  expect(await status()).toMatch(/^⚠️ The staff role was deleted, so the staff can no longer use the bot\./m);
  expect(await status()).not.toContain("alerts mention");
  remove("Loud");
  expect(await status()).toContain("The role that alerts mention was deleted");
});

test("none of this was an error in the log", () => {
  expect(plain.bot.output()).not.toContain('"level":50');
});
