import { GatewayCloseCodes, GatewayOpcodes } from "@discordjs/core";
import type { WebSocket } from "ws";
import type { Bus } from "./bus.ts";
import type { GatewayLogin } from "./gateway-login.ts";
import { lose, type Session, sendOp } from "./gateway-session.ts";

interface Frame {
  readonly op?: number;
  readonly d?: unknown;
}

/** Docs: Gateway, "Rate Limiting" and "Sending Events". */
const SENDS_PER_MINUTE = 120;
const MAX_FRAME = 4_096;
/** What Discord was seen to ask for. */
const HEARTBEAT_INTERVAL_MS = 41_250;

/** The token belongs into an Identify and a Resume, and nowhere else. */
function withoutToken(frame: Frame, token: string): Frame {
  const { op, d } = frame;
  const carriesIt = op === GatewayOpcodes.Identify || op === GatewayOpcodes.Resume;
  const login = d as { readonly token?: unknown } | null;
  return carriesIt && login?.token === token ? { ...frame, d: { ...login, token: "token" } } : frame;
}

/** Whether a connection sends more frames than it may, asked at each one. */
function createSendLimit(now: () => number): () => boolean {
  let recent: number[] = [];
  return () => {
    recent = recent.filter((at) => at > now() - 60_000);
    recent.push(now());
    return recent.length > SENDS_PER_MINUTE;
  };
}

/** Speaks with one bot from Hello until the socket closes. */
export function serveConnection(
  socket: WebSocket,
  deps: {
    readonly now: () => number;
    readonly bus: Bus;
    readonly token: string;
    readonly login: GatewayLogin;
    readonly sessions: Map<string, Session>;
    readonly record: (frame: unknown) => void;
  },
): void {
  const { now, bus, token, login, sessions, record } = deps;
  let session: Session | undefined;
  let heardAt = now();
  const sendsTooMuch = createSendLimit(now);
  const watch = setInterval(() => {
    if (now() - heardAt > HEARTBEAT_INTERVAL_MS * 2) socket.close(GatewayCloseCodes.SessionTimedOut);
  }, HEARTBEAT_INTERVAL_MS);
  watch.unref();

  const accept = (result: Session | number | undefined) => {
    if (typeof result === "number") socket.close(result);
    else if (result === undefined) sendOp(socket, GatewayOpcodes.InvalidSession, false);
    else session = result;
  };

  const handle = ({ op, d }: Frame) => {
    switch (op) {
      case GatewayOpcodes.Heartbeat:
        heardAt = now();
        socket.send(JSON.stringify({ op: GatewayOpcodes.HeartbeatAck }));
        return;
      case GatewayOpcodes.Identify:
      case GatewayOpcodes.Resume: {
        if (session?.socket === socket) return socket.close(GatewayCloseCodes.AlreadyAuthenticated);
        const asked = d as Record<string, unknown>;
        return accept(op === GatewayOpcodes.Identify ? login.identify(socket, asked) : login.resume(socket, asked));
      }
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
    if (sendsTooMuch()) return socket.close(GatewayCloseCodes.RateLimited);
    if (data.length > MAX_FRAME) return socket.close(GatewayCloseCodes.DecodeError);
    try {
      const frame = JSON.parse(data.toString("utf8")) as Frame;
      if (frame.op !== GatewayOpcodes.Heartbeat) record(withoutToken(frame, token));
      handle(frame);
    } catch {
      socket.close(GatewayCloseCodes.DecodeError);
    }
  });
  socket.on("error", () => socket.terminate());
  socket.on("close", (code: number) => {
    clearInterval(watch);
    if (session?.socket === socket) {
      lose(session, now());
      // Docs: Gateway, "Initiating a Disconnect": 1000 and 1001 end the session.
      if (code === 1000 || code === 1001) sessions.delete(session.id);
    }
    bus.emit("gateway", { what: "closed" });
  });
  sendOp(socket, GatewayOpcodes.Hello, { heartbeat_interval: HEARTBEAT_INTERVAL_MS, _trace: ["pretend-discord"] });
  bus.emit("gateway", { what: "connected" });
}
