import { once } from "node:events";
import { GatewayOpcodes } from "@discordjs/core";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { useDiscord } from "../../support/use-discord.ts";
import { useFixture } from "../../support/use-fixture.ts";

const discord = useDiscord({ maxConcurrency: 2, identifyEveryMs: 3_000 });
const open = useFixture(
  () => ({ sockets: [] as WebSocket[] }),
  ({ sockets }) => sockets.forEach((socket) => void socket.terminate()),
);

interface Frame {
  readonly op: number;
  readonly t: string | null;
  readonly s: number | null;
  readonly d: { readonly session_id?: string; readonly id?: string } | boolean | null;
}

/** `frames`: everything after the hello. */
async function connect() {
  const socket = new WebSocket(discord.apiUrl.replace("http", "ws").replace("/api", "/?v=10&encoding=json"));
  open.sockets.push(socket);
  const frames: Frame[] = [];
  socket.on("message", (data) => {
    const frame: Frame = JSON.parse(String(data));
    if (frame.op !== GatewayOpcodes.Hello) frames.push(frame);
  });
  await once(socket, "open");
  const send = (op: number, d: object) => socket.send(JSON.stringify({ op, d: { token: discord.token, ...d } }));
  return {
    socket,
    frames,
    kinds: () => frames.map(({ op, t }) => t ?? op),
    identify: (shard: readonly [number, number]) =>
      send(GatewayOpcodes.Identify, { intents: 1, properties: {}, shard }),
    resume: (id: string, seq: number) => send(GatewayOpcodes.Resume, { session_id: id, seq }),
  };
}

async function begun(shard: readonly [number, number]) {
  const connection = await connect();
  connection.identify(shard);
  await expect.poll(connection.kinds).toContain("READY");
  const d = connection.frames[0]?.d;
  return { ...connection, sessionId: typeof d === "object" ? (d?.session_id ?? "") : "" };
}

test("a second identify of a bucket is refused until its time has come; another bucket has its own", async () => {
  await begun([0, 4]);
  await begun([1, 4]);
  const early = await connect();
  early.identify([2, 4]);
  await expect.poll(early.kinds).toEqual([GatewayOpcodes.InvalidSession]);
  expect(discord.gateway.refusedIdentifies()).toBe(1);

  const later = async () => {
    const connection = await connect();
    connection.identify([2, 4]);
    await expect.poll(connection.kinds).not.toEqual([]);
    return connection.kinds();
  };
  await expect.poll(later).toContain("READY");
  expect(discord.gateway.shards()).toEqual([0, 1, 2]);
});

test.each([
  ["closed with 1000", 1_000],
  ["closed with 1001", 1_001],
])("a session that was %s, or that nobody knows, is not resumed", async (_, code) => {
  const first = await begun([0, 4]);
  first.socket.close(code);
  await expect.poll(() => discord.gateway.shards()).toEqual([]);

  for (const sessionId of [first.sessionId, "unknown"]) {
    const next = await connect();
    next.resume(sessionId, 1);
    await expect.poll(() => next.frames.map(({ op, d }) => [op, d])).toEqual([[GatewayOpcodes.InvalidSession, false]]);
  }
});
