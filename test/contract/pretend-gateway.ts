import { createServer } from "node:http";
import { GatewayOpcodes } from "@discordjs/core";
import { type WebSocket, WebSocketServer } from "ws";
import { listen } from "../sandbox/listen.ts";

/** Sends what a test says, even what Discord would never send. */
export interface PretendGateway extends AsyncDisposable {
  /** Base of the REST API, without a version. */
  readonly apiUrl: string;
  /** Each connection after its greeting, the newest last. */
  readonly sockets: readonly WebSocket[];
  readonly identified: number;
  /** The code with which each resume ends its connection. By default, no resume is answered. */
  resumeCode: number | undefined;
  /** Sends text to the newest connection. */
  say(text: string): void;
  /** Sends READY for shard 0. */
  ready(): void;
}

/** @param bot fields in the answer to `GET /gateway/bot`, in place of the usual ones */
export async function startPretendGateway(heartbeatMs: number, bot?: object): Promise<PretendGateway> {
  let address = "";
  const server = createServer((_, response) => {
    const limit = { total: 1_000, remaining: 1_000, reset_after: 0, max_concurrency: 1 };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ url: `ws://${address}`, shards: 1, session_start_limit: limit, ...bot }));
  });
  address = await listen(server);
  const sockets: WebSocket[] = [];
  let identified = 0;
  const say = (text: string) => sockets.at(-1)?.send(text);
  new WebSocketServer({ server }).on("connection", (socket) => {
    socket.on("message", (data) => {
      const { op } = JSON.parse(String(data));
      if (op === GatewayOpcodes.Heartbeat) socket.send(JSON.stringify({ op: 11 }));
      if (op === GatewayOpcodes.Identify) identified++;
      if (op === GatewayOpcodes.Resume && own.resumeCode) socket.close(own.resumeCode);
    });
    socket.send(JSON.stringify({ op: GatewayOpcodes.Hello, d: { heartbeat_interval: heartbeatMs } }));
    sockets.push(socket);
  });
  const own: PretendGateway = {
    apiUrl: `http://${address}`,
    sockets,
    get identified() {
      return identified;
    },
    resumeCode: undefined,
    say,
    ready() {
      const session = { v: 10, session_id: "a", resume_gateway_url: `ws://${address}`, guilds: [], shard: [0, 1] };
      say(JSON.stringify({ op: GatewayOpcodes.Dispatch, t: "READY", s: 1, d: session }));
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.terminate();
      server.closeAllConnections();
      server.close();
    },
  };
  return own;
}
