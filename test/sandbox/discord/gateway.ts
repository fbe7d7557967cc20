import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { GatewayCloseCodes, GatewayOpcodes } from "@discordjs/core";
import { type WebSocket, WebSocketServer } from "ws";
import { refusedRequest } from "../guard.ts";
import { gatewayGuild } from "./api-objects.ts";
import type { Bus } from "./bus.ts";
import { createSession, gets, push, type Session, shardOf } from "./gateway-session.ts";
import { INTENT, type World } from "./world.ts";

/** The switches of the gateway. */
export interface GatewayControl {
  /** Open connections that have identified or resumed. */
  connections(): number;
  /** Ends every connection: with a close frame, or without a word. */
  drop(code?: number): void;
  /** Op 9: the session is over, or (resumable) should be taken up again. */
  invalidSession(resumable: boolean): void;
  /** Op 7: please reconnect. */
  reconnect(): void;
  pauseHeartbeatAcks(paused: boolean): void;
  /** Refuses every new connection while on. */
  refuse(on: boolean): void;
}

export interface Gateway {
  readonly control: GatewayControl;
  identifies(): number;
  close(): void;
}

interface Frame {
  readonly op?: number;
  readonly d?: unknown;
}

interface Identify {
  readonly token?: unknown;
  readonly intents?: unknown;
  readonly properties?: unknown;
  readonly shard?: unknown;
}

/** Server Members, Presence, Message Content: this application was granted none of them. */
const PRIVILEGED = (1 << 1) | (1 << 8) | (1 << 15);
const KNOWN_INTENTS = 0x1ffff | (3 << 20) | (3 << 24);
/** How long a session waits for its bot. */
const RESUMABLE_MS = 5 * 60_000;
/** Docs: Gateway, "Rate Limiting" and "Sending Events". */
const SENDS_PER_MINUTE = 120;
const MAX_FRAME = 4_096;
const MAX_GUILDS_PER_SHARD = 2_500;

function validShard(shard: unknown): readonly [number, number] | undefined {
  if (shard === undefined) return [0, 1];
  if (!Array.isArray(shard) || shard.length !== 2) return undefined;
  const [id, count] = shard as unknown[];
  const whole = typeof id === "number" && typeof count === "number" && Number.isInteger(id) && Number.isInteger(count);
  return whole && count > 0 && id >= 0 && id < count ? [id, count] : undefined;
}

