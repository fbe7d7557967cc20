import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createApi } from "./api.ts";
import type { CommandOverride } from "./commands.ts";
import { createFaults } from "./faults.ts";
import { createGateway } from "./gateway.ts";
import { createHttpServer } from "./http-server.ts";
import { createIdentifyLimits } from "./identify-limits.ts";
import { createMessage } from "./messages.ts";
import type {
  ApiMessage,
  ApplicationCommand,
  Attachment,
  DiscordBus,
  Evidence,
  FaultRule,
  GuildModel,
  LatencyRule,
} from "./model.ts";
import type { People } from "./people.ts";
import { snowflakeAt } from "./snowflake.ts";
import type { World } from "./world.ts";

export type { Interaction, OfferedChoice, OpenedModal } from "./interactions.ts";
export type {
  ApiMessage,
  ApplicationCommand,
  Attachment,
  FaultRule,
  GuildModel,
  GuildSpec,
} from "./model.ts";
export { buttonsOf, customIdsOf, textOf } from "./read-message.ts";

/** A simulated Discord on loopback: version 10 of the API over HTTP, and its gateway. It refuses what Discord refuses. */
export interface PretendDiscord
  extends People,
    Evidence,
    Pick<
      World,
      "addGuild" | "removeGuild" | "returnGuild" | "setGuildUnavailable" | "addChannel" | "setBotPermissions"
    >,
    Pick<DiscordBus, "on" | "waitFor"> {
  /** Base of the API for a REST client, like `http://127.0.0.1:4000/api`. */
  readonly apiUrl: string;
  readonly token: string;
  readonly applicationId: string;
  readonly botUserId: string;
  close(): Promise<void>;

  guild(id: string): GuildModel;
  deleteChannel(id: string): void;
  /** Brings a deleted channel back, with its messages. */
  restoreChannel(id: string): void;
  /** Refuses direct messages of the bot to this person while on. */
  block(userId: string, on?: boolean): void;

  /** The messages of a channel that everybody sees, oldest first, after their edits. */
  messages(channelId: string): ApiMessage[];
  /** The same, with the messages that only this person sees. */
  messagesFor(userId: string, channelId: string): ApiMessage[];
  dms(userId: string): ApiMessage[];
  /** A person writes into a channel. */
  say(by: string, channelId: string, content: string): ApiMessage;
  /** Adds a message of an earlier simulated Discord, with its id. `userId`: the only person who sees it. */
  restoreMessage(message: ApiMessage, userId?: string): void;
  upload(name: string, bytes: Uint8Array, contentType: string): Attachment;
  /** Replaces the content of an uploaded file, or deletes it. */
  replaceUpload(file: Attachment, bytes: Uint8Array | undefined): void;

  commands(guildId?: string): ApplicationCommand[];
  setCommandPermissions(guildId: string, commandId: string, overrides: readonly CommandOverride[]): void;

  /** Adds a fault. Returns a function that removes it. */
  fail(rule: FaultRule): () => void;
  /** Adds latency; 50 to 100 ms are realistic. Several rules add up. Returns a function that removes it. */
  slow(rule: LatencyRule): () => void;
  readonly gateway: ReturnType<typeof createGateway>["control"];
  /**
   * Forgets requests, messages and interactions from before `before` (epoch ms), and every frame, for programs that run
   * for hours.
   */
  forget(before: number): void;
}

export interface PretendDiscordOptions {
  /** Of the bot; the default is always the same, so a bot that is started again finds its own messages. */
  readonly applicationId?: string;
  /** The bot's name; default `Pretend bot`. */
  readonly botName?: string;
  readonly now?: () => number;
  /** What `GET /gateway/bot` recommends; default 1. */
  readonly shards?: number;
  /** `max_concurrency` of `GET /gateway/bot`; default 1. */
  readonly maxConcurrency?: number;
  /** Shortest time between two identifies of one bucket; default 5,000 ms, as at Discord. */
  readonly identifyEveryMs?: number;
}

