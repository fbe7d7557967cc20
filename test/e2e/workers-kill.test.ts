import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedKeys } from "../support/bot-forms.ts";
import { createRedisServer, type DatabaseServer, redisInstalled } from "../support/database-server.ts";
import { seed, sized } from "../support/sized.ts";
import { allRing, countRings, longestSilence, placeIn, settleTenants, type Tenant } from "../support/tenants.ts";
import { type Bot, createWorld, type World } from "../support/world.ts";

const kills = sized(2, 50);
/** By default one process is suspended, in `two-processes.test.ts`. */
const suspensions = sized(0, 20);
const orders = sized(50, 1_000);

/** Each with a channel of its own: Discord takes five messages in 5 s for each. */
const tenantCount = 6;
/** A supervisor's wait before it starts a process again; shorter than that of the unit for systemd (10 s). */
const restartMs = 1_000;
/** By then Discord has forgotten a nonce, and drops no repeat any more. */
const nonceMs = 6 * 60_000;
/** No server is to be left alone for longer, whatever dies. */
const longestSilenceMs = 60_000;
const readyMs = 60_000;

const roles = ["gateway", "worker", "worker"] as const;

const momentOf = fc.record({
  victim: fc.nat({ max: roles.length - 1 }),
  /** Between the start of a process and what happens next. */
  lifeMs: fc.integer({ min: 0, max: 3_000 }),
  before: fc.nat({ max: tenantCount - 1 }),
  after: fc.nat({ max: tenantCount - 1 }),
  /** From within the lease's 15 s to well beyond them. */
  suspendedMs: fc.integer({ min: sized(16_000, 5_000), max: sized(18_000, 40_000) }),
  forgetsNonce: fc.boolean(),
});

describe.skipIf(!redisInstalled)("two workers and a gateway (apt-get install redis-server)", () => {
  let redis: DatabaseServer;
  beforeAll(async () => {
    redis = await createRedisServer();
    await redis.start();
  });
  afterAll(() => redis.remove());

  it(`lose and double no order while one of them is killed at random ${kills} times and suspended ${suspensions} times (seed ${seed})`, {
    timeout: 240_000 + kills * 30_000 + suspensions * 120_000,
  }, async () => {
    let aheadMs = 0;
    await using world: World = await createWorld({ discordNow: () => Date.now() + aheadMs });
    const environment = {
      ...sharedKeys,
      QUEUE_URL: redis.url,
      STORAGE_URL: `${redis.url}/1`,
      POLL_SCHEDULE: "*/2 * * * * *",
      LOG_LEVEL: "info",
    };
    const launch = (index: number) => world.launch({ ...environment, ROLE: roles[index] });
    const bots = roles.map((_, index) => launch(index));
    const ready = (bot: Bot | undefined) => bot?.printed('"msg":"ready"', readyMs);
    await Promise.all(bots.map(ready));
    const tenants = await settleTenants(world, tenantCount);
    const placed = new Map<Tenant, string[]>(tenants.map((tenant) => [tenant, []]));
    let left = orders;
    function place(first: number, count: number) {
      for (let n = 0; n < count && left > 0; n++, left--) {
        const tenant = tenants[(first + n) % tenantCount];
        if (tenant) placed.get(tenant)?.push(...placeIn(tenant, 1));
      }
    }
    const rounds = kills + suspensions;
    const share = Math.ceil(orders / (2 * rounds));
    const everyOther = Math.max(Math.floor(rounds / Math.max(suspensions, 1)), 1);
    const from = Date.now();

    for (const [round, moment] of fc.sample(momentOf, { seed, numRuns: rounds }).entries()) {
      const { victim, lifeMs, before, after, suspendedMs, forgetsNonce } = moment;
      // A gateway sends nothing: what wakes up is to be a worker.
      const isSuspended = round % everyOther === 0 && round / everyOther < suspensions;
      const index = isSuspended ? 1 + (victim % 2) : victim;
      place(before, share);
      // The moment is what is random here: nothing is waited for.
      await wait(lifeMs);
      const bot = bots[index];
      if (isSuspended) {
        bot?.signal("SIGSTOP");
        place(after, share);
        await wait(suspendedMs);
        if (forgetsNonce) aheadMs += nonceMs;
        bot?.signal("SIGCONT");
      } else {
        await bot?.kill();
        place(after, share);
        if (forgetsNonce) aheadMs += nonceMs;
        await wait(restartMs);
        bots[index] = launch(index);
        await ready(bots[index]);
      }
    }
    await allRing(world, placed, 90_000).catch((error: unknown) => console.info(String(error)));
    const silence = longestSilence(tenants, from);
    // Whoever would still double something does it by the time that later orders ring.
    for (const [tenant, ids] of placed) ids.push(...placeIn(tenant, 1));
    await allRing(world, placed, 60_000).catch((error: unknown) => console.info(String(error)));
    const { lost, doubled } = countRings(placed);
    const seconds = (ms: number) => (ms / 1_000).toFixed(1);
    console.info(
      `${kills} kills, ${suspensions} suspensions, ${[...placed.values()].flat().length} orders, seed ${seed}: lost ${lost}, doubled ${doubled}, longest silence of a server ${seconds(silence)} s; ${seconds(Date.now() - from)} s in all`,
    );

    expect({ lost, doubled }, `seed ${seed}`).toEqual({ lost: 0, doubled: 0 });
    expect(silence, `seed ${seed}`).toBeLessThan(longestSilenceMs);
  });
});
