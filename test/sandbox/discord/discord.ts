import { randomBytes } from "node:crypto";
import { listen, stop } from "../listen.ts";
import { createApi } from "./api.ts";
import { createFaults } from "./faults.ts";
import { createGateway } from "./gateway.ts";
import { createHttpServer } from "./http-server.ts";
import { createMessage } from "./messages.ts";
import type { ApiMessage, Attachment } from "./model.ts";
import { snowflakeAt } from "./snowflake.ts";
import type { World } from "./world.ts";

export type { Interaction, OfferedChoice, OpenedModal } from "./interactions.ts";
export type { ApiMessage, Attachment, GuildModel, GuildSpec } from "./model.ts";
export { buttonsOf, customIdsOf, textOf } from "./read-message.ts";

/** A simulated Discord on loopback: version 10 of the API over HTTP, and its gateway. It refuses what Discord refuses. */
export type PretendDiscord = Awaited<ReturnType<typeof startDiscord>>;

export interface PretendDiscordOptions {
  /** The bot's application id. The default is always the same, so a bot that is started again finds its own messages. */
  readonly applicationId?: string;
  readonly botName?: string;
  readonly now?: () => number;
  /** What `GET /gateway/bot` recommends; default 1. */
  readonly shards?: number;
  /** `max_concurrency` of `GET /gateway/bot`; default 1. */
  readonly maxConcurrency?: number;
  /** Shortest time between two identifies of one bucket; default 5,000 ms, as at Discord. */
  readonly identifyEveryMs?: number;
}

function tokenFor(botUserId: string): string {
  const [time, proof] = [randomBytes(4), randomBytes(28)].map((bytes) => bytes.toString("base64url"));
  return [Buffer.from(botUserId).toString("base64url"), time, proof].join(".");
}

function conversation(world: World) {
  const everybodySees = (channelId: string): ApiMessage[] =>
    world.publicMessages(channelId).map(({ message }) => message);
  return {
    /** What everybody sees in a channel, oldest first, after edits. */
    messages: everybodySees,
    /** As `messages`, with those that only this person sees. */
    messagesFor: (userId: string, channelId: string): ApiMessage[] =>
      (world.messages.get(channelId) ?? [])
        .filter(({ ephemeralFor = userId }) => ephemeralFor === userId)
        .map(({ message }) => message),
    dms: (userId: string) => everybodySees(world.directChannel(userId).id),
    say(by: string, channelId: string, content: string): ApiMessage {
      const author = world.users.get(by);
      if (author === undefined) throw new Error(`there is no person ${by}`);
      return createMessage(world, { channelId, body: { content }, files: [], author, parsedByDefault: [] }).message;
    },
    /** Adds a message of an earlier simulated Discord, with its id. `ephemeralFor`: the only person who sees it. */
    restoreMessage(message: ApiMessage, ephemeralFor?: string): void {
      const { guildId } = world.channelOf(message.channel_id);
      world.keep({ message, channelId: message.channel_id, guildId, ephemeralFor });
    },
  };
}

/** Starts on 127.0.0.1, without servers. */
export async function startDiscord(options: PretendDiscordOptions = {}) {
  const { botName = "Pretend bot", now = Date.now } = options;
  const { shards = 1, maxConcurrency = 1, identifyEveryMs = 5_000 } = options;
  const { applicationId = snowflakeAt(Date.UTC(2025, 0, 1)) } = options;
  const token = tokenFor(applicationId);
  let origin = "127.0.0.1:0";
  const url = () => `ws://${origin}`;
  // Docs: Gateway, "Session Start Limit Object". The day's count is not simulated.
  const starts = { total: 1_000, remaining: 1_000, reset_after: 86_400_000, max_concurrency: maxConcurrency };
  const gatewayBot = () => ({ url: url(), shards, session_start_limit: starts });
  const api = createApi({ now, applicationId, botName, token, filesUrl: () => `http://${origin}`, gatewayBot });
  const { bus, world, commands, interactions, evidence, people, routes } = api;
  const faults = createFaults();
  const server = createHttpServer({ now, bus, world, faults, evidence, routes });
  const record = (frame: unknown) => void evidence.frames.push(frame);
  const gateway = createGateway({ server, url, now, bus, world, token, maxConcurrency, identifyEveryMs, record });
  origin = await listen(server);

  const { addGuild, removeGuild, returnGuild, setGuildUnavailable, setBotPermissions } = world;
  return {
    ...{ addGuild, removeGuild, returnGuild, setGuildUnavailable, setBotPermissions },
    ...people,
    ...evidence,
    ...conversation(world),
    upload(name: string, given: Uint8Array, contentType: string): Attachment {
      const bytes = Buffer.from(given);
      evidence.uploads.push({ name, bytes });
      return world.storeFile(world.bot.id, name, bytes, contentType);
    },
    /** Base of the API, such as `http://127.0.0.1:4000/api`. */
    apiUrl: `http://${origin}/api`,
    token,
    applicationId,
    botUserId: world.bot.id,
    async close(): Promise<void> {
      gateway.close();
      await stop(server);
    },
    guild: world.guildOf,
    deleteChannel: (id: string) => world.setChannelDeleted(id, true),
    /** Brings a deleted channel back, with its messages. */
    restoreChannel: (id: string) => world.setChannelDeleted(id, false),
    commands: commands.list,
    setCommandPermissions: commands.setOverrides,
    /** Returns a function that removes the fault. */
    fail: faults.add,
    gateway: gateway.control,
    /**
     * For programs that run for hours. Forgets requests, messages and interactions before `before` (epoch ms), and all frames.
     */
    forget(before: number): void {
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