/** A random token in the form of a bot's token. */
function tokenFor(botUserId: string): string {
  const [time, proof] = [randomBytes(4), randomBytes(28)].map((bytes) => bytes.toString("base64url"));
  return [Buffer.from(botUserId).toString("base64url"), time, proof].join(".");
}

/** Resolves to the host and port. */
async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** The messages in channels, for people to read and write. */
function conversation(world: World) {
  return {
    messages: (channelId: string) => world.publicMessages(channelId).map(({ message }) => message),
    messagesFor: (userId: string, channelId: string) =>
      (world.messages.get(channelId) ?? [])
        .filter(({ ephemeralFor = userId }) => ephemeralFor === userId)
        .map(({ message }) => message),
    dms: (userId: string) => world.publicMessages(world.directChannel(userId).id).map(({ message }) => message),
    say(by: string, channelId: string, content: string) {
      const author = world.users.get(by);
      if (author === undefined) throw new Error(`there is no person ${by}`);
      return createMessage(world, { channelId, body: { content }, files: [], author, parsedByDefault: [] }).message;
    },
    restoreMessage(message: ApiMessage, ephemeralFor?: string) {
      const { guildId } = world.channelOf(message.channel_id);
      world.keep({ message, channelId: message.channel_id, guildId, ephemeralFor });
    },
  };
}

/** The files that people upload. */
function uploads(world: World, evidence: Evidence) {
  return {
    upload(name: string, given: Uint8Array, contentType: string) {
      const bytes = Buffer.from(given);
      evidence.uploads.push({ name, bytes });
      return world.storeFile(world.bot.id, name, bytes, contentType);
    },
    replaceUpload({ url, content_type: contentType = "" }: Attachment, given: Uint8Array | undefined) {
      const { pathname } = new URL(url);
      if (given === undefined) world.files.delete(pathname);
      else world.files.set(pathname, { bytes: Buffer.from(given), contentType });
    },
  };
}

/** Starts a simulated Discord on 127.0.0.1, without servers. */
export async function startDiscord(options: PretendDiscordOptions = {}): Promise<PretendDiscord> {
  const { botName = "Pretend bot", now = Date.now } = options;
  const { shards = 1, maxConcurrency = 1, identifyEveryMs = 5_000 } = options;
  const { applicationId = snowflakeAt(Date.UTC(2025, 0, 1)) } = options;
  const token = tokenFor(applicationId);
  let origin = "127.0.0.1:0";
  const url = () => `ws://${origin}`;
  const limits = createIdentifyLimits({ maxConcurrency, identifyEveryMs });
  const gatewayBot = () => ({ url: url(), shards, session_start_limit: limits.startLimit() });
  const api = createApi({ now, applicationId, botName, token, filesUrl: () => `http://${origin}`, gatewayBot });
  const { bus, world, commands, interactions, evidence, people, routes } = api;
  const faults = createFaults();
  const server = createHttpServer({ now, bus, world, faults, evidence, routes });
  const record = (frame: unknown) => void evidence.frames.push(frame);
  const gateway = createGateway({ server, url, now, bus, world, token, limits, record });
  origin = await listen(server);

  return {
    ...world,
    ...people,
    ...evidence,
    ...conversation(world),
    ...uploads(world, evidence),
    apiUrl: `http://${origin}/api`,
    token,
    applicationId,
    botUserId: world.bot.id,
    async close() {
      gateway.close();
      await stop(server);
    },
    guild: world.guildOf,
    deleteChannel: (id) => world.setChannelDeleted(id, true),
    restoreChannel: (id) => world.setChannelDeleted(id, false),
    block(userId, on = true) {
      if (on) world.blocked.add(userId);
      else world.blocked.delete(userId);
    },
    commands: commands.list,
    setCommandPermissions: commands.setOverrides,
    fail: faults.add,
    slow: faults.slow,
    gateway: gateway.control,
    forget(before) {
      const kept = evidence.requests.findIndex(({ at }) => at >= before);
      evidence.requests.splice(0, kept === -1 ? evidence.requests.length : kept);
      evidence.frames.length = 0;
      world.forgetMessages(before);
      interactions.forget(before);
    },
    on: bus.on,
    waitFor: bus.waitFor,
  };
}
