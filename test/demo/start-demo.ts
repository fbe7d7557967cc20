import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PermissionFlagsBits } from "@discordjs/core";
import { Mutex } from "../../src/basics/limits/mutex.ts";
import { type Component, flat, TYPE } from "../sandbox/discord/components.ts";
import {
  type ApiMessage,
  customIdsOf,
  type GuildModel,
  type Interaction,
  type PretendDiscord,
  startDiscord,
  textOf,
} from "../sandbox/discord/discord.ts";
import { type Bot, connected, launchBot } from "../sandbox/launch-bot.ts";
import { type PretendStore, startStore } from "../sandbox/store/start-store.ts";
import { createBotClock } from "../support/process/bot-clock.ts";
import { startCommand } from "../support/process/start-command.ts";
import { seedHistory } from "./history.ts";

/** `starting` until the bot is connected to the gateway. `ended` after a kill, or after the bot ended by itself. */
type BotState = "starting" | "running" | "ended";

/** One simulated server and one simulated store, with the real bot between them. */
export type Demo = Awaited<ReturnType<typeof startDemo>>;

export const demoLanguages = ["en", "pt-BR", "es"] as const;
export type DemoLanguage = (typeof demoLanguages)[number];

/** The locale in Discord, and the currency (ISO 4217) of most people who speak the language. */
export const inLanguage: Readonly<Record<DemoLanguage, { readonly locale: string; readonly currency: string }>> = {
  en: { locale: "en-US", currency: "USD" },
  "pt-BR": { locale: "pt-BR", currency: "BRL" },
  es: { locale: "es-ES", currency: "EUR" },
};

/** An id in a message, in full or by its first eight characters. */
const shortIds = /\b[0-9a-f]{8}\b/g;

function channelMenuOf(message: ApiMessage): string {
  const menus = flat(message.components as unknown as readonly Component[]);
  const id = menus.find(({ type }) => type === TYPE.channelSelect)?.custom_id;
  if (id === undefined) throw new Error(`the answer to the token has no menu of channels: ${textOf(message)}`);
  return id;
}

/** Found by the custom id, because labels differ between languages. */
function buttonOf(message: ApiMessage, kind: string): string {
  const id = customIdsOf(message).find((found) => found.startsWith(kind));
  if (id === undefined) throw new Error(`no button ${kind} in: ${textOf(message)}`);
  return id;
}

/** One server with its people, and a store with some products and their past orders. */
function furnish(discord: PretendDiscord, store: PretendStore, from: number): GuildModel {
  store.seedProducts(9);
  seedHistory(store, from);
  return discord.addGuild({
    name: "Pixel Keys",
    channels: ["new-orders", "staff", "wins", "backstage"],
    roles: [{ name: "Staff", permissions: PermissionFlagsBits.ManageGuild }, { name: "Sales" }],
    people: [{ name: "owner" }, { name: "staff", roles: ["Staff", "Sales"] }, { name: "member" }],
  });
}

/** The bot's process, which may be killed and started again. */
function createProcess(
  discord: PretendDiscord,
  store: PretendStore,
  { directory, aheadMs, pollIntervalMs }: { directory: string; aheadMs: number; pollIntervalMs: number },
  changed: () => void,
) {
  let state: BotState = "ended";
  let bot: Bot | undefined;
  let closing = false;
  const become = (next: BotState) => {
    state = next;
    changed();
  };
  return {
    state: () => state,
    async start(): Promise<void> {
      if (state !== "ended" || closing) return;
      become("starting");
      bot = launchBot({
        command: startCommand,
        directory,
        environment: {
          ...(aheadMs === 0 ? {} : createBotClock(directory, aheadMs).environment),
          DISCORD_TOKEN: discord.token,
          DISCORD_API_URL: discord.apiUrl,
          STORE_API_URL: store.url,
          POLL_SCHEDULE: `*/${pollIntervalMs / 1_000} * * * * *`,
        },
      });
      void bot.exited.then(() => become("ended"));
      await connected(bot, discord);
      become("running");
    },
    kill: async () => bot?.kill(),
    async close(): Promise<void> {
      closing = true;
      await bot?.stop();
    },
  };
}

/** From the beginning or from the last `startOver`. */
function watchBot(discord: PretendDiscord, store: PretendStore, changed: () => void) {
  let firstOrder = Number.POSITIVE_INFINITY;
  let requestsBefore = 0;
  let isConnected = false;
  const shown = new Set<string>();
  discord.on("message", ({ message, ephemeralFor }) => {
    if (ephemeralFor !== undefined || message.author.id !== discord.botUserId) return;
    if (firstOrder === Number.POSITIVE_INFINITY) {
      firstOrder = store.orders.length;
      changed();
    }
    for (const [id] of textOf(message).matchAll(shortIds)) shown.add(id);
  });
  return {
    isConnected() {
      isConnected ||= store.requests.slice(requestsBefore).some(({ status }) => status === 200);
      return isConnected;
    },
    /** The bot's first post is that of its set-up. */
    isSetUp: () => firstOrder < Number.POSITIVE_INFINITY,
    /** Pending orders, placed since the bot was set up, that are in no channel yet. */
    owed: () =>
      store.orders.slice(firstOrder).filter(({ id, status }) => status === "PENDING" && !shown.has(id.slice(0, 8)))
        .length,
    startOver() {
      firstOrder = Number.POSITIVE_INFINITY;
      requestsBefore = store.requests.length;
      isConnected = false;
    },
  };
}

