import { once } from "node:events";
import { WebSocketManager, WebSocketShardEvents } from "@discordjs/ws";
import { afterEach, beforeEach, expect, test } from "vitest";
import { noMetrics } from "../../src/basics/metrics.ts";
import { createGateway, type Gateway } from "../../src/discord/gateway/gateway.ts";
import { GuardedSharding } from "../../src/discord/gateway/guarded-sharding.ts";
import { createRest } from "../../src/discord/rest/rest.ts";
import { recordedLog } from "../support/recorded-log.ts";
import { useStorage } from "../support/use-storage.ts";
import { type PretendGateway, startPretendGateway } from "./pretend-gateway.ts";

const ignore = () => undefined;
const never = new Promise<never>(ignore);

const storage = useStorage();
let discord: PretendGateway;
let gateway: Gateway;
let logged: ReturnType<typeof recordedLog>;
let connected: boolean[];
let changed: string[];
let unheard: unknown[];
let ending: AbortController;

const hear = (error: unknown) => unheard.push(error);

async function start(heartbeatMs: number, bot?: object) {
  discord = await startPretendGateway(heartbeatMs, bot);
  // The gateway of an earlier test may still close.
  const own: boolean[] = [];
  connected = own;
  gateway = createGateway({
    rest: createRest({ token: "x.y.z", apiUrl: discord.apiUrl }),
    token: "x.y.z",
    applicationId: "1",
    shards: undefined,
    storage,
    handlers: {
      onInteraction: ignore,
      onGuild: ignore,
      onGuildRemoved: ignore,
      onGuildChanged: (guildId) => void changed.push(guildId),
      onAccessChanged: ignore,
      onRefused: ignore,
    },
    log: logged.log,
    metrics: { ...noMetrics, shardConnected: (_, isConnected) => void own.push(isConnected) },
  });
}

/** Resolves when the gateway has greeted. */
async function connect() {
  const connecting = gateway.connect(ending.signal);
  connecting.catch(ignore);
  await expect.poll(() => discord.sockets.length).toBe(1);
  discord.ready();
  await connecting;
}

const warnings = () => logged.at("warn").map(({ fields, message }) => `${message}: ${fields.err}`);
const beats = () => gateway.health.heartbeats()[0]?.beats ?? 0;

beforeEach(() => {
  logged = recordedLog();
  changed = [];
  unheard = [];
  ending = new AbortController();
  process.on("unhandledRejection", hear);
});

afterEach(async () => {
  ending.abort();
  await gateway.close();
  await discord[Symbol.asyncDispose]();
  process.off("unhandledRejection", hear);
  expect(unheard).toEqual([]);
});

test("a message that Discord would never send is logged, and the connection goes on", async () => {
  await start(60_000);
  await connect();

  discord.say("null");
  discord.say("no JSON");
  discord.say('{"op":10,"d":null}');
  discord.say('{"op":0,"t":"READY","s":2,"d":null}');
  discord.say('{"op":0,"t":"GUILD_DELETE","s":3,"d":null}');
  const before = beats();
  discord.say('{"op":0,"t":"TYPING_START","s":4,"d":{}}');

  await expect.poll(beats).toBeGreaterThan(before);
  await expect.poll(() => warnings().length).toBe(3);
  expect(warnings()[0]).toMatch(/^connection to Discord failed: TypeError/);
});

test.each(["CHANNEL_UPDATE", "GUILD_ROLE_UPDATE", "GUILD_ROLE_DELETE", "GUILD_MEMBER_UPDATE"])(
  "%s may mean that the bot can post again",
  async (t) => {
    await start(60_000);
    await connect();

    discord.say(JSON.stringify({ op: 0, t, s: 2, d: { guild_id: "7" } }));

    await expect.poll(() => changed).toEqual(["7"]);
  },
);

test("an invalid gateway address leaves the shard silent, which the watchdog sees", async () => {
  await start(60_000, { url: "no address" });
  gateway.connect(ending.signal).catch(ignore);

  await expect.poll(warnings).toEqual([expect.stringMatching(/^connection to Discord failed: SyntaxError/)]);

  expect(gateway.health.notReady()).toMatch(/^gateway: /);
  expect(gateway.health.heartbeats()).toHaveLength(1);
});

test.each([
  ["an empty limit", { session_start_limit: {}, shards: undefined }],
  ["a limit of other types", { session_start_limit: { remaining: "many", reset_after: null, max_concurrency: 0 } }],
  ["a small limit", { session_start_limit: { total: 1, remaining: 1, reset_after: 0, max_concurrency: 1 } }],
])("with %s in the answer to GET /gateway/bot, the shard begins a session", async (_, bot) => {
  await start(60_000, bot);

  await connect();
  await expect.poll(() => discord.identified).toBe(1);

  expect(warnings()).toEqual([]);
});

