import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PermissionFlagsBits } from "@discordjs/core";
import { type Component, flat, TYPE } from "../sandbox/discord/components.ts";
import {
  type ApiMessage,
  type GuildModel,
  type Interaction,
  type PretendDiscord,
  startDiscord,
  textOf,
} from "../sandbox/discord/discord.ts";
import { type Bot, connected, launchBot } from "../sandbox/launch-bot.ts";
import { type PretendStore, startStore } from "../sandbox/store/start-store.ts";
import { createBotClock } from "../support/bot-clock.ts";
import { startCommand } from "../support/start-command.ts";

/** `starting` until the bot is connected to the gateway; `ended` after a kill, or when it ended by itself. */
export type BotState = "starting" | "running" | "ended";

/** One pretend server and one pretend store, with the real bot between them. */
export interface Demo {
  readonly discord: PretendDiscord;
  readonly store: PretendStore;
  readonly guild: GuildModel;
  readonly pollIntervalMs: number;
  botState(): BotState;
  /** What the bot printed since its last start. */
  botOutput(): string;
  /** Starts the bot, as `npm start` does; resolves once it is connected. Does nothing while it runs. */
  startBot(): Promise<void>;
  /** SIGKILL, as a crash would. */
  killBot(): Promise<void>;
  /** As an owner does it: `/store connect` in #staff with the store's token. Returns the answer. */
  connect(): Promise<ApiMessage>;
  /** {@link connect}, #new-orders chosen in the menu of the answer, and **Send a sample**. Returns the last answer. */
  setUp(): Promise<string>;
  /** As after `/store disconnect`: the bot knows nothing of the store. Throws where the bot does not run. */
  startOver(): Promise<void>;
  /** Whether the store took the bot's token since the beginning, or since {@link startOver}. */
  isConnected(): boolean;
  /** Whether the bot posted in a channel since then: it does so once it is set up. */
  isSetUp(): boolean;
  /** The language that channels are spoken to in. */
  language(): DemoLanguage;
  /** Changes it, as `/store settings` does; where the bot does not run, once it does. */
  speak(language: DemoLanguage): Promise<void>;
  /** Somebody whom the page does not show: does what its reader asks for in no channel. */
  readonly stagehand: string;
  /** Pending orders placed since the bot is set up that no channel shows yet. */
  owed(): number;
  /** Places an order now and then one every `everyMs`; 0 ends that. */
  arrive(everyMs: number): void;
  arrivesEveryMs(): number;
  /** Called after the bot's state or the arrivals changed. */
  onChange(listener: () => void): void;
  /** Ends everything and leaves nothing behind. */
  close(): Promise<void>;
}

export const demoLanguages = ["en", "pt-BR", "es"] as const;
export type DemoLanguage = (typeof demoLanguages)[number];

const pollIntervalMs = 2_000;
const minuteMs = 60_000;

/** Statuses of what was sold before the demo began. */
const earlier = ["PAID", "PAID", "CANCELLED", "PAID", "PENDING", "PAID", "REFUNDED"];

/** An id in a message, in full or by its first eight characters. */
const shortIds = /\b[0-9a-f]{8}\b/g;

/** The custom id of the menu that channels are chosen in. */
function channelMenuOf(message: ApiMessage): string {
  const menus = flat(message.components as unknown as readonly Component[]);
  const id = menus.find(({ type }) => type === TYPE.channelSelect)?.custom_id;
  if (id === undefined) throw new Error(`the answer to the token has no menu of channels: ${textOf(message)}`);
  return id;
}

type Ask = (by: string, name: string, subcommand: string, options?: Record<string, string>) => Interaction;

/** One server with its people, and a store with some products and some orders from earlier. */
function furnish(discord: PretendDiscord, store: PretendStore, from: number): GuildModel {
  store.seedProducts(9);
  store.placeOrders(26, (index) => ({
    status: earlier[index % earlier.length] ?? "PAID",
    createdAt: new Date(from - (26 - index) * 37 * minuteMs).toISOString(),
  }));
  return discord.addGuild({
    name: "Pixel Keys",
    channels: ["new-orders", "staff", "wins"],
    roles: [{ name: "Staff", permissions: PermissionFlagsBits.ManageGuild }, { name: "Sales" }],
    people: [
      { name: "owner" },
      { name: "staff", roles: ["Staff", "Sales"] },
      { name: "member" },
      { name: "stagehand", roles: ["Staff"] },
    ],
  });
}

/** The bot's process, which may be killed and started again. */
function createProcess(
  { discord, store }: Pick<Demo, "discord" | "store">,
  { directory, aheadMs }: { readonly directory: string; readonly aheadMs: number },
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
    output: () => bot?.output() ?? "",
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
    /** Ends it for good. */
    async close(): Promise<void> {
      closing = true;
      await bot?.stop();
    },
  };
}