/** The pretend Discord's WebSocket side, as version 10 with JSON and without compression. */
export function createGateway(deps: {
  readonly server: Server;
  readonly url: () => string;
  readonly now: () => number;
  readonly bus: Bus;
  readonly world: World;
  readonly token: string;
  readonly heartbeatIntervalMs: number;
  /** Takes what was sent, for evidence: see `Evidence.frames`. */
  readonly record: (frame: unknown) => void;
}): Gateway {
  const { server, url, now, bus, world, token, heartbeatIntervalMs, record } = deps;
  const sockets = new WebSocketServer({ noServer: true });
  const sessions = new Map<string, Session>();
  let refused = false;
  let acksPaused = false;
  let identifies = 0;

  const send = (socket: WebSocket, op: number, d: unknown) => socket.send(JSON.stringify({ op, d, s: null, t: null }));
  const live = () => [...sessions.values()].flatMap(({ socket }) => socket ?? []);

  const guildsOf = ([shard, shards]: readonly [number, number]) =>
    [...world.guilds.values()].filter(({ id, present }) => present && shardOf(id, shards) === shard);

  const begin = (socket: WebSocket, identify: Identify): Session | number => {
    if (identify.token !== token) return GatewayCloseCodes.AuthenticationFailed;
    if (typeof identify.properties !== "object" || identify.properties === null) return GatewayCloseCodes.DecodeError;
    const { intents } = identify;
    if (typeof intents !== "number" || !Number.isInteger(intents) || (intents & ~KNOWN_INTENTS) !== 0) {
      return GatewayCloseCodes.InvalidIntents;
    }
    if ((intents & PRIVILEGED) !== 0) return GatewayCloseCodes.DisallowedIntents;
    const shard = validShard(identify.shard);
    if (shard === undefined) return GatewayCloseCodes.InvalidShard;
    const guilds = guildsOf(shard);
    if (guilds.length > MAX_GUILDS_PER_SHARD) return GatewayCloseCodes.ShardingRequired;
    identifies += 1;
    const session = createSession(intents, shard, socket);
    sessions.set(session.id, session);
    push(session, "READY", {
      v: 10,
      user: { ...world.bot, verified: true, mfa_enabled: false, email: null, flags: 0 },
      user_settings: {},
      guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
      session_id: session.id,
      session_type: "normal",
      resume_gateway_url: url(),
      relationships: [],
      private_channels: [],
      presences: [],
      guild_join_requests: [],
      geo_ordered_rtc_regions: [],
      auth: {},
      shard,
      application: { id: world.bot.id, flags: 0 },
      _trace: ["pretend-discord"],
    });
    if ((intents & INTENT.guilds) !== 0) {
      for (const guild of guilds)
        if (!guild.unavailable) push(session, "GUILD_CREATE", gatewayGuild(guild, world.bot.id));
    }
    bus.emit("gateway", { what: "identified" });
    return session;
  };

  const resume = (
    socket: WebSocket,
    request: { token?: unknown; session_id?: unknown; seq?: unknown },
  ): Session | number | undefined => {
    if (request.token !== token) return GatewayCloseCodes.AuthenticationFailed;
    const session = sessions.get(String(request.session_id));
    if (session === undefined || (session.lostAt !== undefined && session.lostAt + RESUMABLE_MS < now()))
      return undefined;
    const seq = Number(request.seq);
    if (!Number.isInteger(seq) || seq > session.seq) return GatewayCloseCodes.InvalidSeq;
    const oldest = session.sent[0]?.s ?? session.seq + 1;
    if (seq < oldest - 1) return undefined;
    session.socket?.close(GatewayCloseCodes.SessionTimedOut);
    session.socket = socket;
    session.lostAt = undefined;
    for (const event of session.sent) if (event.s > seq) socket.send(event.text);
    push(session, "RESUMED", { _trace: ["pretend-discord"] });
    bus.emit("gateway", { what: "resumed" });
    return session;
  };

  /** The token belongs into these two, and nowhere else. */
  const withoutToken = (frame: Frame): Frame => {
    const { op, d } = frame;
    const carriesIt = op === GatewayOpcodes.Identify || op === GatewayOpcodes.Resume;
    return carriesIt && (d as Identify | null)?.token === token
      ? { ...frame, d: { ...(d as Identify), token: "token" } }
      : frame;
  };

  const serve = (socket: WebSocket) => {
    let session: Session | undefined;
    let heardAt = now();
    let recent: number[] = [];
    const watch = setInterval(() => {
      if (now() - heardAt > heartbeatIntervalMs * 2) socket.close(GatewayCloseCodes.SessionTimedOut);
    }, heartbeatIntervalMs);
    watch.unref();

    const accept = (result: Session | number | undefined) => {
      if (typeof result === "number") socket.close(result);
      else if (result === undefined) send(socket, GatewayOpcodes.InvalidSession, false);
      else session = result;
    };

    const handle = ({ op, d }: Frame) => {
      switch (op) {
        case GatewayOpcodes.Heartbeat:
          heardAt = now();
          if (!acksPaused) socket.send(JSON.stringify({ op: GatewayOpcodes.HeartbeatAck }));
          return;
        case GatewayOpcodes.Identify:
        case GatewayOpcodes.Resume:
          if (session?.socket === socket) return socket.close(GatewayCloseCodes.AlreadyAuthenticated);
          return accept(
            op === GatewayOpcodes.Identify
              ? begin(socket, d as Identify)
              : resume(socket, d as Record<string, unknown>),
          );
        case GatewayOpcodes.PresenceUpdate:
        case GatewayOpcodes.VoiceStateUpdate:
        case GatewayOpcodes.RequestGuildMembers:
          if (session?.socket !== socket) socket.close(GatewayCloseCodes.NotAuthenticated);
          return;
        default:
          socket.close(GatewayCloseCodes.UnknownOpcode);
      }
    };

    socket.on("message", (data: Buffer) => {
      recent = recent.filter((at) => at > now() - 60_000);
      recent.push(now());
      if (recent.length > SENDS_PER_MINUTE) return socket.close(GatewayCloseCodes.RateLimited);
      if (data.length > MAX_FRAME) return socket.close(GatewayCloseCodes.DecodeError);
      try {
        const frame = JSON.parse(data.toString("utf8")) as Frame;
        if (frame.op !== GatewayOpcodes.Heartbeat) record(withoutToken(frame));
        handle(frame);
      } catch {
        socket.close(GatewayCloseCodes.DecodeError);
      }
    });
    socket.on("error", () => socket.terminate());
    socket.on("close", (code: number) => {
      clearInterval(watch);
      if (session?.socket === socket) {
        session.socket = undefined;
        session.lostAt = now();
        // Docs: Gateway, "Initiating a Disconnect": 1000 and 1001 end the session.
        if (code === 1000 || code === 1001) sessions.delete(session.id);
      }
      bus.emit("gateway", { what: "closed" });
    });
    send(socket, GatewayOpcodes.Hello, { heartbeat_interval: heartbeatIntervalMs, _trace: ["pretend-discord"] });
    bus.emit("gateway", { what: "connected" });
  };

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://gateway");
    const plain = !searchParams.has("compress") && (searchParams.get("encoding") ?? "json") === "json";
    const refuse = (status: string) => void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    if (refusedRequest(request, "programs") !== undefined) return refuse("403 Forbidden");
    if (refused) return refuse("503 Service Unavailable");
    if (pathname !== "/" || !plain) return refuse("400 Bad Request");
    sockets.handleUpgrade(request, socket, head, (opened) => {
      if ((searchParams.get("v") ?? "10") !== "10") opened.close(GatewayCloseCodes.InvalidAPIVersion);
      else serve(opened);
    });
  };
  server.on("upgrade", upgrade);

  const stop = bus.on("dispatch", (event) => {
    for (const [id, session] of sessions) {
      if (session.lostAt !== undefined && session.lostAt + RESUMABLE_MS < now()) sessions.delete(id);
      else if (gets(session, event)) push(session, event.t, event.d);
    }
  });

  return {
    identifies: () => identifies,
    close() {
      stop();
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
    control: {
      connections: () => live().length,
      drop(code) {
        for (const socket of sockets.clients) {
          if (code === undefined) socket.terminate();
          else socket.close(code);
        }
      },
      invalidSession(resumable) {
        for (const [id, session] of sessions) {
          if (session.socket === undefined) continue;
          const { socket } = session;
          session.socket = undefined;
          session.lostAt = now();
          if (!resumable) sessions.delete(id);
          send(socket, GatewayOpcodes.InvalidSession, resumable);
        }
      },
      reconnect() {
        for (const socket of live()) send(socket, GatewayOpcodes.Reconnect, null);
      },
      pauseHeartbeatAcks(paused) {
        acksPaused = paused;
      },
      refuse(on) {
        refused = on;
      },
    },
  };
}
