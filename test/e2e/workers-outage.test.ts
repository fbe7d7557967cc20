import { once } from "node:events";
import { rm } from "node:fs/promises";
import { connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { textOf } from "../sandbox/discord/discord.ts";
import { sharedKeys, startCrew } from "../support/process/bot-forms.ts";
import { type DatabaseServer, redisInstalled, startRedisServer } from "../support/process/database-server.ts";
import { morePolls } from "../support/process/polls.ts";
import {
  allRing,
  countRings,
  longestSilence,
  placeIn,
  settleTenants,
  type Tenant,
} from "../support/process/tenants.ts";
import { createWorld, run, setAlerts } from "../support/process/world.ts";
import { sized, whenLong } from "../support/sized.ts";

/** Longer than a lease (15 s) and a job's lock last. */
const outageMs = sized(16_000, 60_000);
/** Time until every server is polled again after Redis is back, or empty. */
const backMs = 60_000;
/** Each server is polled every 2 s. Longer pauses are not allowed during an outage of Redis. */
const quietMs = 10_000;
/** docs/several-processes.md says 30 s; the rest is for a machine under load. */
const takeOverMs = 40_000;
/** The lease of a process without a queue lasts 15 s, and others check it every 5 s. */
const leaseMs = 40_000;

/** Commands about the tenants to the storage, a Redis, while each of them is polled `count` more times. */
async function storageUse({ url }: DatabaseServer, tenants: readonly Tenant[], count: number): Promise<string[]> {
  const { hostname, port } = new URL(url);
  // ioredis' `monitor` throws if commands arrive together with the answer to MONITOR.
  const monitor = connect(Number(port), hostname).setEncoding("utf8");
  let seen = "";
  monitor.on("data", (text: string) => {
    seen += text;
  });
  monitor.write("MONITOR\r\n");
  await once(monitor, "data");
  await Promise.all(tenants.map((tenant) => morePolls(tenant, count, tenant.shop)));
  monitor.destroy();
  return seen.split("\r\n").filter((command) => tenants.some(({ guild }) => command.includes(guild.id)));
}

describe.skipIf(!redisInstalled)("workers", () => {
  /** Holds the data of all tests, each in a database of its own. This server has no outage. */
  let storage: DatabaseServer;
  let databases = 0;
  beforeAll(async () => {
    storage = await startRedisServer();
  });
  afterAll(() => storage[Symbol.asyncDispose]());

  async function open() {
    const redis = await startRedisServer();
    const world = await createWorld();
    databases += 1;
    const alone = { ...sharedKeys, STORAGE_URL: `${storage.url}/${databases}` };
    const placed = new Map<Tenant, string[]>();
    return {
      redis,
      world,
      alone,
      environment: { ...alone, QUEUE_URL: redis.url },
      placed,
      async settle(count: number): Promise<Tenant[]> {
        const tenants = await settleTenants(world, count);
        for (const tenant of tenants) placed.set(tenant, []);
        return tenants;
      },
      place(count: number) {
        for (const [tenant, ids] of placed) ids.push(...placeIn(tenant, count));
      },
      ring: (deadlineMs = backMs) => allRing(world, placed, deadlineMs),
      async [Symbol.asyncDispose]() {
        await world[Symbol.asyncDispose]();
        await redis[Symbol.asyncDispose]();
      },
    };
  }

  it("do not use the storage while nothing is new, and poll on while the queue's Redis is gone, when it comes back empty and when it is emptied, with commands as always; the servers of one that is killed go to the other, and the other's to a process without QUEUE_URL that waited for its end", async () => {
    await using scene = await open();
    const { redis, world, alone, environment, placed, settle, place, ring } = scene;
    const { workers } = await startCrew(world, environment);
    // With so many servers, each worker surely polls some of them.
    const tenants = await settle(12);
    const [tenant] = tenants;
    if (!tenant) throw new Error("no tenant");
    place(2);
    await ring();
    // At first the workers give each other their share, and read what moves. They do so every 5 s, if at all.
    await expect.poll(() => storageUse(storage, tenants, 6), { timeout: backMs }).toEqual([]);
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
    expect(longestSilence(tenants, from)).toBeLessThan(quietMs);
    place(1);
    await rm(`${redis.directory}/appendonlydir`, { recursive: true });
    await redis.start();
    await ring();

    place(2);
    const emptiedAt = Date.now();
    const queue = new Redis(redis.url);
    await queue.flushall().finally(() => queue.disconnect());
    place(2);
    await ring();
    expect(longestSilence(tenants, emptiedAt)).toBeLessThan(backMs);

    await workers[0]?.kill();
    place(1);
    await ring(takeOverMs);
    const bot = world.launch({ ...alone, ROLE: "all" });
    await bot.printed("another process polls on this storage already");
    await workers[1]?.stop();
    place(2);
    await ring(leaseMs);
    expect(countRings(placed)).toEqual({ lost: 0, doubled: 0 });
  });

  whenLong(() => {
    it("of two bots share a Redis without sharing keys", async () => {
      await using scene = await open();
      const { redis, world, environment, placed, settle, place, ring } = scene;
      await using other = await createWorld({ discord: { applicationId: "1400000000000000001" } });
      databases += 1;
      await startCrew(world, environment, 1);
      await startCrew(other, { ...environment, STORAGE_URL: `${storage.url}/${databases}` }, 1);
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
