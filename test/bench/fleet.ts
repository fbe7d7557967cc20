import { loadavg } from "node:os";
import { setTimeout as wait } from "node:timers/promises";
import { Redis } from "ioredis";
import type { GuildModel } from "../sandbox/discord/discord.ts";
import { dealtWith, factsOf, openRow } from "../support/engine/order-rows.ts";
import { sum } from "../support/figure.ts";
import { startRedisServer } from "../support/process/database-server.ts";
import { collect, collectable, cpuOf } from "../support/process/process-usage.ts";
import { seedServers } from "../support/process/seed-servers.ts";
import { createWorld } from "../support/process/world.ts";
import { startChild } from "./child.ts";
import type { SharedStoreCalls } from "./processes/shared-store.ts";

const key = Buffer.alloc(32, 7);
const minuteMs = 60_000;
const startDeadlineMs = 60_000;
const serversPerShard = 2_500;
/** By this round every server must have been polled within one interval. */
const mostRounds = 16;
const shareOfRound = 0.98;

/** Servers with alerts on since earlier days. Each has a token of its own. Their stores have the same orders. */
export interface FleetPlan {
  readonly servers: number;
  /** Interval of each server's polls: whole seconds, at most a minute. */
  readonly intervalMs: number;
  /** Orders that wait in each store. */
  readonly pending: number;
  /** The oldest orders that were alerted and are followed. The others existed before alerts were turned on. */
  readonly followed?: number;
  /** False: stores are connected, but alerts were never turned on. */
  readonly isAlerting?: boolean;
  /** The time that the store takes to answer. */
  readonly answerAfterMs?: number;
  /** With workers, a queue and another Redis as storage. 0: one process on Redis. Undefined: one process on SQLite. */
  readonly workers?: number;
}

export type Fleet = Awaited<ReturnType<typeof startFleet>>;

export const tokenOf = ({ id }: GuildModel) => `token-of-${id}`;

async function startRedis(stack: AsyncDisposableStack): Promise<string> {
  const server = stack.use(await startRedisServer());
  return server.url;
}

/** Resolves when the processes are ready. */
export async function startFleet(plan: FleetPlan) {
  const { servers, intervalMs, pending, followed = 0, isAlerting = true, answerAfterMs = 0, workers } = plan;
  await using stack = new AsyncDisposableStack();
  // As at Discord: a connection for up to 2,500 servers, spread unevenly. Large bots begin 16 connections at a time.
  const discord = { shards: 1 + Math.floor(servers / serversPerShard), maxConcurrency: 16 };
  const world = stack.use(await createWorld({ discord }));
  const store = stack.use(await startChild<SharedStoreCalls>("shared-store.ts"));
  const [storeUrl, orders] = [await store.call("url"), await store.call("seed", pending, answerAfterMs)];
  const people = [{ name: "owner" }];
  const guilds = Array.from({ length: servers }, () =>
    world.discord.addGuild({ channels: ["new-orders", "staff"], roles: [], people }),
  );
  const storageUrl = workers === undefined ? `sqlite://${world.database}` : await startRedis(stack);
  await seedServers({
    storageUrl,
    key,
    servers: guilds.map((guild) => ({ guild, token: tokenOf(guild) })),
    isAlerting,
    rowsOf: ({ guild }) =>
      new Map(
        orders.map((order, index) => {
          if (index >= followed) return [order.id, dealtWith];
          const facts = factsOf({ ...order, createdAt: Date.parse(order.createdAt) });
          return [order.id, openRow(facts, guild.channel("new-orders"), "1", Date.now())];
        }),
      ),
  });
  const environment = {
    LOG_LEVEL: "info",
    POLL_SCHEDULE: intervalMs === minuteMs ? "0 * * * * *" : `*/${intervalMs / 1_000} * * * * *`,
    SECRET_KEYS: key.toString("base64"),
    STORE_API_URL: storeUrl,
    STORAGE_URL: storageUrl,
    ...collectable,
  };
  const queueUrl = workers ? await startRedis(stack) : undefined;
  const role = queueUrl === undefined ? environment : { ...environment, ROLE: "worker", QUEUE_URL: queueUrl };
  const first = world.launch(role);
  const others = Array.from({ length: (workers || 1) - 1 }, () => world.launch(role));
  const bots = [first, ...others] as const;
  await Promise.all(bots.map((bot) => bot.printed('"msg":"ready"', startDeadlineMs)));
  const end = stack.move();
  return {
    world,
    store,
    storeUrl,
    guilds,
    bots,
    queueUrl,
    [Symbol.asyncDispose]: () => end.disposeAsync(),
  };
}

/**
 * Resolves after the first interval in which nearly every server was polled. Until then, every order of every store is
 * parsed and looked up, which may take minutes of processor time.
 */
export async function untilAllArePolled({ store, guilds }: Fleet, intervalMs: number): Promise<void> {
  for (let round = 0; round < mostRounds; round++) {
    await store.call("reset");
    await wait(intervalMs);
    const { servers } = await store.call("counted");
    if (servers >= shareOfRound * guilds.length) return;
  }
  throw new Error(`not all servers are polled after ${mostRounds} rounds`);
}

const cpuOfAll = async ({ bots }: Fleet) => sum(await Promise.all(bots.map(({ pid }) => cpuOf(pid))));

/** `windowMs` must be whole intervals. Then each server has one poll in each of them. */
export async function loadOf(fleet: Fleet, windowMs: number) {
  const before = await cpuOfAll(fleet);
  await fleet.store.call("reset");
  await wait(windowMs);
  const { requests, polls } = await fleet.store.call("counted");
  return {
    polls,
    requests,
    /** Of all of the bot's processes, in ms. */
    cpu: (await cpuOfAll(fleet)) - before,
    /** The machine's load average at the end. */
    machine: loadavg()[0] ?? Number.NaN,
  };
}

/** Commands a second that clients send to the queue's Redis. Those of scripts do not count. */
export async function queueCommands({ queueUrl = "" }: Fleet, windowMs: number): Promise<number> {
  const redis = new Redis(queueUrl);
  const monitor = await redis.monitor();
  let count = 0;
  monitor.on("monitor", (_time: string, _words: readonly string[], source: string) => {
    if (source !== "lua") count++;
  });
  await wait(windowMs);
  monitor.disconnect();
  redis.disconnect();
  return count / (windowMs / 1_000);
}

/** Of the largest process after a garbage collection, in MB (10^6 bytes). */
export async function largestOf({ bots }: Fleet): Promise<{ rss: number; heap: number }> {
  const all = await Promise.all(bots.map((bot) => collect(bot)));
  return { rss: Math.max(...all.map(({ rss }) => rss)), heap: Math.max(...all.map(({ heap }) => heap)) };
}
