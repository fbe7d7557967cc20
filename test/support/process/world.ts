import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Attachment,
  type GuildModel,
  type Interaction,
  type PretendDiscord,
  type PretendDiscordOptions,
  startDiscord,
  textOf,
} from "../../sandbox/discord/discord.ts";
import { type Bot, connected, launchBot } from "../../sandbox/launch-bot.ts";
import { type PretendStore, startStore } from "../../sandbox/store/start-store.ts";
import { findLeaks, type Secret } from "./leaks.ts";
import { botToken, keysIn, rememberTyped, secretsOf, tracesOf } from "./secrets.ts";
import { startCommand } from "./start-command.ts";

export type { Bot } from "../../sandbox/launch-bot.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * A pretend Discord with one server, a pretend store, and as many starts of the bot as a test needs. At the end of a test, the
 * test fails if the real Discord would have refused a request, or does not know a key in a request's body. The test also fails
 * if what the bots printed, sent or stored has a secret in a wrong place.
 */
export interface World extends AsyncDisposable {
  readonly discord: PretendDiscord;
  readonly store: PretendStore;
  readonly guild: GuildModel;
  /** Working directory of the bot: `data/` is in it. */
  readonly directory: string;
  readonly database: string;
  /** Resolves when the bot is connected. A variable with the value `undefined` is not set. */
  start(environment?: Environment): Promise<Bot>;
  /** Does not wait. `args` follow the command of `npm start`. */
  launch(environment?: Environment, args?: readonly string[]): Bot;
  leaks(): Promise<string[]>;
}

export async function createWorld(
  options: { discord?: PretendDiscordOptions; store?: Parameters<typeof startStore>[0] } = {},
): Promise<World> {
  const [discord, store, directory] = await Promise.all([
    startDiscord({ botName: "Shopbell", ...options.discord }),
    startStore(options.store),
    mkdtemp(join(tmpdir(), "shopbell-e2e-")),
  ]);
  const guild = discord.addGuild();
  const bots: Bot[] = [];
  const typed = rememberTyped(discord);
  const configured: Secret[] = [];

  function launch(environment: Environment = {}, args: readonly string[] = []): Bot {
    const bot = launchBot({
      command: [...startCommand, ...args],
      directory,
      environment: {
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        STORE_API_URL: store.url,
        POLL_SCHEDULE: "*/1 * * * * *",
        LOG_LEVEL: "trace",
        ...environment,
      },
    });
    bots.push(bot);
    const { SECRET_KEYS: keys, DISCORD_TOKEN: token } = environment;
    if (keys !== undefined) configured.push(...keysIn(keys));
    if (token !== undefined) configured.push(botToken(token));
    return bot;
  }

  async function leaks(): Promise<string[]> {
    const traces = { discord, store, directory, outputs: bots.map((bot) => bot.output()) };
    const secrets = [...(await secretsOf(traces)), ...typed, ...configured];
    return findLeaks(secrets, tracesOf(traces));
  }

  return {
    discord,
    store,
    guild,
    directory,
    database: join(directory, "data", "shopbell.sqlite"),
    launch,
    leaks,
    async start(environment) {
      const bot = launch(environment);
      await connected(bot, discord);
      return bot;
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(bots.map((bot) => bot.kill()));
      const leaked = await leaks().finally(async () => {
        await Promise.all([discord.close(), store.close()]);
        await rm(directory, { recursive: true, force: true });
      });
      if (leaked.length > 0) throw new Error(`something secret is where it must not be:\n${leaked.join("\n")}`);
      const { refusals, unknownKeys } = discord;
      const refused = [...refusals, ...unknownKeys].map((what) => JSON.stringify(what));
      if (refused.length > 0) throw new Error(`Discord would not have taken:\n${refused.join("\n")}`);
    },
  };
}

type Options = Readonly<Record<string, string | number | boolean | Attachment>>;

function typedIn({ guild }: World, name: string, options: Options) {
  const [command = "", ...subcommand] = name.split(" ");
  return {
    guildId: guild.id,
    channelId: guild.channel("staff"),
    name: command,
    ...(subcommand.length > 0 ? { subcommand: subcommand.join(" ") } : {}),
    options,
  };
}

/**
 * A person runs a command, such as "alerts set". `locale`: the person's language.
 * `force` sends the command even if Discord would not let the person use it.
 */
export function run(
  world: World,
  name: string,
  options: Options = {},
  by = "owner",
  more: { readonly force?: boolean; readonly locale?: string } = {},
): Interaction {
  return world.discord.command(world.guild.person(by), { ...typedIn(world, name, options), ...more });
}

export async function suggested(
  world: World,
  name: string,
  focused: string,
  options: Options = {},
  by = "owner",
  force = false,
): Promise<readonly { readonly name: string; readonly value: string | number }[]> {
  const asked = { ...typedIn(world, name, options), focused, force };
  return (await world.discord.autocomplete(world.guild.person(by), asked).answer()).choices ?? [];
}

/** Runs `/store disconnect`, and presses Confirm. Resolves to the text of the last answer. */
export async function disconnectStore(world: World, by = "owner"): Promise<string> {
  const question = await run(world, "store disconnect", {}, by).settled();
  return textOf(await world.discord.press(world.guild.person(by), question, "Confirm").settled());
}

/** Uses `/store connect`. Resolves to the text of the answer. */
export async function connectStore(world: World, token = world.store.token): Promise<string> {
  const opener = run(world, "store connect");
  await opener.answer();
  const answer = await world.discord.submit(world.guild.person("owner"), opener, { token }).settled();
  return textOf(answer);
}

/** Turns alerts on in #new-orders. Resolves to the text of the answer. */
export async function setAlerts(world: World, options: Record<string, string> = {}): Promise<string> {
  const channel = world.guild.channel("new-orders");
  return textOf(await run(world, "alerts set", { channel, ...options }).settled());
}

/** With many managers (`manager0`, …), because the bot slows down a person who does much in a few seconds. */
export function withManagers(world: World, count: number): World {
  const managers = Array.from({ length: count }, (_, index) => ({ name: `manager${index}`, roles: ["Staff"] }));
  const others = [
    { name: "owner" },
    { name: "staff", roles: ["Staff"] },
    { name: "helper", roles: ["Helpers"] },
    { name: "member" },
  ];
  return { ...world, guild: world.discord.addGuild({ people: [...others, ...managers] }) };
}
