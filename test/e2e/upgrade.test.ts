import { chmod, cp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { PermissionFlagsBits } from "@discordjs/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ApiMessage, type GuildModel, textOf } from "../sandbox/discord/discord.ts";
import { createBotClock } from "../support/process/bot-clock.ts";
import { told } from "../support/process/checks.ts";
import { morePolls } from "../support/process/polls.ts";
import { type Bot, connectStore, createWorld, run, type World } from "../support/process/world.ts";
import { sized } from "../support/sized.ts";

const fixtures = join(import.meta.dirname, "../fixtures/0.1.0");
const minuteMs = 60_000;
const yearMs = 365 * 24 * 60 * minuteMs;

/** Private answers that were open in the first server. */
type AnswerName = "list" | "question" | "open" | "created" | "unclear";

/** `world.json` of a fixture (see the fixtures' README). */
interface Held {
  /** Epoch ms. */
  readonly at: number;
  readonly discord: {
    readonly guilds: readonly {
      readonly id: string;
      readonly name: string;
      readonly locale: string;
      readonly roles: readonly { readonly id: string; readonly name: string; readonly permissions: string }[];
      readonly people: readonly { readonly id: string; readonly name: string; readonly roles: readonly string[] }[];
      readonly channels: readonly { readonly id: string; readonly name: string }[];
    }[];
    readonly commands: readonly string[];
    readonly messages: readonly { readonly ephemeralFor?: string; readonly message: ApiMessage }[];
  };
  readonly store: {
    readonly tokens: readonly string[];
    readonly products: readonly Parameters<World["store"]["addProduct"]>[0][];
    readonly orders: readonly Parameters<World["store"]["placeOrder"]>[0][];
  };
  /** By their state in the first server's ledger. */
  readonly orders: {
    readonly followed: string;
    readonly batch: readonly string[];
    readonly owed: readonly string[];
  };
  readonly messages: Readonly<Record<AnswerName, string>>;
}

/** What the bot of 0.1.0 left. `guild` is its first server. */
interface Old extends World {
  readonly held: Held;
  readonly guilds: readonly GuildModel[];
  /** The clock of the present bot is `laterMs` after the end of the bot of 0.1.0. */
  begin(): Promise<Bot>;
}

async function publishOldCommands({ discord }: World, names: readonly string[]) {
  const commands = names.map((name) => ({ name, description: "From before", type: 1 }));
  const response = await fetch(`${discord.apiUrl}/v10/applications/${discord.applicationId}/commands`, {
    method: "PUT",
    headers: { authorization: `Bot ${discord.token}`, "content-type": "application/json" },
    body: JSON.stringify(commands),
  });
  expect(response.status).toBe(200);
}

async function open(name: "stopped" | "killed", laterMs = minuteMs): Promise<Old> {
  const directory = join(fixtures, name);
  const held: Held = JSON.parse(await readFile(join(directory, "world.json"), "utf8"));
  const offsetMs = held.at + laterMs - Date.now();
  const now = () => Date.now() + offsetMs;
  const world = await createWorld({ discord: { now }, store: { now } });
  const { discord, store } = world;
  const guilds = held.discord.guilds.map(({ roles, ...guild }) =>
    discord.addGuild({
      ...guild,
      systemChannel: "staff",
      roles: roles.map(({ permissions, ...role }) => ({ ...role, permissions: BigInt(permissions) })),
    }),
  );
  for (const { message, ephemeralFor } of held.discord.messages) discord.restoreMessage(message, ephemeralFor);
  await publishOldCommands(world, held.discord.commands);
  const [token = "", ...others] = held.store.tokens;
  store.rotateToken(token);
  for (const other of others) store.allowToken(other);
  for (const order of held.store.orders) store.placeOrder(order);
  for (const product of held.store.products) store.addProduct(product);

  const data = join(world.directory, "data");
  await cp(directory, data, { recursive: true, filter: (path) => !path.endsWith(".json") });
  await chmod(data, 0o700);
  for (const file of await readdir(data)) await chmod(join(data, file), 0o600);

  const clock = createBotClock(world.directory, offsetMs);
  const [guild = world.guild] = guilds;
  return { ...world, guild, guilds, held, begin: () => world.start(clock.environment) };
}

const shows = (id: string) => (message: ApiMessage) => textOf(message).includes(id.slice(0, 8));
const postsIn = ({ discord }: Old, guild: GuildModel) => guild.channels.flatMap(({ id }) => discord.messages(id));
const oldPosts = ({ held }: Old) =>
  held.discord.messages.flatMap(({ message, ephemeralFor }) => (ephemeralFor ? [] : message));

/** Ids of orders in the server's channels that the bot of 0.1.0 had not posted there, sorted. */
function rungIn(old: Old, guild: GuildModel): string[] {
  const before = new Set(oldPosts(old).map(({ id }) => id));
  const since = postsIn(old, guild).filter(({ id }) => !before.has(id));
  return since.flatMap((message) => old.store.orders.flatMap(({ id }) => (shows(id)(message) ? id : []))).sort();
}

/** The only message about an order, once it says `text`. */
async function alertOf(old: Old, id: string, text = "", guild = old.guild): Promise<ApiMessage> {
  const says = (message: ApiMessage) => shows(id)(message) && textOf(message).includes(text);
  const alert = await old.discord.waitFor(() => postsIn(old, guild).find(says), `${text} in the alert of ${id}`);
  expect(postsIn(old, guild).filter(shows(id))).toHaveLength(1);
  return alert;
}

/** The owner presses a button of an answer of 0.1.0. */
function pressOld({ discord, guild, held }: Old, name: AnswerName, button: string) {
  const owner = guild.person("owner");
  const found = discord.messagesFor(owner, guild.channel("staff")).find(({ id }) => id === held.messages[name]);
  if (found === undefined) throw new Error(`the fixture has no answer called ${name}`);
  return discord.press(owner, found, button);
}

/** The refusal of the third server's token is announced once more. A new token brings the alerts of its pending orders. */
async function expectNewTokenAccepted(old: Old, pending: readonly string[]) {
  const { guild, guilds } = old;
  const [, , third = guild] = guilds;
  expect(await told(run({ ...old, guild: third }, "store status"))).toContain("Something needs attention");
  const isRefusal = (message: ApiMessage) => textOf(message).includes("refuses the API token");
  expect(postsIn(old, third).filter(isRefusal)).toHaveLength(oldPosts(old).filter(isRefusal).length + 1);
  await connectStore({ ...old, guild: third });
  for (const id of pending) await alertOf(old, id, "", third);
  expect(rungIn(old, third)).toEqual([...pending].sort());
}

type End = readonly [name: "stopped" | "killed", later: string, laterMs: number];
const ends: readonly End[] = [
  ["stopped", "a year", yearMs],
  ["killed", "a minute", minuteMs],
  ...sized<End[]>(
    [],
    [
      ["stopped", "a minute", minuteMs],
      ["killed", "a year", yearMs],
    ],
  ),
];

describe.concurrent("the data of a bot of 0.1.0", () => {
  it.each(ends)(
    "that was %s lead to one alert for each pending and each new order %s later, and to no other",
    async (name, _, laterMs) => {
      await using old = await open(name, laterMs);
      const channel = old.guild.channel("new-orders");
      if (name === "stopped") old.discord.setBotPermissions(channel, { deny: PermissionFlagsBits.SendMessages });
      let bot = await old.begin();
      await morePolls(old, 2);
      expect(old.discord.dms(old.guild.person("owner")), "the owner was told by 0.1.0").toEqual([]);
      if (name === "stopped") old.discord.setBotPermissions(channel, {});
      const { id } = old.store.placeOrder();
      const [first = "", second = ""] = old.held.orders.owed;
      // The killed bot had sent the first order without an answer. Its second server had seen neither order, because the store
      // was down. The third server's token is still refused.
      const due = name === "stopped" ? [[first, second, id], []] : [[second, id], [first, second, id], []];
      for (const [index, guild] of old.guilds.entries()) {
        for (const order of due[index] ?? []) await alertOf(old, order, "", guild);
      }
      await morePolls(old, 2);
      if (name === "killed") {
        expect((await bot.stop()).code).toBe(0);
        bot = await old.begin();
        await morePolls(old, 2);
      }
      expect(old.guilds.map((guild) => rungIn(old, guild))).toEqual(due.map((orders) => orders.sort()));
      expect(old.guilds.flatMap((guild) => postsIn(old, guild))).toEqual(expect.arrayContaining(oldPosts(old)));
      if (name === "killed") await expectNewTokenAccepted(old, [first, second, id]);
      expect((await bot.stop()).code).toBe(0);
    },
  );

  // These tests follow one another. Their life itself runs in parallel with the tests above.
  describe("in one life of the present bot", () => {
    const inOrder = { concurrent: false };
    let old: Old;
    let bot: Bot;
    beforeAll(async () => {
      old = await open("stopped");
      old.discord.setBotPermissions(old.guild.channel("new-orders"), { deny: PermissionFlagsBits.SendMessages });
      bot = await old.begin();
    });
    afterAll(async () => {
      expect((await bot.stop()).code).toBe(0);
      // Disposal searches for leaks. By then, customers are encrypted, which 0.1.0 kept as plain text.
      await old[Symbol.asyncDispose]();
    });

    it("has the settings, the token and the alerts that were set", inOrder, async () => {
      const { discord, guild } = old;
      await morePolls(old, 2);
      expect(discord.commands().map(({ description }) => description)).not.toContain("From before");
      const settings = await told(run(old, "store settings"));
      for (const line of ["Currency:** BRL", "channel messages:** Português (Brasil)", "channels:** partly hidden"]) {
        expect(settings).toContain(line);
      }
      expect(settings).toContain(`**Staff role:** <@&${guild.role("Staff")}>`);

      const alerts = await told(run(old, "alerts status"));
      expect(alerts).toContain(`**Channel:** <#${guild.channel("new-orders")}>`);
      expect(alerts).toContain(`**Role:** <@&${guild.role("Staff")}>\n**Alerts for:** Pending, ON_HOLD\n`);
      expect(alerts).toContain("**Orders waiting to be posted:** 2\n**Orders being followed:** 8\n");
      const status = await run(old, "store status").settled();
      const details = await discord.press(guild.person("owner"), status, "Details").settled();
      expect(textOf(details)).toContain("**API token:** ending in Wx9Z\n**Answers now:** yes\n");
      expect(await told(run({ ...old, guild: old.guilds[1] ?? guild }, "store settings"))).toContain(
        "**Currency:** USD",
      );
      discord.setBotPermissions(guild.channel("new-orders"), {});
    });

    it("knows its alerts by their buttons, and leaves them as they are when an order changes", inOrder, async () => {
      const { discord, guild, store } = old;
      const { followed, batch } = old.held.orders;
      const [, sibling = ""] = batch;
      const single = await alertOf(old, followed);
      const several = await alertOf(old, sibling);
      expect(await told(discord.press(guild.person("staff"), single, "Abrir"))).toContain(followed);
      const picked = discord.press(guild.person("staff"), several, "order:pick", { values: [sibling] });
      expect(await told(picked)).toContain(sibling);

      store.setStatus(followed, "PAID");
      store.setStatus(sibling, "PAID");
      await morePolls(old, 2);
      // A message in components cannot become a classic one, so it stays as it is.
      expect(await alertOf(old, followed)).toEqual(single);
      expect(await alertOf(old, sibling)).toEqual(several);
    });

    it("continues with the answers that were open", inOrder, async () => {
      const { discord, guild, store } = old;
      expect(textOf(await pressOld(old, "list", "Next").settled())).toContain("### Orders · Page 2 of 2\n");

      // Drafts of 0.1.0 are not kept, so none of them creates a product.
      const count = store.products.length;
      for (const [draft, button] of [
        ["open", "Create"],
        ["unclear", "Look again"],
      ] as const) {
        expect(await told(pressOld(old, draft, button))).toContain("expired");
      }
      expect(store.products).toHaveLength(count);

      const confirmed = await pressOld(old, "question", "Confirm").settled();
      expect(textOf(confirmed)).toContain(`Order alerts come to <#${guild.channel("staff")}> from now on.`);
      const { id } = store.placeOrder();
      expect((await alertOf(old, id)).channel_id).toBe(guild.channel("staff"));
      expect(discord.messages(guild.channel("staff")).filter(shows(id))).toHaveLength(1);
    });
  });
});
