import {
  type APIInteraction,
  GatewayCloseCodes,
  GatewayDispatchEvents,
  type GatewayDispatchPayload,
  GatewayIntentBits,
} from "@discordjs/core";
import type { REST } from "@discordjs/rest";
import { CloseCodes, WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import type { Health } from "../../basics/health.ts";
import { withDeadline } from "../../basics/limits/deadline.ts";
import type { Log } from "../../basics/log.ts";
import type { Metrics } from "../../basics/metrics.ts";
import type { Storage } from "../../storage/table.ts";
import type { SeenGuild } from "../publishing/greeter.ts";
import { gatewayBotIn } from "./gateway-bot.ts";
import { createGatewaySessions } from "./gateway-sessions.ts";
import { GuardedSharding } from "./guarded-sharding.ts";
import { createIdentifyThrottle } from "./identify-throttle.ts";
import { DiscordRefusedError, failureFields, retryUnlessRefused, tokenRemedy } from "./retry-unless-refused.ts";
import { createShardHealth } from "./shard-health.ts";

/** The handlers must not throw. */
export interface GatewayHandlers {
  onInteraction(interaction: APIInteraction): void;
  /** A server became available: after a connection, after an outage, or because it has just invited the bot. */
  onGuild(guild: SeenGuild): void;
  /** The bot was removed from the server, or the server was deleted. Not called for an outage. */
  onGuildRemoved(guildId: string): void;
  /** The server became available, or its settings, a channel, a role or the bot's roles changed. Not for deleted channels. */
  onGuildChanged(guildId: string): void;
  /** The server's integration settings changed. */
  onAccessChanged(guildId: string): void;
  /** Discord ended an open connection for good, for example because the token was reset. */
  onRefused(error: DiscordRefusedError): void;
}

export interface Gateway {
  /** Throws `DiscordRefusedError`. After any other failure, tries again until `signal` aborts. */
  connect(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
  readonly health: Health;
}

const outdated = "this version of Shopbell is too old for it: install a newer one";
/** Close codes with which Discord ends the connection for good. */
const remedies: ReadonlyMap<number, string> = new Map([
  [GatewayCloseCodes.AuthenticationFailed, tokenRemedy],
  [GatewayCloseCodes.InvalidShard, "there is no such shard: SHARDS has to count as many shards in every process"],
  [
    GatewayCloseCodes.ShardingRequired,
    "the bot is in too many servers for so few shards: with SHARDS=auto a start takes as many as Discord wants; else let SHARDS count more in every process",
  ],
  [GatewayCloseCodes.InvalidAPIVersion, outdated],
  [GatewayCloseCodes.InvalidIntents, outdated],
  [
    GatewayCloseCodes.DisallowedIntents,
    "it may not hear of its servers (the intent GUILDS, which needs no approval): look at the bot in Discord's developer portal",
  ],
]);
const closeDeadlineMs = 2_000;

function handleDispatch(payload: GatewayDispatchPayload, handlers: GatewayHandlers): void {
  switch (payload.t) {
    case GatewayDispatchEvents.InteractionCreate:
      handlers.onInteraction(payload.d);
      break;
    case GatewayDispatchEvents.GuildCreate:
      handlers.onGuildChanged(payload.d.id);
      handlers.onGuild(payload.d);
      break;
    case GatewayDispatchEvents.GuildDelete:
      if (!payload.d.unavailable) handlers.onGuildRemoved(payload.d.id);
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
    case GatewayDispatchEvents.GuildRoleDelete:
    // Without the intent GUILD_MEMBERS, only the bot's own member is reported (docs: Gateway Events).
    case GatewayDispatchEvents.GuildMemberUpdate:
      handlers.onGuildChanged(payload.d.guild_id);
  }
}

export interface GatewayDeps {
  readonly rest: REST;
  readonly token: string;
  readonly applicationId: string;
  /**
   * The first and last shard of this process, and the number of all shards. If undefined, the process runs all shards, as many
   * as Discord recommends.
   */
  readonly shards: { readonly first: number; readonly last: number; readonly count: number } | undefined;
  readonly storage: Pick<Storage, "table" | "commit">;
  readonly handlers: GatewayHandlers;
  readonly log: Log;
  readonly metrics: Metrics;
}

function createShards({ rest, token, applicationId, shards, storage, log }: GatewayDeps) {
  const failed = (error: unknown, shard: number) =>
    log.warn({ ...failureFields(error), shard }, "connection to Discord failed");
  const sessions = createGatewaySessions({ storage, applicationId, log });
  let strategy: GuardedSharding | undefined;
  const manager = new WebSocketManager({
    token,
    rest,
    intents: GatewayIntentBits.Guilds,
    shardCount: shards?.count ?? null,
    shardIds: shards ? { start: shards.first, end: shards.last } : null,
    buildStrategy(of) {
      strategy = new GuardedSharding(of, failed);
      return strategy;
    },
    buildIdentifyThrottler: (of) =>
      createIdentifyThrottle({
        fetchLimit: async () => gatewayBotIn(await of.fetchGatewayInformation(true)).session_start_limit,
        storage,
        log,
      }),
    retrieveSessionInfo: sessions.retrieve,
    updateSessionInfo: sessions.update,
  });

  return {
    manager,
    sessions,
    failed,
    /**
     * The manager's `connect` is not used, because it counts resumed shards towards Discord's limit of new sessions. The
     * identify throttle counts only new sessions.
     */
    async connect(): Promise<void> {
      const bot = gatewayBotIn(await manager.fetchGatewayInformation(true));
      const count = shards?.count ?? bot.shards;
      await manager.updateShardCount(count);
      await sessions.load(await manager.getShardIds(), count, bot.url);
      await strategy?.connect();
    },
  };
}

/** discord.js's `Client` is not used, because it keeps every channel and role in memory (docs/adr/0001). */
export function createGateway(deps: GatewayDeps): Gateway {
  const { handlers, log, metrics } = deps;
  const { manager, sessions, failed, connect } = createShards(deps);
  let refuse = handlers.onRefused;
  let isEnding = false;
  const health = createShardHealth(manager, metrics);

  manager.on(WebSocketShardEvents.Ready, (data, shardId) => {
    sessions.changed(shardId);
    log.info({ shard: shardId, guilds: data.guilds.length }, "connected to Discord");
    const [, count = 1] = data.shard ?? [];
    if (count === 1 && data.guilds.length === 0) {
      log.info({}, "in no server yet: open the invite link and choose one");
    }
  });
  manager.on(WebSocketShardEvents.Resumed, (shardId) => {
    sessions.changed(shardId);
    log.info({ shard: shardId }, "connection to Discord resumed");
  });
  manager.on(WebSocketShardEvents.Closed, (code, shardId) => {
    if (isEnding) return;
    sessions.changed(shardId);
    const remedy = remedies.get(code);
    if (remedy === undefined) log.warn({ shard: shardId, code }, "connection to Discord closed");
    else refuse(new DiscordRefusedError(`close code ${code}`, remedy));
  });
  manager.on(WebSocketShardEvents.SocketError, failed);
  // Without compression, this event only repeats one of the close codes above. Without a listener, it would be thrown.
  manager.on(WebSocketShardEvents.Error, () => undefined);
  manager.on(WebSocketShardEvents.Dispatch, (payload) => {
    // A process that is ending handles no events. Discord sends them again to the next process.
    if (!isEnding) handleDispatch(payload, handlers);
  });

  async function connectOnce(): Promise<void> {
    const refusal = new Promise<never>((_, reject) => {
      refuse = reject;
    });
    await Promise.race([connect(), refusal]);
    refuse = handlers.onRefused;
  }

  return {
    connect: (signal) => retryUnlessRefused(connectOnce, { signal, log }),
    async close() {
      isEnding = true;
      // The sessions are stored first, because ending a connection deletes its session.
      const written = sessions.end();
      // With any close code except 1000 and 1001, the session can be resumed (docs: Gateway, "Initiating a Disconnect").
      const closing = manager.destroy({ code: CloseCodes.Resuming, reason: "the process ends" });
      // The process must end even if Discord never answers the closing handshake.
      await withDeadline(Promise.all([closing, written]), closeDeadlineMs, undefined);
    },
    health,
  };
}