/** What the bot announced in channels: from its first message there on it is set up, and each pending order owed. */
function createAnnouncements(discord: PretendDiscord, store: PretendStore, changed: () => void) {
  let firstRinging = Number.POSITIVE_INFINITY;
  const rung = new Set<string>();
  const isSetUp = () => firstRinging < Number.POSITIVE_INFINITY;
  discord.on("message", ({ message, ephemeralFor }) => {
    if (ephemeralFor !== undefined || message.author.id !== discord.botUserId) return;
    if (!isSetUp()) {
      firstRinging = store.orders.length;
      changed();
    }
    for (const [id] of textOf(message).matchAll(shortIds)) rung.add(id);
  });
  return {
    isSetUp,
    owed: () =>
      store.orders.slice(firstRinging).filter(({ id, status }) => status === "PENDING" && !rung.has(id.slice(0, 8)))
        .length,
    startOver() {
      firstRinging = Number.POSITIVE_INFINITY;
    },
  };
}

/** Whether the store took the bot's token since the beginning, or since `startOver`. */
function createConnection(store: PretendStore) {
  let requestsBefore = 0;
  let isConnected = false;
  return {
    isConnected() {
      isConnected ||= store.requests.slice(requestsBefore).some(({ status }) => status === 200);
      return isConnected;
    },
    startOver() {
      requestsBefore = store.requests.length;
      isConnected = false;
    },
  };
}

/** Orders that come by themselves. */
function createArrivals(store: PretendStore, changed: () => void) {
  let everyMs = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    everyMs: () => everyMs,
    arrive(next: number) {
      clearInterval(timer);
      everyMs = next;
      if (everyMs > 0) {
        store.placeOrder();
        timer = setInterval(() => store.placeOrder(), everyMs);
      }
      changed();
    },
    close: () => clearInterval(timer),
  };
}

/** The language that the bot is asked to speak, where it runs at once, otherwise once it does. */
function createSpeech(isRunning: () => boolean, ask: (language: DemoLanguage) => Interaction) {
  let language: DemoLanguage = "en";
  let isToSpeak = false;
  let speaking = Promise.resolve();
  /** One after the other: the last one asked for is the one that stays. */
  function speakNow(): Promise<void> {
    isToSpeak = !isRunning();
    if (isToSpeak) return speaking;
    speaking = speaking
      .then(() => ask(language).settled())
      .then(
        () => undefined,
        () => {
          // Killed, or cut off from Discord; it is asked again when it starts.
          isToSpeak = true;
        },
      );
    return speaking;
  }
  return {
    language: () => language,
    speakNow,
    catchUp: async () => (isToSpeak ? speakNow() : undefined),
    speak(next: DemoLanguage) {
      language = next;
      return speakNow();
    },
  };
}

/** What the server's owner does to set the bot up. */
function createOwner(discord: PretendDiscord, store: PretendStore, guild: GuildModel, ask: Ask) {
  const owner = guild.person("owner");
  async function connect(): Promise<ApiMessage> {
    const opener = ask(owner, "store", "connect");
    await opener.answer();
    return discord.submit(owner, opener, { token: store.token }).settled();
  }
  return {
    connect,
    async setUp(): Promise<string> {
      const menus = await connect();
      const values = [guild.channel("new-orders")];
      const chosen = await discord.press(owner, menus, channelMenuOf(menus), { values }).settled();
      return textOf(await discord.press(owner, chosen, "Send a sample").settled());
    },
  };
}

/**
 * Starts the pretend services, with some products and some orders from earlier; the bot is not started yet.
 *
 * @param aheadMs how far their clocks and the bot's are ahead of the real one
 */
export async function startDemo(aheadMs = 0): Promise<Demo> {
  const now = () => Date.now() + aheadMs;
  const [discord, store, directory] = await Promise.all([
    startDiscord({ botName: "Shopbell", now }),
    startStore({ now }),
    mkdtemp(join(tmpdir(), "shopbell-demo-")),
  ]);
  const guild = furnish(discord, store, now());
  const stagehand = guild.person("stagehand");
  const changes = new EventEmitter();
  const changed = () => void changes.emit("change");
  const ask: Ask = (by, name, subcommand, options = {}) =>
    discord.command(by, { guildId: guild.id, channelId: guild.channel("staff"), name, subcommand, options });

  const bot = createProcess({ discord, store }, { directory, aheadMs }, changed);
  const announcements = createAnnouncements(discord, store, changed);
  const connection = createConnection(store);
  const arrivals = createArrivals(store, changed);
  const isRunning = () => bot.state() === "running";
  const speech = createSpeech(isRunning, (language) => ask(stagehand, "store", "settings", { language }));

  return {
    ...createOwner(discord, store, guild, ask),
    discord,
    store,
    guild,
    pollIntervalMs,
    botState: bot.state,
    botOutput: bot.output,
    async startBot() {
      await bot.start();
      await speech.catchUp();
    },
    killBot: bot.kill,
    async startOver() {
      if (!isRunning()) throw new Error("bot-not-running");
      const question = await ask(stagehand, "store", "disconnect").settled();
      await discord.press(stagehand, question, "Confirm").settled();
      announcements.startOver();
      connection.startOver();
      changed();
      await speech.speakNow();
    },
    isConnected: connection.isConnected,
    isSetUp: announcements.isSetUp,
    language: speech.language,
    speak: speech.speak,
    stagehand,
    owed: announcements.owed,
    arrive: arrivals.arrive,
    arrivesEveryMs: arrivals.everyMs,
    onChange: (listener) => void changes.on("change", listener),
    async close() {
      arrivals.close();
      await bot.close();
      await Promise.all([discord.close(), store.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
