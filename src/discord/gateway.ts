import {
  type APIInteraction,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  type GatewayGuildCreateDispatchData,
  GatewayIntentBits,
} from "@discordjs/core";
import type { REST } from "@discordjs/rest";
import { type SessionInfo, WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { withDeadline } from "../basics/deadline.ts";
import type { Log } from "../basics/log.ts";
import { type Metrics, noMetrics } from "../basics/metrics.ts";
import type { Vitals } from "../basics/vitals.ts";
import type { SeenGuild } from "./greeter.ts";
import { DiscordRefusedError, retryUnlessRefused } from "./retry-unless-refused.ts";
import { createShardSigns } from "./shard-signs.ts";
import { createSharding } from "./sharding.ts";

/** What the rest of the bot hears from Discord. Handlers must not reject. */
export interface GatewayHandlers {
  /** All shards are up: the servers that the bot is in. Called again after a shard had to start a new session. */
  onReady(guildIds: ReadonlySet<string>): void;
  onInteraction(interaction: APIInteraction): void;
  /** A server came into reach: after a connection, after an outage, or because it invited the bot just now (`isNew`). */
  onGuild(guild: SeenGuild, isNew: boolean): void;
  /** The bot was removed from the server, or the server was deleted; never called for an outage. */
  onGuildRemoved(guildId: string): void;
  /** Channels, roles or permissions of the server changed. */
  onGuildChanged(guildId: string): void;
  /** The server's integration settings, which say who may use which command, changed. */
  onAccessChanged(guildId: string): void;
  /** Discord ended a connection that stood, for good: the token was reset, say. */
  onRefused(error: DiscordRefusedError): void;
}

/** The connection over which Discord tells what happens. */
export interface Gateway {
  /** Resolves once connected; throws `DiscordRefusedError`. Tries everything else again until `signal` aborts. */
  connect(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
  readonly vitals: Vitals;
}

/** Discord closed the connection for good: wrong token, wrong intents, wrong shards (close codes 4004, 4010 to 4014). */
const fatalCloseCodes: ReadonlySet<number> = new Set([4004, 4010, 4011, 4012, 4013, 4014]);
const closeDeadlineMs = 2_000;

const seen = (guild: GatewayGuildCreateDispatchData): SeenGuild => ({
  id: guild.id,
  name: guild.name,
  locale: guild.preferred_locale,
  ownerId: guild.owner_id,
  systemChannelId: guild.system_channel_id ?? undefined,
  joinedAt: Date.parse(guild.joined_at),
});

/** @param known ids of the servers of that shard */
function hear(payload: GatewayDispatchPayload, known: Set<string> | undefined, handlers: GatewayHandlers): void {
  switch (payload.t) {
    case GatewayDispatchEvents.InteractionCreate:
      handlers.onInteraction(payload.d);
      break;
    case GatewayDispatchEvents.GuildCreate: {
      const isNew = known?.has(payload.d.id) === false;
      known?.add(payload.d.id);
      handlers.onGuildChanged(payload.d.id);
      handlers.onGuild(seen(payload.d), isNew);
      break;
    }
    case GatewayDispatchEvents.GuildDelete:
      if (payload.d.unavailable) break;
      known?.delete(payload.d.id);
      handlers.onGuildRemoved(payload.d.id);
      break;
    case GatewayDispatchEvents.ApplicationCommandPermissionsUpdate:
      handlers.onAccessChanged(payload.d.guild_id);
      break;
    case GatewayDispatchEvents.GuildUpdate:
      handlers.onGuildChanged(payload.d.id);
      break;
    case GatewayDispatchEvents.ChannelCreate:
    case GatewayDispatchEvents.ChannelUpdate:
    case GatewayDispatchEvents.GuildRoleCreate:
    case GatewayDispatchEvents.GuildRoleUpdate:
      handlers.onGuildChanged(payload.d.guild_id);
  }
}

/**
 * The gateway connection: interactions, joins, leaves; nothing is cached but the ids of the servers.
 * Uses discord.js's gateway package without its `Client`, which keeps every channel and role (docs/adr/0001).
 */
export function createGateway(deps: {
  rest: REST;
  token: string;
  handlers: GatewayHandlers;
  log: Log;
  metrics?: Metrics;
}): Gateway {
  const { handlers, log, metrics = noMetrics } = deps;
  const guildsOfShard = new Map<number, Set<string>>();
  let refuse = handlers.onRefused;
  const failed = (error: unknown, shard: number) => log.warn({ err: error, shard }, "connection to Discord failed");

  // The package's own store of sessions is shared by the whole process.
  const sessions = new Map<number, SessionInfo>();
  const manager = new WebSocketManager({
    token: deps.token,
    rest: deps.rest,
    intents: GatewayIntentBits.Guilds,
    buildStrategy: createSharding(failed),
    retrieveSessionInfo: (shardId) => sessions.get(shardId) ?? null,
    updateSessionInfo(shardId, session) {
      if (session) sessions.set(shardId, session);
      else sessions.delete(shardId);
    },
  });
  const vitals = createShardSigns(manager, metrics);

  manager.on(WebSocketShardEvents.Ready, (data, shardId) => {
    guildsOfShard.set(shardId, new Set(data.guilds.map(({ id }) => id)));
    const shardCount = data.shard?.[1] ?? 1;
    log.info({ shard: shardId, guilds: data.guilds.length }, "connected to Discord");
    if (guildsOfShard.size < shardCount) return;
    handlers.onReady(new Set([...guildsOfShard.values()].flatMap((ids) => [...ids])));
  });
  manager.on(WebSocketShardEvents.Resumed, (shardId) => log.info({ shard: shardId }, "connection to Discord resumed"));
  manager.on(WebSocketShardEvents.Closed, (code, shardId) => {
    log.warn({ shard: shardId, code }, "connection to Discord closed");
    if (fatalCloseCodes.has(code)) refuse(new DiscordRefusedError(`close code ${code}`));
  });
  for (const event of [WebSocketShardEvents.Error, WebSocketShardEvents.SocketError] as const) {
    manager.on(event, failed);
  }
  manager.on(WebSocketShardEvents.Dispatch, (payload, shardId) => hear(payload, guildsOfShard.get(shardId), handlers));

  async function connectOnce(): Promise<void> {
    const refusal = new Promise<never>((_, reject) => {
      refuse = reject;
    });
    await Promise.race([manager.connect(), refusal]);
    refuse = handlers.onRefused;
  }

  return {
    connect: (signal) => retryUnlessRefused(connectOnce, { signal, log }),
    async close() {
      // A peer that never answers the closing handshake must not hold up the end of the process.
      await withDeadline(manager.destroy(), closeDeadlineMs, undefined);
    },
    vitals,
  };
}
