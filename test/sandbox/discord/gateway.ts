import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { GatewayOpcodes } from "@discordjs/core";
import { WebSocketServer } from "ws";
import { refusedRequest } from "../guard.ts";
import { type ConnectionDeps, serveConnection } from "./gateway-connection.ts";
import { type Session, sendOp, shardOf } from "./gateway-session.ts";

/** Version 10, with JSON and without compression. */
export function createGateway(
  deps: Omit<ConnectionDeps, "sessions" | "mayIdentify"> & {
    readonly server: Server;
    readonly maxConcurrency: number;
    readonly identifyEveryMs: number;
  },
) {
  const { server, bus, maxConcurrency, identifyEveryMs } = deps;
  const sockets = new WebSocketServer({ noServer: true });
  const sessions = new Map<string, Session>();
  let isRefusing = false;
  const identifiedAt = new Map<number, number>();
  let refusedIdentifies = 0;

  /** Allows one identify in `identifyEveryMs` for each bucket (docs: Gateway, "Max Concurrency"), by the monotonic clock. */
  function mayIdentify(shardId: number): boolean {
    const bucket = shardId % maxConcurrency;
    const isEarly = performance.now() - (identifiedAt.get(bucket) ?? Number.NEGATIVE_INFINITY) < identifyEveryMs;
    if (isEarly) refusedIdentifies += 1;
    else identifiedAt.set(bucket, performance.now());
    return !isEarly;
  }

  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { pathname, search } = new URL(request.url ?? "/", "http://gateway");
    const refuse = (status: string) => void socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
    if (refusedRequest(request, "programs") !== undefined) return refuse("403 Forbidden");
    if (isRefusing) return refuse("503 Service Unavailable");
    if (pathname !== "/" || search !== "?v=10&encoding=json") return refuse("400 Bad Request");
    sockets.handleUpgrade(request, socket, head, (opened) =>
      serveConnection(opened, { ...deps, sessions, mayIdentify }),
    );
  });

  const stop = bus.on("dispatch", ({ t, d, guildId }) => {
    for (const [id, session] of sessions) {
      if (session.isOver) sessions.delete(id);
      else if (shardOf(guildId, session.shard[1]) === session.shard[0]) session.push(t, d);
    }
  });
  const live = () => [...sessions.values()].filter(({ socket }) => socket !== undefined);

  return {
    close() {
      stop();
      for (const socket of sockets.clients) socket.terminate();
      sockets.close();
    },
    control: {
      /** The shards of the open connections that have identified or resumed. */
      shards: () =>
        live()
          .map(({ shard: [id] }) => id)
          .sort((one, other) => one - other),
      /** Identifies that came too soon after another one of their bucket. */
      refusedIdentifies: () => refusedIdentifies,
      /** Ends every connection: with a close frame of this code, or without one. */
      drop(code?: number) {
        for (const socket of sockets.clients) {
          if (code === undefined) socket.terminate();
          else socket.close(code);
        }
      },
      /** Op 9: the session is over, or should be resumed (`resumable`). */
      invalidSession(resumable: boolean) {
        for (const session of live()) {
          const { socket } = session;
          session.lose();
          if (!resumable) sessions.delete(session.id);
          if (socket) sendOp(socket, GatewayOpcodes.InvalidSession, resumable);
        }
      },
      /** Ends sessions without a connection, as Discord does after some minutes. */
      endSessions() {
        for (const [id, { socket }] of sessions) if (socket === undefined) sessions.delete(id);
      },
      /** Op 7: please reconnect. */
      reconnect() {
        for (const { socket } of live()) if (socket) sendOp(socket, GatewayOpcodes.Reconnect, null);
      },
      refuse(on: boolean) {
        isRefusing = on;
      },
    },
  };
}
