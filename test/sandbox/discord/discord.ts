import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createBus } from "./bus.ts";
import { channelRoutes } from "./channel-routes.ts";
import { type CommandOverride, createCommands } from "./commands.ts";
import { createFaults } from "./faults.ts";
import { createGateway, type GatewayControl } from "./gateway.ts";
import { guildRoutes } from "./guild-routes.ts";
import { createHttpServer } from "./http-server.ts";
import { interactionCallbackRoute } from "./interaction-callback-route.ts";
import { interactionWebhookRoutes } from "./interaction-webhook-routes.ts";
import { createInteractions } from "./interactions.ts";
import { messageRoutes } from "./message-routes.ts";
import { createMessage } from "./messages.ts";
import type {
  ApiMessage,
  ApplicationCommand,
  Attachment,
  Evidence,
  FaultRule,
  GuildModel,
  GuildSpec,
  LatencyRule,
  PretendEvents,
} from "./model.ts";
import { createPeople, type People } from "./people.ts";
import { createRateLimits } from "./rate-limits.ts";
import { snowflakeAt } from "./snowflake.ts";
import { createWorld, type World } from "./world.ts";

export type { Interaction } from "./interaction-handle.ts";
export type { OfferedChoice, OpenedModal } from "./interactions.ts";
export type {
  ApiMessage,
  ApplicationCommand,
  Attachment,
  FaultRule,
  GuildModel,
  GuildSpec,
} from "./model.ts";
export { buttonsOf, customIdsOf, textOf } from "./read-message.ts";

/** A Discord of one's own: version 10 of the API over HTTP, and its gateway, on loopback. Strict where Discord is. */
export interface PretendDiscord extends People, Evidence {
  /** What a REST client takes as the address of the API, like `http://127.0.0.1:4000/api`. */
  readonly apiUrl: string;
  readonly token: string;
  readonly applicationId: string;
  readonly botUserId: string;
  close(): Promise<void>;

  addGuild(spec?: GuildSpec): GuildModel;
  guild(id: string): GuildModel;
  /** The bot is thrown out. */
  removeGuild(id: string): void;
  /** The bot is invited again. */
  returnGuild(id: string): void;
  /** An outage of the server, and (false) its end. */
  setGuildUnavailable(id: string, unavailable?: boolean): void;
  addChannel(guildId: string, name: string): string;
  deleteChannel(id: string): void;
  /** Takes a deletion back, messages and all. */
  restoreChannel(id: string): void;
  /** Replaces the bot's own overwrite in a channel. */
  setBotPermissions(channelId: string, overwrite: { allow?: bigint; deny?: bigint }): void;
  /** Direct messages of the bot to this person are refused while on. */
  block(userId: string, on?: boolean): void;

  /** What everybody in the channel sees, oldest first, edits applied. */
  messages(channelId: string): ApiMessage[];
  /** The same with what only this person sees. */
  messagesFor(userId: string, channelId: string): ApiMessage[];
  dms(userId: string): ApiMessage[];
  /** A person writes into a channel. */
  say(by: string, channelId: string, content: string): ApiMessage;
  /** Puts a message back that an earlier pretend Discord held, its id with it; `userId`: of the only person who sees it. */
  restoreMessage(message: ApiMessage, userId?: string): void;
  upload(name: string, bytes: Uint8Array, contentType: string): Attachment;
  /** Has other bytes stand where an uploaded file did, or nothing. */
  replaceUpload(file: Attachment, bytes: Uint8Array | undefined): void;

  commands(guildId?: string): ApplicationCommand[];
  setCommandPermissions(guildId: string, commandId: string, overrides: readonly CommandOverride[]): void;

  /** Switches a fault on; the returned function switches it off. */
  fail(rule: FaultRule): () => void;
  /**
   * Puts Discord at a distance: 50 to 100 ms are like the real one. Rules add up, and faults go on beside them; the
   * returned function takes the distance away.
   */
  slow(rule: LatencyRule): () => void;
  readonly gateway: GatewayControl;
  /**
   * Forgets what came before, in epoch ms, for runs of hours: requests, messages and interactions of that time, and every
   * frame. What people look at or press has to be newer.
   */
  forget(before: number): void;

  on<K extends keyof PretendEvents>(event: K, listener: (detail: PretendEvents[K]) => void): () => void;
  /**
   * The first value other than undefined that `find` gives, tried now and after everything that happens.
   * Rejects after `deadlineMs` (default 30,000) with a sentence that says what did not happen.
   */
  waitFor<T>(find: () => T | undefined, what: string, deadlineMs?: number): Promise<T>;
}

export interface PretendDiscordOptions {
  /** Default: any free one. */
  readonly port?: number;
  /** Default: a random one, shaped like Discord's. */
  readonly token?: string;
  /** Of the bot; default: the same every time, so that a bot that is started again finds itself. */
  readonly applicationId?: string;
  /** What the bot is called; default `Pretend bot`. */
  readonly botName?: string;
  readonly now?: () => number;
  /** What `GET /gateway/bot` recommends; default 1. */
  readonly shards?: number;
  /** Identifies at a time, as `GET /gateway/bot` says; default 1. */
  readonly maxConcurrency?: number;
  /** How far apart identifies of one bucket have to be; default 5,000, as Discord's. */
  readonly identifyEveryMs?: number;
}