/** Longer than people would wait, because the machine may also draw a page and run tests. */
const patienceMs = 30_000;

/** Acts in the current language. */
function createOwner(discord: PretendDiscord, store: PretendStore, guild: GuildModel, language: () => DemoLanguage) {
  const owner = guild.person("owner");
  const locale = () => inLanguage[language()].locale;
  const ask = (channel: string, subcommand: string, options: Record<string, string> = {}): Interaction => {
    const place = { guildId: guild.id, channelId: guild.channel(channel), locale: locale() };
    return discord.command(owner, { ...place, name: "store", subcommand, options });
  };
  const press = (message: ApiMessage, id: string, values?: string[]) =>
    discord.press(owner, message, id, { locale: locale(), ...(values ? { values } : {}) }).settled();
  return {
    /** Types `/store connect` in #staff, gives the store's token, chooses #new-orders and presses **Send a sample**. */
    async setUp(): Promise<void> {
      const opener = ask("staff", "connect");
      await opener.answer(patienceMs);
      const menus = await discord.submit(owner, opener, { token: store.token }).settled();
      const chosen = await press(menus, channelMenuOf(menus), [guild.channel("new-orders")]);
      await press(chosen, buttonOf(chosen, "store:sample"));
    },
    async settle(): Promise<void> {
      const { currency } = inLanguage[language()];
      await ask("backstage", "settings", { language: language(), currency }).settled();
    },
    async disconnect(): Promise<void> {
      const question = await ask("backstage", "disconnect").settled();
      await press(question, buttonOf(question, "store:disconnect"));
    },
  };
}

/** Does not start the bot. `aheadMs`: by how much all clocks are ahead. `pollIntervalMs`: whole seconds. */
export async function startDemo({ aheadMs = 0, pollIntervalMs = 2_000 } = {}) {
  const now = () => Date.now() + aheadMs;
  const [discord, store, directory] = await Promise.all([
    startDiscord({ botName: "Shopbell", now }),
    startStore({ now }),
    mkdtemp(join(tmpdir(), "shopbell-demo-")),
  ]);
  const guild = furnish(discord, store, now());
  const changes = new EventEmitter();
  const changed = () => void changes.emit("change");

  const bot = createProcess(discord, store, { directory, aheadMs, pollIntervalMs }, changed);
  const watch = watchBot(discord, store, changed);

  let language: DemoLanguage = "en";
  /** The language of the bot's settings. */
  let spoken: DemoLanguage | undefined;
  const owner = createOwner(discord, store, guild, () => language);
  async function settle() {
    const next = language;
    await owner.settle();
    spoken = next;
  }
  async function startOver() {
    await owner.disconnect();
    discord.forget(now());
    watch.startOver();
    changes.emit("start-over");
    changed();
    await settle();
  }
  async function catchUp() {
    if (bot.state() !== "running" || spoken === language) return;
    if (spoken === undefined) return settle();
    const wasSetUp = watch.isSetUp();
    await startOver();
    if (wasSetUp) await owner.setUp();
  }
  // Two pages can ask at the same time.
  const turns = new Mutex();

  return {
    discord,
    store,
    guild,
    pollIntervalMs,
    ...watch,
    botState: bot.state,
    /** Resolves once the bot is connected. Does nothing while it runs. */
    async startBot() {
      await bot.start();
      await turns.run(catchUp);
    },
    /** SIGKILL, as in a crash. */
    killBot: bot.kill,
    /** Resolves once the sample was posted. */
    setUp: () => turns.run(owner.setUp),
    /**
     * Disconnects the store as `/store disconnect` does, and empties the channels. Throws if the bot does not run.
     */
    async startOver() {
      if (bot.state() !== "running") throw new Error("bot-not-running");
      await turns.run(startOver);
    },
    /** Resolves once no start-over is under way. A start-over deletes answers that are given during it. */
    settled: () => turns.idle(),
    language: () => language,
    /**
     * Starts over, because the messages in the channels are in the former language. A demo that was set up is set up again.
     * If the bot does not run, this happens after its next start.
     */
    speak(next: DemoLanguage) {
      language = next;
      return turns.run(catchUp);
    },
    /** The page does not show this channel. The owner runs commands there for the buttons of the page. */
    backstage: guild.channel("backstage"),
    /** `listener` is called after the bot's state changed. */
    onChange: (listener: () => void) => void changes.on("change", listener),
    /** Called after {@link startOver} emptied the channels. */
    onStartOver: (listener: () => void) => void changes.on("start-over", listener),
    async close() {
      await bot.close();
      await Promise.all([discord.close(), store.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
