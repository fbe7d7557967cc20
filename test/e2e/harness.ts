import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type GuildModel, type PretendDiscord, startDiscord, textOf } from "../sandbox/discord/discord.ts";
import { startArguments } from "../sandbox/start-command.ts";
import { type PretendStore, startStore } from "../sandbox/store/start-store.ts";
import { type Exception, findLeaks, type Secret } from "./leaks.ts";
import { botToken, keysIn, rememberTyped, secretsOf, tracesOf } from "./secrets.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** The bot as `npm start` runs it, in a process and a directory of its own. */
export interface Bot {
  /** Everything that it printed so far. */
  output(): string;
  /** The first printed line that has `text` in it; rejects after `deadlineMs` (default 5,000). */
  printed(text: string, deadlineMs?: number): Promise<string>;
  /** Sends a signal that does not end the process, such as SIGSTOP and SIGCONT. */
  signal(name: NodeJS.Signals): void;
  /** SIGKILL; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM or the given signal; resolves to the exit code and how long the end took. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; ms: number }>;
  /** Resolves to the exit code when the process ends by itself. */
  exited: Promise<number | null>;
}

/**
 * A pretend Discord with one server, a pretend store, and as many starts of the bot as a test needs. At its end all that
 * the bots printed, sent and kept is searched for secrets: one in a wrong place fails the scenario.
 */
export interface World extends AsyncDisposable {
  readonly discord: PretendDiscord;
  readonly store: PretendStore;
  readonly guild: GuildModel;
  /** Working directory of the bot: `data/` is in it. */
  readonly directory: string;
  /** Starts the bot; resolves once it is connected. A variable given as `undefined` is not set. */
  start(environment?: Environment): Promise<Bot>;
  /** Starts the bot without waiting for anything. */
  launch(environment?: Environment): Bot;
  /** Every byte that is kept on disk. */
  kept(): Promise<Buffer>;
  /** A sentence for each secret that is in a wrong place by now. */
  leaks(): Promise<string[]>;
}

const readyDeadlineMs = 15_000;

/**
 * @param options `discordNow`: the clock of the pretend Discord, epoch ms; by default the real one. `exceptions`: secrets
 * that this scenario lets out on purpose
 */
export async function createWorld(
  options: { discordNow?: () => number; exceptions?: readonly Exception[] } = {},
): Promise<World> {
  const [discord, store, directory] = await Promise.all([
    startDiscord({ now: options.discordNow ?? Date.now }),
    startStore(),
    mkdtemp(join(tmpdir(), "shopbell-e2e-")),
  ]);
  const guild = discord.addGuild();
  const running = new Set<ChildProcess>();
  const outputs: (() => string)[] = [];
  const typed = rememberTyped(discord);
  const configured: Secret[] = [];

  function launch(environment: Environment = {}): Bot {
    const child = spawn(process.execPath, startArguments, {
      cwd: directory,
      env: {
        PATH: process.env.PATH,
        DISCORD_TOKEN: discord.token,
        DISCORD_API_URL: discord.apiUrl,
        STORE_API_URL: store.url,
        POLL_SCHEDULE: "*/1 * * * * *",
        LOG_LEVEL: "trace",
        ...environment,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    running.add(child);
    const chunks: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => chunks.push(chunk));
    const exited = once(child, "exit").then(([code]) => {
      running.delete(child);
      return code as number | null;
    });
    const output = () => Buffer.concat(chunks).toString();
    outputs.push(output);
    const { SECRET_KEYS: keys, DISCORD_TOKEN: token } = environment;
    if (keys !== undefined) configured.push(...keysIn(keys));
    if (token !== undefined) configured.push(botToken(token));
    return {
      output,
      exited,
      printed(text, deadlineMs = 15_000) {
        const { promise, resolve, reject } = Promise.withResolvers<string>();
        const look = () => {
          const line = output()
            .split("\n")
            .slice(0, -1)
            .find((candidate) => candidate.includes(text));
          if (line !== undefined) resolve(line);
        };
        const streams = [child.stdout, child.stderr];
        const late = () => reject(new Error(`the bot did not print ${text} within ${deadlineMs} ms:\n${output()}`));
        const timer = setTimeout(late, deadlineMs);
        for (const stream of streams) stream?.on("data", look);
        look();
        return promise.finally(() => {
          clearTimeout(timer);
          for (const stream of streams) stream?.off("data", look);
        });
      },
      signal(name) {
        child.kill(name);
      },
      async kill() {
        child.kill("SIGKILL");
        await exited;
      },
      async stop(signal = "SIGTERM") {
        const from = performance.now();
        child.kill(signal);
        return { code: await exited, ms: performance.now() - from };
      },
    };
  }

  async function leaks(): Promise<string[]> {
    const traces = { discord, store, directory, outputs: outputs.map((output) => output()) };
    const secrets = [...(await secretsOf(traces)), ...typed, ...configured];
    return findLeaks(secrets, tracesOf(traces), options.exceptions);
  }

  return {
    discord,
    store,
    guild,
    directory,
    launch,
    leaks,
    async start(environment) {
      let identified = false;
      const stopListening = discord.on("gateway", ({ what }) => {
        identified ||= what === "identified";
      });
      const bot = launch(environment);
      const died = bot.exited.then((code) => {
        throw new Error(`the bot ended with ${code} before it was connected:\n${bot.output()}`);
      });
      died.catch(() => undefined);
      const connected = discord.waitFor(
        () => (identified ? true : undefined),
        "the bot connected to the gateway",
        readyDeadlineMs,
      );
      await Promise.race([connected, died]).finally(stopListening);
      return bot;
    },
    async kept() {
      const names = await readdir(join(directory, "data"));
      return Buffer.concat(await Promise.all(names.map((name) => readFile(join(directory, "data", name)))));
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(
        [...running].map(async (child) => {
          child.kill("SIGKILL");
          await once(child, "exit");
        }),
      );
      const leaked = await leaks().finally(async () => {
        await Promise.all([discord.close(), store.close()]);
        await rm(directory, { recursive: true, force: true });
      });
      if (leaked.length > 0) throw new Error(`something secret is where it must not be:\n${leaked.join("\n")}`);
    },
  };
}

/** A person of the server runs a command and gets the final answer. */
export function run(world: World, name: string, options: Record<string, string | number | boolean> = {}, by = "owner") {
  const { discord, guild } = world;
  const [command = "", subcommand] = name.split(" ");
  return discord.command(guild.person(by), {
    guildId: guild.id,
    channelId: guild.channel("staff"),
    name: command,
    ...(subcommand ? { subcommand } : {}),
    options,
  });
}

/** Connects the pretend store through the real command. */
export async function connectStore(world: World, token = world.store.token): Promise<string> {
  const opener = run(world, "store connect");
  await opener.answer();
  const answer = await world.discord.submit(world.guild.person("owner"), opener, { token }).settled();
  return textOf(answer);
}

/** Turns alerts on in #new-orders and returns the answer's text. */
export async function setAlerts(world: World, options: Record<string, string> = {}): Promise<string> {
  const channel = world.guild.channel("new-orders");
  return textOf(await run(world, "alerts set", { channel, ...options }).settled());
}
