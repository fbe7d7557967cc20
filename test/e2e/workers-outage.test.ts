import { setTimeout as wait } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { emptyRedis, sharedKeys, startCrew } from "../support/bot-forms.ts";
import { createRedisServer, type DatabaseServer, redisInstalled } from "../support/database-server.ts";
import { sized, whenLong } from "../support/sized.ts";
import { allRing, countRings, longestSilence, placeIn, settleTenants, type Tenant } from "../support/tenants.ts";
import { createWorld, run, setAlerts, type World } from "../support/world.ts";

/** Longer than a lease and a job's lock (15 s) last. */
const outageMs = sized(16_000, 60_000);
/** Within so long after Redis is back, or empty, every server is polled again. */
const backMs = 60_000;
/** A server is polled every 2 s: nothing else is to be seen of such an outage. */
const quietMs = 10_000;
/** A process without a queue holds its lease for 15 s, and is looked at every 5 s. */
const leaseMs = 40_000;
const timeout = 180_000;

describe.skipIf(!redisInstalled)("workers", { timeout }, () => {
  let redis: DatabaseServer;
  /** Of its own: what happens to the queue does not happen to it. */
  let storage: DatabaseServer;
  let world: World;
  let alone: Readonly<Record<string, string>>;
  let environment: Readonly<Record<string, string>>;
  let placed: Map<Tenant, string[]>;
  beforeEach(async () => {
    redis = await createRedisServer();
    storage = await createRedisServer();
    await Promise.all([redis.start(), storage.start()]);
    world = await createWorld();
    alone = { ...sharedKeys, STORAGE_URL: `${storage.url}/1` };
    environment = { ...alone, QUEUE_URL: redis.url };
    placed = new Map();
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    await Promise.all([redis.remove(), storage.remove()]);
  });

  const settle = async (count: number) => {
    const tenants = await settleTenants(world, count);
    placed = new Map(tenants.map((tenant) => [tenant, []]));
    return tenants;
  };
  const place = (count: number) => {
    for (const [tenant, ids] of placed) ids.push(...placeIn(tenant, count));
  };
  const ring = (deadlineMs = backMs) => allRing(world, placed, deadlineMs);
  const seconds = (ms: number) => (ms / 1_000).toFixed(1);

  it("poll on while the queue's Redis is gone, and commands do what they do", async () => {
    await startCrew(world, environment);
    const tenants = await settle(3);
    const [tenant] = tenants;
    if (!tenant) throw new Error("no tenant");
    place(2);
    await ring();
    await redis.kill();
    const from = Date.now();
    place(2);

    await ring();
    expect(await setAlerts(tenant)).toContain("✅");
    place(2);
    await ring();
    const status = textOf(await run(tenant, "alerts status").settled());
    expect(status).toContain(`<#${tenant.guild.channel("new-orders")}>`);
    await wait(Math.max(from + outageMs - Date.now(), 0));
    place(1);
    await redis.start();
    await ring();

    console.info(
      `Redis gone for ${seconds(Date.now() - from)} s: longest silence of a server ${seconds(longestSilence(tenants, from))} s`,
    );
    expect(countRings(placed)).toEqual({ lost: 0, doubled: 0 });
    expect(longestSilence(tenants, from)).toBeLessThan(quietMs);
  });

  it("go on when the queue's Redis was emptied, and keep a process without QUEUE_URL from polling until they have ended", async () => {
    const { workers } = await startCrew(world, environment);
    const tenants = await settle(3);
    place(2);
    await ring();
    place(2);
    const from = Date.now();
    await emptyRedis(redis.url);
    const bot = world.launch({ ...alone, ROLE: "all", DISCORD_GUILD_ID: undefined });
    place(1);
    await ring();
    await bot.printed("another process polls on this storage already", 20_000);
    place(3);
    await ring();
    console.info(`Redis emptied: longest silence of a server ${seconds(longestSilence(tenants, from))} s`);
    expect(countRings(placed)).toEqual({ lost: 0, doubled: 0 });
    expect(longestSilence(tenants, from)).toBeLessThan(backMs);

    await Promise.all(workers.map((worker) => worker.stop()));
    place(2);
    await ring(leaseMs);
    expect(countRings(placed)).toEqual({ lost: 0, doubled: 0 });
    // Both gateways are sent every interaction; this one is not to be asked anything.
    await bot.kill();
  });

  whenLong(() => {
    it("wait for a process without QUEUE_URL that polls on their storage, until it ends", async () => {
      const bot = await world.start(alone);
      await settle(2);
      place(1);
      await ring();
      const worker = world.launch({ ...environment, ROLE: "worker" });
      await worker.printed("workers wait until it ends", 20_000);
      place(3);
      await ring();
      expect(countRings(placed)).toEqual({ lost: 0, doubled: 0 });

      await bot.kill();
      place(3);
      await ring(leaseMs);
      expect(countRings(placed)).toEqual({ lost: 0, doubled: 0 });
    });

    it("of two bots share a Redis without meeting", async () => {
      await using other = await createWorld({ discord: { applicationId: "1400000000000000001" } });
      await startCrew(world, environment, 1);
      await startCrew(other, { ...environment, STORAGE_URL: `${storage.url}/2` }, 1);
      await settle(3);
      const others = new Map((await settleTenants(other, 3)).map((tenant) => [tenant, placeIn(tenant, 3)]));
      place(3);
      await Promise.all([ring(), allRing(other, others, backMs)]);
      expect(countRings(placed)).toEqual({ lost: 0, doubled: 0 });
      expect(countRings(others)).toEqual({ lost: 0, doubled: 0 });

      const client = new Redis(redis.url);
      const keys = await client.keys("*").finally(() => client.disconnect());
      const owners = new Set(keys.map((key) => key.split(":").slice(0, 2).join(":")));
      expect([...owners].sort()).toEqual(
        [world, other].map(({ discord }) => `shopbell:${discord.applicationId}`).sort(),
      );
    });
  });
});
