import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sharedKeys, startCrew } from "../support/bot-forms.ts";
import { type DatabaseServer, redisInstalled, startRedisServer } from "../support/database-server.ts";
import { dealtWith } from "../support/order-rows.ts";
import { seedServers } from "../support/seed-servers.ts";
import { allRing, placeIn, type Tenant } from "../support/tenants.ts";
import { watchCommands } from "../support/watch-commands.ts";
import { createWorld, type World } from "../support/world.ts";

const key = Buffer.alloc(32, 7);
/** Commands of a quiet poll to the queue's Redis, with 100 servers every 4 s. */
const mostCommands = 3;
/** In so many rounds of polls, all partitions come to their last place. */
const mostMoves = 10;
const timeout = 180_000;

describe.skipIf(!redisInstalled)("workers", { timeout }, () => {
  let redis: DatabaseServer;
  let storage: DatabaseServer;
  let world: World;
  let environment: Readonly<Record<string, string>>;
  beforeEach(async () => {
    [redis, storage] = await Promise.all([startRedisServer(), startRedisServer()]);
    world = await createWorld();
    environment = { ...sharedKeys, QUEUE_URL: redis.url, STORAGE_URL: storage.url, LOG_LEVEL: "info" };
  });
  afterEach(async () => {
    await world[Symbol.asyncDispose]();
    await Promise.all([redis, storage].map((server) => server[Symbol.asyncDispose]()));
  });

  async function seed(count: number, pending = 0): Promise<Tenant[]> {
    const tenants = Array.from({ length: count }, () => ({
      ...world,
      guild: world.discord.addGuild(),
      shop: world.store.addShop(),
    }));
    const seen = new Map(tenants.map(({ guild, shop }) => [guild.id, shop.placeOrders(pending)]));
    await seedServers({
      storageUrl: storage.url,
      key,
      servers: tenants.map(({ guild, shop }) => ({ guild, token: shop.token })),
      rowsOf: ({ guild }) => new Map(seen.get(guild.id)?.map(({ id }) => [id, dealtWith])),
    });
    return tenants;
  }
  /** Resolves once each tenant was polled so often from now on, to the lowest and the highest count. */
  async function polled(tenants: readonly Tenant[], times: number, deadlineMs?: number) {
    const counts = new Map(tenants.map(({ shop }) => [shop.token, 0]));
    let next = world.store.requests.length;
    let missing = counts.size;
    // Each request is looked at once, because to count all at each request would slow the store down.
    const look = () => {
      for (; next < world.store.requests.length; next++) {
        const { token = "", page } = world.store.requests[next] ?? {};
        const count = counts.get(token);
        if (count === undefined || page !== 1) continue;
        counts.set(token, count + 1);
        if (count + 1 === times) missing--;
      }
      return missing === 0;
    };
    await world.store.waitFor(look, `${times} polls of every server`, deadlineMs);
    const all = [...counts.values()];
    return { least: Math.min(...all), most: Math.max(...all), sum: all.reduce((sum, count) => sum + count, 0) };
  }

  it("that are too slow for the schedule fall behind evenly, and say so in the log", async () => {
    const tenants = await seed(600);
    world.store.fail({ path: /order$/, delayMs: 2_000 });
    const { workers } = await startCrew(world, { ...environment, POLL_SCHEDULE: "*/1 * * * * *" }, 1);
    await polled(tenants, 1);
    const counts = await polled(tenants, 5);

    expect(workers[0]?.output()).toContain("polls run late");
    expect(counts.most).toBeLessThanOrEqual(2 * counts.least);
  });

  it.each([
    [1, 100],
    [5, 12],
  ])("that take turns leave the storage alone while nothing is new in stores of %i pages", async (pages, count) => {
    const tenants = await seed(count, pages === 1 ? 3 : 401);
    using kept = await watchCommands(storage.url);
    const { workers } = await startCrew(world, { ...environment, POLL_SCHEDULE: `*/${pages === 1 ? 4 : 2} * * * * *` });
    await polled(tenants, pages === 1 ? 3 : 9, 120_000);
    const isOfServer = (command: string) => tenants.some(({ guild }) => command.includes(guild.id));
    // Workers that start one after the other give each other their share, and read once what moves.
    let warm = 0;
    for (let round = 0; round < mostMoves && kept.seen.slice(warm).some(isOfServer); round++) {
      warm = kept.seen.length;
      await polled(tenants, 1, 120_000);
    }
    warm = kept.seen.length;
    using queued = await watchCommands(redis.url);
    const { sum } = await polled(tenants, pages === 1 ? 3 : 5, 120_000);
    const perPoll = queued.seen.length / sum;
    const quiet = kept.seen.slice(warm);
    // Each process renews its lease every 5 s, and looks for ended processes every minute.
    const isLook = /^"(?:GET|MGET|HMGET|PING|TIME|HSCAN)"|ZRANGEBYSCORE|"shopbell\/members"/i;
    expect(quiet.filter((command) => !isLook.test(command))).toEqual([]);
    expect(quiet.filter(isOfServer)).toEqual([]);
    if (count === 100) expect(perPoll).toBeLessThanOrEqual(mostCommands);
    const placed = new Map(tenants.slice(0, 3).map((tenant) => [tenant, placeIn(tenant, 1)]));
    await allRing(world, placed);
    for (const worker of workers) expect((await worker.stop()).code).toBe(0);
  });
});
