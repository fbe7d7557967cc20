import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { GatewayCloseCodes, GatewayOpcodes } from "@discordjs/core";
import { WebSocketServer } from "ws";
import { refusedRequest } from "../guard.ts";
import type { Bus } from "./bus.ts";
import { serveConnection } from "./gateway-connection.ts";
import { createGatewayLogin } from "./gateway-login.ts";
import { gets, isOver, lose, push, type Session, sendOp } from "./gateway-session.ts";
import { createIdentifyLimits, type IdentifyLimits, type SessionStarts } from "./identify-limits.ts";
import type { World } from "./world.ts";

/** The switches of the gateway. */
export interface GatewayControl {
  /** Open connections that have identified or resumed. */
  connections(): number;
  /** The shards that those are, ascending. */
  shards(): number[];
  /** Identifies that came less than 5 s after another one of their bucket, or beyond those of the day. */
  refusedIdentifies(): number;
  /** How many sessions may still begin, and in how long the count begins anew; default 1,000 in a day. */
  limitSessions(starts: SessionStarts): void;
  /** Ends every connection: with a close frame, or without a word. */
  drop(code?: number): void;
  /** Op 9: the session is over, or (resumable) should be taken up again. */
  invalidSession(resumable: boolean): void;
  /** Sessions whose bot is away are over, as after some minutes. */
  endSessions(): void;
  /** Op 7: please reconnect. */
  reconnect(): void;
  /** Refuses every new connection while on. */
  refuse(on: boolean): void;
}

export interface Gateway {
  readonly control: GatewayControl;
  /** As `GET /gateway/bot` says it. */
  sessionStarts(): SessionStarts;
  close(): void;
}

/** What the switches have set. */
interface Switches {
  refused: boolean;
}

function createControl(
  sockets: WebSocketServer,
  sessions: Map<string, Session>,
  switches: Switches,
  limits: IdentifyLimits,
  now: () => number,
): GatewayControl {
  const live = () => [...sessions.values()].flatMap(({ socket }) => socket ?? []);
  return {
    connections: () => live().length,
    shards: () =>
      [...sessions.values()]
        .flatMap(({ socket, shard: [id] }) => (socket ? [id] : []))
        .sort((one, other) => one - other),
    refusedIdentifies: limits.refused,
    limitSessions: limits.set,
    drop(code) {
      for (const socket of sockets.clients) {
        if (code === undefined) socket.terminate();
        else socket.close(code);
      }
    },
    invalidSession(resumable) {
      for (const [id, session] of sessions) {
        const { socket } = session;
        if (socket === undefined) continue;
        lose(session, now());
        if (!resumable) sessions.delete(id);
        sendOp(socket, GatewayOpcodes.InvalidSession, resumable);
      }
    },
    endSessions() {
      for (const [id, { socket }] of sessions) if (socket === undefined) sessions.delete(id);
    },
    reconnect() {
      for (const socket of live()) sendOp(socket, GatewayOpcodes.Reconnect, null);
    },
    refuse(on) {
      switches.refused = on;
    },
  };
}

/** The pretend Discord's WebSocket side, as version 10 with JSON and without compression. */
export function createGateway(deps: {
  readonly server: Server;
  readonly url: () => string;
  readonly now: () => number;
  readonly bus: Bus;
  readonly world: World;
  readonly token: string;
  readonly maxConcurrency: number;
  readonly identifyEveryMs: number;
  /** Takes what was sent, for evidence: see `Evidence.frames`. */
  readonly record: (frame: unknown) => void;
}): Gateway {
  const { server, now, bus } = deps;
  const sockets = new WebSocketServer({ noServer: true });
  const sessions = new Map<string, Session>();
  const switches: Switches = { refused: false };
  const limits = createIdentifyLimits(deps);
  const login = createGatewayLogin({ ...deps, sessions, limits });
  const connection = { ...deps, login, sessions };

  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://gateway");
    const plain = !searchParams.has("compress") && (searchParams.get("encoding") ?? "json") === "json";
    const refuse = (status: string) => void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    if (refusedRequest(request, "programs") !== undefined) return refuse("403 Forbidden");
    if (switches.refused) return refuse("503 Service Unavailable");
    if (pathname !== "/" || !plain) return refuse("400 Bad Request");
    sockets.handleUpgrade(request, socket, head, (opened) => {
      if ((searchParams.get("v") ?? "10") !== "10") opened.close(GatewayCloseCodes.InvalidAPIVersion);
      else serveConnection(opened, connection);
    });
  });

  const stop = bus.on("dispatch", (event) => {
    for (const [id, session] of sessions) {
      if (isOver(session, now())) sessions.delete(id);
      else if (gets(session, event)) push(session, event.t, event.d);
    }
  });

  return {
    sessionStarts: limits.starts,
    close() {
      stop();
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
    control: createControl(sockets, sessions, switches, limits, now),
  };
}
