import { GatewayCloseCodes } from "@discordjs/core";
import type { WebSocket } from "ws";
import { gatewayGuild } from "./api-objects.ts";
import type { Bus } from "./bus.ts";
import { createSession, isOver, push, replay, type Session, shardOf } from "./gateway-session.ts";
import type { IdentifyLimits } from "./identify-limits.ts";
import { INTENT, KNOWN_INTENTS, PRIVILEGED_INTENTS } from "./intents.ts";
import type { GuildModel } from "./model.ts";
import type { World } from "./world.ts";

/** What an Identify carries, as far as it is looked at. */
interface Identify {
  readonly token?: unknown;
  readonly intents?: unknown;
  readonly properties?: unknown;
  readonly shard?: unknown;
}

/** What a Resume carries. */
interface Resume {
  readonly token?: unknown;
  readonly session_id?: unknown;
  readonly seq?: unknown;
}

type Shard = readonly [number, number];

export interface GatewayLogin {
  /** A new session, the code to close with, or undefined when it comes too soon after another one. */
  identify(socket: WebSocket, identify: Identify): Session | number | undefined;
  /** The session that goes on, the code to close with, or undefined when there is nothing to go on with. */
  resume(socket: WebSocket, resume: Resume): Session | number | undefined;
}

/** Docs: Gateway, "Sharding". */
const MAX_GUILDS_PER_SHARD = 2_500;

function validShard(shard: unknown): Shard | undefined {
  if (shard === undefined) return [0, 1];
  if (!Array.isArray(shard) || shard.length !== 2) return undefined;
  const [id, count] = shard as unknown[];
  const whole = typeof id === "number" && typeof count === "number" && Number.isInteger(id) && Number.isInteger(count);
  return whole && count > 0 && id >= 0 && id < count ? [id, count] : undefined;
}

/** What an Identify asks for, or the code that it is refused with. */
function readIdentify(identify: Identify, token: string): { intents: number; shard: Shard } | number {
  const { intents } = identify;
  if (identify.token !== token) return GatewayCloseCodes.AuthenticationFailed;
  if (typeof identify.properties !== "object" || identify.properties === null) return GatewayCloseCodes.DecodeError;
  if (typeof intents !== "number" || !Number.isInteger(intents) || (intents & ~KNOWN_INTENTS) !== 0) {
    return GatewayCloseCodes.InvalidIntents;
  }
  if ((intents & PRIVILEGED_INTENTS) !== 0) return GatewayCloseCodes.DisallowedIntents;
  const shard = validShard(identify.shard);
  return shard === undefined ? GatewayCloseCodes.InvalidShard : { intents, shard };
}

function readyPayload(world: World, session: Session, guilds: readonly GuildModel[], url: string) {
  return {
    v: 10,
    user: { ...world.bot, verified: true, mfa_enabled: false, email: null, flags: 0 },
    user_settings: {},
    guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
    session_id: session.id,
    session_type: "normal",
    resume_gateway_url: url,
    relationships: [],
    private_channels: [],
    presences: [],
    guild_join_requests: [],
    geo_ordered_rtc_regions: [],
    auth: {},
    shard: session.shard,
    application: { id: world.bot.id, flags: 0 },
    _trace: ["pretend-discord"],
  };
}

/** How a bot gets a session: Identify begins one, Resume takes an earlier one up again. Keeps them in `sessions`. */
export function createGatewayLogin(deps: {
  readonly url: () => string;
  readonly now: () => number;
  readonly bus: Bus;
  readonly world: World;
  readonly token: string;
  readonly sessions: Map<string, Session>;
  readonly limits: IdentifyLimits;
}): GatewayLogin {
  const { url, now, bus, world, token, sessions, limits } = deps;

  const guildsOf = ([shard, shards]: Shard) =>
    [...world.guilds.values()].filter(({ id, present }) => present && shardOf(id, shards) === shard);

  return {
    identify(socket, identify) {
      const asked = readIdentify(identify, token);
      if (typeof asked === "number") return asked;
      const guilds = guildsOf(asked.shard);
      if (guilds.length > MAX_GUILDS_PER_SHARD) return GatewayCloseCodes.ShardingRequired;
      if (!limits.take(asked.shard[0])) {
        bus.emit("gateway", { what: "refused" });
        return undefined;
      }
      const session = createSession({ ...asked, socket, deliveries: world.deliveries });
      sessions.set(session.id, session);
      push(session, "READY", readyPayload(world, session, guilds, url()));
      if ((asked.intents & INTENT.guilds) !== 0) {
        for (const guild of guilds)
          if (!guild.unavailable) push(session, "GUILD_CREATE", gatewayGuild(guild, world.bot.id));
      }
      bus.emit("gateway", { what: "identified" });
      return session;
    },

    resume(socket, resume) {
      if (resume.token !== token) return GatewayCloseCodes.AuthenticationFailed;
      const session = sessions.get(String(resume.session_id));
      if (session === undefined || isOver(session, now())) return undefined;
      const seq = Number(resume.seq);
      if (!Number.isInteger(seq) || seq > session.seq) return GatewayCloseCodes.InvalidSeq;
      const oldest = session.sent[0]?.s ?? session.seq + 1;
      if (seq < oldest - 1) return undefined;
      session.socket?.close(GatewayCloseCodes.SessionTimedOut);
      session.socket = socket;
      session.lostAt = undefined;
      replay(session, seq);
      push(session, "RESUMED", { _trace: ["pretend-discord"] });
      bus.emit("gateway", { what: "resumed" });
      return session;
    },
  };
}