test("without a limit of sessions, the answer to GET /gateway/bot is not Discord's, which is logged", async () => {
  await start(60_000, { session_start_limit: undefined });
  gateway.connect(ending.signal).catch(ignore);

  await expect
    .poll(() => logged.at("warn").map(({ message }) => message))
    .toEqual([expect.stringMatching(/^DISCORD_API_URL does not answer as Discord does; .*; trying again$/)]);
});

test("answered heartbeats are signs of life, and silence may last 5 minutes", async () => {
  // If an answer took longer than the interval, the connection would end.
  await start(500);
  await connect();
  const before = beats();

  await expect.poll(beats).toBeGreaterThan(before + 2);

  expect(gateway.health.heartbeats()).toMatchObject([{ name: "gateway shard 0", longestSilenceMs: 300_000 }]);
});

test("a shard is ready from its connection on, and while a lost connection is resumed", async () => {
  await start(60_000);
  expect(gateway.health.notReady()).toBe("gateway: not connected");
  await connect();
  expect(gateway.health.notReady()).toBeUndefined();
  expect(connected).toEqual([false, true]);

  discord.sockets[0]?.close(4_000);
  await expect.poll(() => connected).toEqual([false, true, false]);

  expect(gateway.health.notReady()).toBeUndefined();
});

test.each([
  [4004, "check DISCORD_TOKEN"],
  [4010, "SHARDS has to count as many shards in every process"],
  [4011, "SHARDS=auto"],
  [4012, "install a newer one"],
  [4013, "install a newer one"],
  [4014, "the intent GUILDS"],
])("close code %i ends all attempts, with what to do: %s", async (code, remedy) => {
  await start(60_000);
  const connecting = gateway.connect(ending.signal);
  connecting.catch(ignore);
  await expect.poll(() => discord.sockets.length).toBe(1);

  discord.sockets[0]?.close(code);

  await expect(connecting).rejects.toThrow(`Discord refused the bot (close code ${code}); `);
  await expect(connecting).rejects.toThrow(remedy);
  if (code !== 4004) await expect(connecting).rejects.not.toThrow("DISCORD_TOKEN");
  // The caller writes the only line about it.
  expect(warnings()).toEqual([]);
});

test("a session that is over leads to one new connection", async () => {
  await start(60_000);
  gateway.connect(ending.signal).catch(ignore);
  await expect.poll(() => discord.identified).toBe(1);

  discord.say('{"op":9,"d":false}');

  // The next identify is 5 s away. A second connection would come together with the first.
  await expect.poll(() => discord.identified).toBe(2);
  expect(discord.sockets).toHaveLength(2);
});

test("a shard that cannot connect waits longer and longer, and begins anew after a connection", async () => {
  await start(60_000);
  const waits: number[] = [];
  const manager = new WebSocketManager({
    token: "x.y.z",
    rest: createRest({ token: "x.y.z", apiUrl: discord.apiUrl }),
    intents: 0,
    buildStrategy: (of) => new GuardedSharding(of, ignore, async (ms) => void waits.push(ms)),
  });
  manager.on(WebSocketShardEvents.Error, ignore);
  manager.on(WebSocketShardEvents.SocketError, ignore);
  const connecting = manager.connect();
  await expect.poll(() => discord.sockets.length).toBe(1);
  discord.sockets[0]?.close(4_000);
  await expect.poll(() => discord.sockets.length).toBe(2);
  discord.ready();
  await connecting;

  await discord[Symbol.asyncDispose]();
  await expect.poll(() => waits.length).toBeGreaterThan(7);
  await manager.destroy();

  for (const [index, longestMs] of [1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000].entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(longestMs / 2);
    expect(waits[index]).toBeLessThanOrEqual(longestMs);
  }
});

test.each([
  ["gets no answer for 15 s", undefined, async () => undefined, 3],
  ["ends the connection three times", 4_009, async (ms: number) => (ms === 15_000 ? never : undefined), 6],
])("a session whose resume %s is given up for a new one", async (_, code, pause, connections) => {
  await start(60_000);
  discord.resumeCode = code;
  const manager = new WebSocketManager({
    token: "x.y.z",
    rest: createRest({ token: "x.y.z", apiUrl: discord.apiUrl }),
    intents: 0,
    buildStrategy: (of) => new GuardedSharding(of, ignore, pause),
    buildIdentifyThrottler: () => ({ waitForIdentify: async () => undefined }),
  });
  manager.on(WebSocketShardEvents.Error, ignore);
  const connecting = manager.connect();
  await expect.poll(() => discord.identified).toBe(1);
  discord.ready();
  await connecting;

  discord.sockets[0]?.close(4_000);

  await expect.poll(() => discord.identified).toBe(2);
  expect(discord.sockets).toHaveLength(connections);
  const ready = once(manager, WebSocketShardEvents.Ready);
  discord.ready();
  await ready;
  await manager.destroy();
});
