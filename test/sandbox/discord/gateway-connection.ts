import { GatewayCloseCodes, GatewayIntentBits, GatewayOpcodes } from "@discordjs/core";
import type { WebSocket } from "ws";
import { gatewayGuild } from "./api-objects.ts";
import { Session, sendOp, shardOf } from "./gateway-session.ts";
import type { DiscordBus } from "./model.ts";
import type { World } from "./world.ts";

interface Login {
  readonly token?: unknown;
  readonly intents?: unknown;
  readonly properties?: unknown;
  readonly shard?: unknown;
  readonly session_id?: unknown;
  readonly seq?: unknown;
}

/** The interval that Discord was seen to use. */
const heartbeatMs = 41_250;

function shardIn(given: unknown): readonly [number, number] | undefined {
  const [id, count]: unknown[] = Array.isArray(given) ? given : [0, given === undefined ? 1 : Number.NaN];
  if (!Number.isInteger(id) || !Number.isInteger(count)) return undefined;
  const shard = [Number(id), Number(count)] as const;
  return shard[0] >= 0 && shard[0] < shard[1] ? shard : undefined;
}

export interface ConnectionDeps {
  readonly url: () => string;
  readonly now: () => number;
  readonly bus: DiscordBus;
  readonly world: World;
  readonly token: string;
  /** Whether the shard may identify now; counts the identify. */
  readonly mayIdentify: (shardId: number) => boolean;
  readonly sessions: Map<string, Session>;
  readonly record: (frame: unknown) => void;
}

/** Returns the new session, the code to close with, or undefined if the identify comes too soon after another one. */
function identify(deps: ConnectionDeps, socket: WebSocket, asked: Login): Session | number | undefined {
  const { url, now, bus, world, token, sessions, mayIdentify } = deps;
  if (asked.token !== token) return GatewayCloseCodes.AuthenticationFailed;
  if (typeof asked.properties !== "object" || asked.properties === null) return GatewayCloseCodes.DecodeError;
  // Other intents are not simulated.
  if (asked.intents !== GatewayIntentBits.Guilds) return GatewayCloseCodes.InvalidIntents;
  const shard = shardIn(asked.shard);
  if (shard === undefined) return GatewayCloseCodes.InvalidShard;
  const guilds = [...world.guilds.values()].filter(({ id, present }) => present && shardOf(id, shard[1]) === shard[0]);
  if (!mayIdentify(shard[0])) {
    bus.emit("gateway", { what: "refused" });
    return undefined;
  }
  const session = new Session(shard, socket, now, world);
  sessions.set(session.id, session);
  session.push("READY", {
    v: 10,
    user: world.bot,
    guilds: guilds.map(({ id }) => ({ id, unavailable: true })),
    session_id: session.id,
    resume_gateway_url: url(),
    shard,
    application: { id: world.bot.id, flags: 0 },
  });
  for (const guild of guilds) if (!guild.unavailable) session.push("GUILD_CREATE", gatewayGuild(guild, world.bot.id));
  bus.emit("gateway", { what: "identified" });
  return session;
}

/** Returns the session, the code to close with, or undefined if the session cannot be resumed. */
function resume({ bus, token, sessions }: ConnectionDeps, socket: WebSocket, asked: Login) {
  if (asked.token !== token) return GatewayCloseCodes.AuthenticationFailed;
  const session = sessions.get(String(asked.session_id));
  if (session === undefined || session.isOver) return undefined;
  const sequence = Number(asked.seq);
  if (!Number.isInteger(sequence) || sequence > session.sequence) return GatewayCloseCodes.InvalidSeq;
  if (!session.resume(socket, sequence)) return undefined;
  bus.emit("gateway", { what: "resumed" });
  return session;
}

export function serveConnection(socket: WebSocket, deps: ConnectionDeps): void {
  const { bus, token, sessions, record } = deps;
  let session: Session | undefined;

  function take({ op, d }: { readonly op?: number; readonly d?: Login }) {
    if (op === GatewayOpcodes.Heartbeat) return socket.send(JSON.stringify({ op: GatewayOpcodes.HeartbeatAck }));
    const isLogin = op === GatewayOpcodes.Identify || op === GatewayOpcodes.Resume;
    // In other frames the token stays: it must not be there, and tests search for it.
    record(isLogin && d?.token === token ? { op, d: { ...d, token: "token" } } : { op, d });
    if (!isLogin || d === undefined) return socket.close(GatewayCloseCodes.UnknownOpcode);
    if (session?.socket === socket) return socket.close(GatewayCloseCodes.AlreadyAuthenticated);
    const result = (op === GatewayOpcodes.Identify ? identify : resume)(deps, socket, d);
    if (typeof result === "number") socket.close(result);
    else if (result === undefined) sendOp(socket, GatewayOpcodes.InvalidSession, false);
    else session = result;
  }

  socket.on("message", (data: Buffer) => {
    try {
      take(JSON.parse(data.toString("utf8")));
    } catch {
      socket.close(GatewayCloseCodes.DecodeError);
    }
  });
  socket.on("error", () => socket.terminate());
  socket.on("close", (code: number) => {
    if (session?.socket === socket) {
      session.lose();
      // Docs: Gateway, "Initiating a Disconnect": 1000 and 1001 end the session.
      if (code === 1000 || code === 1001) sessions.delete(session.id);
    }
    bus.emit("gateway", { what: "closed" });
  });
  sendOp(socket, GatewayOpcodes.Hello, { heartbeat_interval: heartbeatMs });
  bus.emit("gateway", { what: "connected" });
}
