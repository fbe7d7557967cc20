import { EventEmitter } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PermissionFlagsBits } from "@discordjs/core";
import { type GuildModel, type PretendDiscord, startDiscord, textOf } from "./discord/discord.ts";
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
  /** As an owner does it: `/store connect` with the store's token, then `/alerts set` in #new-orders. Returns the answers. */
  setUp(): Promise<string[]>;
  /** Pending orders placed since {@link setUp} that no channel shows yet. */
  owed(): number;
  /** Places an order now and then one every `everyMs`; 0 ends that. */
  arrive(everyMs: number): void;
  arrivesEveryMs(): number;
  /** Called after the bot's state or the arrivals changed. */
  onChange(listener: () => void): void;
  /** Ends everything and leaves nothing behind. */
  close(): Promise<void>;
}

const pollIntervalMs = 2_000;
const startDeadlineMs = 20_000;
const minuteMs = 60_000;

/** Statuses of what was sold before the demo began. */
const earlier = ["PAID", "PAID", "CANCELLED", "PAID", "PENDING", "PAID", "REFUNDED"];

/** An id in a message, in full or by its first eight characters. */
const shortIds = /\b[0-9a-f]{8}\b/g;

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
    people: [{ name: "owner" }, { name: "staff", roles: ["Staff", "Sales"] }, { name: "member" }],
  });
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
  discord.on("message", ({ message, ephemeralFor }) => {
    if (ephemeralFor !== undefined || message.author.id !== discord.botUserId) return;
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
  }

  const asOwner = (name: string, subcommand: string, options: Record<string, string> = {}) =>
    discord.command(guild.person("owner"), {
      guildId: guild.id,
      channelId: guild.channel("staff"),
      name,
      subcommand,
      options,
    });

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

    async setUp() {
      const opener = asOwner("store", "connect");
      await opener.answer();
      const connected = discord.submit(guild.person("owner"), opener, { token: store.token });
      const first = textOf(await connected.settled());
      const second = textOf(await asOwner("alerts", "set", { channel: guild.channel("new-orders") }).settled());
      firstRinging = store.orders.length;
      return [first, second];
    },

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
