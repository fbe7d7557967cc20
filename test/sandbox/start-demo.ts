import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PermissionFlagsBits } from "@discordjs/core";
import { type Component, flat, TYPE } from "./discord/components.ts";
import { type ApiMessage, type GuildModel, type PretendDiscord, startDiscord, textOf } from "./discord/discord.ts";
import { launchBot, type RunningBot } from "./launch-bot.ts";
import { type PretendStore, startStore } from "./store/start-store.ts";

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
const startDeadlineMs = 20_000;
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

/** Starts the pretend services, with some products and some orders from earlier; the bot is not started yet. */
export async function startDemo(): Promise<Demo> {
  const [discord, store, directory] = await Promise.all([
    startDiscord(),
    startStore(),
    mkdtemp(join(tmpdir(), "shopbell-demo-")),
  ]);
  const guild = discord.addGuild({
    name: "Pixel Keys",
    roles: [{ name: "Staff", permissions: PermissionFlagsBits.ManageGuild }, { name: "Sales" }],
    people: [
      { name: "owner" },
      { name: "staff", roles: ["Staff", "Sales"] },
      { name: "member" },
      { name: "stagehand", roles: ["Staff"] },
    ],
  });
  const stagehand = guild.person("stagehand");
  const owner = guild.person("owner");
  store.seedProducts(9);
  const from = Date.now();
  store.placeOrders(26, (index) => ({
    status: earlier[index % earlier.length] ?? "PAID",
    createdAt: new Date(from - (26 - index) * 37 * minuteMs).toISOString(),
  }));

  const changes = new EventEmitter();
  const changed = () => void changes.emit("change");
  let state: BotState = "ended";
  let bot: RunningBot | undefined;
  let closing = false;
  let firstRinging = Number.POSITIVE_INFINITY;
  let everyMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const rung = new Set<string>();
  const isSetUp = () => firstRinging < Number.POSITIVE_INFINITY;
  let requestsBefore = 0;
  let isConnected = false;
  let language: DemoLanguage = "en";
  let isToSpeak = false;
  let speaking = Promise.resolve();
  discord.on("message", ({ message, ephemeralFor }) => {
    if (ephemeralFor !== undefined || message.author.id !== discord.botUserId) return;
    if (!isSetUp()) {
      firstRinging = store.orders.length;
      changed();
    }
    for (const [id] of textOf(message).matchAll(shortIds)) rung.add(id);
  });

  const become = (next: BotState) => {
    state = next;
    changed();
  };

  async function startBot(): Promise<void> {
    if (state !== "ended" || closing) return;
    become("starting");
    const before = discord.gateway.connections();
    const started = launchBot(directory, {
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.apiUrl,
      STORE_API_URL: store.url,
      POLL_SCHEDULE: `*/${pollIntervalMs / 1_000} * * * * *`,
    });
    bot = started;
    const ended = started.exited.then((code) => {
      become("ended");
      throw new Error(`the bot ended (exit code ${code}):\n${started.output()}`);
    });
    ended.catch(() => undefined);
    const connected = discord.waitFor(
      () => (discord.gateway.connections() > before ? true : undefined),
      "the bot to connect",
      startDeadlineMs,
    );
    connected.catch(() => undefined);
    await Promise.race([connected, ended]);
    become("running");
    if (isToSpeak) await speakNow();
  }

  const asks = (by: string, name: string, subcommand: string, options: Record<string, string> = {}) =>
    discord.command(by, { guildId: guild.id, channelId: guild.channel("staff"), name, subcommand, options });

  async function connect(): Promise<ApiMessage> {
    const opener = asks(owner, "store", "connect");
    await opener.answer();
    return discord.submit(owner, opener, { token: store.token }).settled();
  }

  /** One after the other: the last one asked for is the one that stays. */
  function speakNow(): Promise<void> {
    isToSpeak = state !== "running";
    if (isToSpeak) return speaking;
    const settled = () => asks(stagehand, "store", "settings", { language }).settled();
    speaking = speaking.then(settled).then(
      () => undefined,
      () => {
        // Killed, or cut off from Discord; it is asked again when it starts.
        isToSpeak = true;
      },
    );
    return speaking;
  }

  return {
    discord,
    store,
    guild,
    pollIntervalMs,
    botState: () => state,
    botOutput: () => bot?.output() ?? "",
    startBot,
    async killBot() {
      await bot?.kill();
    },

    connect,
    async setUp() {
      const menus = await connect();
      const values = [guild.channel("new-orders")];
      const chosen = await discord.press(owner, menus, channelMenuOf(menus), { values }).settled();
      return textOf(await discord.press(owner, chosen, "Send a sample").settled());
    },

    async startOver() {
      if (state !== "running") throw new Error("bot-not-running");
      const question = await asks(stagehand, "store", "disconnect").settled();
      await discord.press(stagehand, question, "Confirm").settled();
      firstRinging = Number.POSITIVE_INFINITY;
      requestsBefore = store.requests.length;
      isConnected = false;
      changed();
      await speakNow();
    },
    isConnected() {
      isConnected ||= store.requests.slice(requestsBefore).some(({ status }) => status === 200);
      return isConnected;
    },
    isSetUp,

    language: () => language,
    speak(next) {
      language = next;
      return speakNow();
    },
    stagehand,

    owed: () =>
      store.orders.slice(firstRinging).filter(({ id, status }) => status === "PENDING" && !rung.has(id.slice(0, 8)))
        .length,

    arrive(next) {
      clearInterval(timer);
      everyMs = next;
      if (everyMs > 0) {
        store.placeOrder();
        timer = setInterval(() => store.placeOrder(), everyMs);
      }
      changed();
    },
    arrivesEveryMs: () => everyMs,
    onChange: (listener) => void changes.on("change", listener),

    async close() {
      closing = true;
      clearInterval(timer);
      await bot?.stop();
      await Promise.all([discord.close(), store.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}