/** A token of the right shape for a bot. Only its last two parts are secret, and nobody can guess them. */
function tokenFor(botUserId: string): string {
  const [time, proof] = [randomBytes(4), randomBytes(28)].map((bytes) => bytes.toString("base64url"));
  return [Buffer.from(botUserId).toString("base64url"), time, proof].join(".");
}

/** Resolves to the host and port that it listens on. */
async function listen(server: Server, port: number): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stop(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}

/** What stands in channels, for people to read and write. */
function conversation(
  world: World,
): Pick<PretendDiscord, "messages" | "messagesFor" | "dms" | "say" | "restoreMessage"> {
  return {
    messages: (channelId) => world.publicMessages(channelId).map(({ message }) => message),
    messagesFor: (userId, channelId) =>
      (world.messages.get(channelId) ?? [])
        .filter(({ deleted, ephemeralFor = userId }) => !deleted && ephemeralFor === userId)
        .map(({ message }) => message),
    dms: (userId) => world.publicMessages(world.directChannel(userId).id).map(({ message }) => message),
    say(by, channelId, content) {
      const author = world.users.get(by);
      if (author === undefined) throw new Error(`there is nobody called ${by}`);
      return createMessage(world, { channelId, body: { content }, files: [], author, parsedByDefault: [] }).message;
    },
    restoreMessage(message, ephemeralFor) {
      const { guildId } = world.channelOf(message.channel_id);
      world.keep({ message, channelId: message.channel_id, guildId, ephemeralFor, deleted: false });
    },
  };
}

/** Starts a pretend Discord on 127.0.0.1, without servers. */
export async function startDiscord(options: PretendDiscordOptions = {}): Promise<PretendDiscord> {
  const { port = 0, botName = "Pretend bot", now = Date.now } = options;
  const { shards = 1, maxConcurrency = 1, identifyEveryMs = 5_000 } = options;
  const { applicationId = snowflakeAt(Date.UTC(2025, 0, 1)) } = options;
  const token = options.token ?? tokenFor(applicationId);
  let origin = "127.0.0.1:0";
  const bus = createBus();
  const world = createWorld({ now, bus, applicationId, botName, filesUrl: () => `http://${origin}` });
  const commands = createCommands({ now, bus, world });
  const interactions = createInteractions({ now, bus, world });
  const people = createPeople({ bus, world, commands, interactions });
  const faults = createFaults();
  const evidence: Evidence = { requests: [], refusals: [], unknownKeys: [], frames: [], uploads: [] };
  const gatewayUrl = () => `ws://${origin}`;
  const routes = [
    ...guildRoutes(world, { url: gatewayUrl, shards, maxConcurrency, sessionStarts: () => gateway.sessionStarts() }),
    ...channelRoutes(world),
    ...messageRoutes(world, now),
    ...commands.routes,
    interactionCallbackRoute({ now, bus, world, interactions }),
    ...interactionWebhookRoutes({ now, bus, world, interactions }),
  ];
  const server = createHttpServer({ now, bus, world, token, limits: createRateLimits(now), faults, evidence, routes });
  const record = (frame: unknown) => void evidence.frames.push(frame);
  const pace = { maxConcurrency, identifyEveryMs };
  const gateway = createGateway({ server, url: gatewayUrl, now, bus, world, token, ...pace, record });
  origin = await listen(server, port);

  return {
    ...people,
    ...evidence,
    apiUrl: `http://${origin}/api`,
    token,
    applicationId,
    botUserId: world.bot.id,
    async close() {
      gateway.close();
      await stop(server);
    },

    addGuild: world.addGuild,
    guild: world.guildOf,
    removeGuild: world.removeGuild,
    returnGuild: world.returnGuild,
    setGuildUnavailable: (id, unavailable = true) => world.setGuildUnavailable(id, unavailable),
    addChannel: world.addChannel,
    deleteChannel: (id) => world.setChannelDeleted(id, true),
    restoreChannel: (id) => world.setChannelDeleted(id, false),
    setBotPermissions: world.setBotPermissions,
    block(userId, on = true) {
      if (on) world.blocked.add(userId);
      else world.blocked.delete(userId);
    },

    ...conversation(world),
    upload(name, given, contentType) {
      const bytes = Buffer.from(given);
      evidence.uploads.push({ name, bytes });
      return world.storeFile(applicationId, name, bytes, contentType);
    },
    replaceUpload({ url, content_type: contentType = "" }, given) {
      const { pathname } = new URL(url);
      if (given === undefined) world.files.delete(pathname);
      else world.files.set(pathname, { bytes: Buffer.from(given), contentType });
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
