import { cp, rm } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sharedKeys } from "../support/process/bot-forms.ts";
import {
  type DatabaseServer,
  postgresInstalled,
  redisInstalled,
  startPostgresServer,
  startRedisServer,
} from "../support/process/database-server.ts";
import {
  allRing,
  countRings,
  longestSilence,
  placeIn,
  settleTenants,
  type Tenant,
} from "../support/process/tenants.ts";
import { type Bot, createWorld, type World } from "../support/process/world.ts";
import { seed, sized } from "../support/sized.ts";

const counts = {
  kill: sized(1, 50),
  suspend: sized(1, 20),
  rollBack: sized(1, 12),
  // By default `workers-outage.test.ts` has it.
  lose: sized(0, 3),
  changeMode: sized(0, 3),
  changeQueue: sized(0, 2),
};
type Trouble = keyof typeof counts;
const troubles = Object.entries(counts).flatMap(([what, count]) => Array<Trouble>(count).fill(what as Trouble));

const orders = sized(50, 1_000);
const roles = ["gateway", "worker", "worker", ...sized([], ["worker"])];
/** Each tenant has a channel of its own, because Discord takes five messages in 5 s for each. */
const tenantCount = 6;
/** From within the lease's 15 s to well beyond them. */
const suspendedMs = sized(18_000, 60_000);
/**
 * Discord has then forgotten a nonce. A suspended process is not part of this: a request that it was about to send leaves when
 * it goes on (docs/alerts.md, Posting).
 */
const nonceMs = 6 * 60_000;
/** A supervisor's wait before it starts a process again, shorter than in the unit for systemd (10 s). */
const restartMs = 1_000;
/** Longer than a lease (15 s) and a job's lock last. */
const redisLostMs = sized(16_000, 30_000);
const longestSilenceMs = 60_000;
const readyMs = 60_000;

const momentOf = fc.record({
  process: fc.nat(),
  /** Between two kinds of trouble. */
  lifeMs: fc.integer({ min: 0, max: 3_000 }),
  tenant: fc.nat({ max: tenantCount - 1 }),
  forgetsNonce: fc.boolean(),
});

const seconds = (ms: number) => (ms / 1_000).toFixed(1);
const reported = (error: unknown) => console.info(String(error));

async function startBots(world: World, storageUrl: string, stack: AsyncDisposableStack) {
  let redis = stack.use(await startRedisServer());
  const environment = {
    ...sharedKeys,
    STORAGE_URL: storageUrl,
    POLL_SCHEDULE: "*/2 * * * * *",
    LOG_LEVEL: "info",
  };
  const launch = (role: string) => world.launch({ ...environment, ROLE: role, QUEUE_URL: redis.url });
  const ready = (bot: Bot) => bot.printed('"msg":"ready"', readyMs);
  const bots = roles.map(launch);
  await Promise.all(bots.map(ready));
  let suspension: { readonly bot: Bot; readonly over: Promise<void> } | undefined;
  const running = () => bots.flatMap((bot, index) => (bot === suspension?.bot ? [] : [index]));
  async function restart(index: number, end: (bot: Bot) => Promise<unknown>, whileGone = async () => {}) {
    const bot = bots[index];
    if (bot) await end(bot);
    await whileGone();
    const next = launch(roles[index] ?? "worker");
    bots[index] = next;
    await ready(next);
  }
  const stop = (bot: Bot) => bot.stop();
  async function replaceRedis(change: (server: DatabaseServer) => Promise<void>) {
    await redis.kill();
    await change(redis);
    await redis.start();
  }

  return {
    suspensionOver: async () => suspension?.over,
    kill: (process: number, whileGone: () => Promise<void>) => {
      const among = running();
      return restart(among[process % among.length] ?? 0, (bot) => bot.kill(), whileGone);
    },
    /** In the middle of the worker's sends. `place` places an order for each tenant. */
    async suspend(process: number, place: () => void) {
      const bot = bots[1 + (process % (bots.length - 1))];
      if (!bot) throw new Error("no worker");
      const path = /\/channels\/\d+\/messages$/;
      const slow = world.discord.fail({ method: "POST", path, times: tenantCount, delayMs: 1_500 });
      const before = world.discord.requests.length;
      place();
      const sending = () => {
        const sends = world.discord.requests
          .slice(before)
          .filter((one) => one.method === "POST" && path.test(one.path));
        return new Set(sends.map((one) => one.path)).size > 1 || undefined;
      };
      await world.discord.waitFor(sending, "sends in two channels", readyMs);
      bot.signal("SIGSTOP");
      slow();
      const resume = async () => {
        await wait(suspendedMs);
        bot.signal("SIGCONT");
        suspension = undefined;
      };
      suspension = { bot, over: resume() };
    },
    /** Redis restarts with the content that it had before `meanwhile`. */
    async rollBack(meanwhile: () => Promise<void>) {
      const copy = `${redis.directory}-copy`;
      await cp(redis.directory, copy, { recursive: true });
      await meanwhile();
      await replaceRedis(async ({ directory }) => {
        await rm(directory, { recursive: true });
        await cp(copy, directory, { recursive: true });
        await rm(copy, { recursive: true });
      });
    },
    /** Redis is gone for a while, and empty afterwards. */
    lose: () =>
      replaceRedis(async ({ directory }) => {
        await wait(redisLostMs);
        await rm(`${directory}/appendonlydir`, { recursive: true, force: true });
      }),
    /** One process without a queue takes over, and then the processes with the queue again. */
    async changeMode(whileAlone: () => Promise<void>) {
      await Promise.all(bots.map(stop));
      const alone = await world.start({ ...environment, ROLE: "all" });
      await whileAlone();
      await alone.stop();
      bots.splice(0, bots.length, ...roles.map(launch));
      await Promise.all(bots.map(ready));
    },
    /** The processes move one after another. */
    async changeQueue(whileBoth: () => void) {
      redis = stack.use(await startRedisServer());
      for (const index of bots.keys()) {
        await restart(index, stop);
        whileBoth();
      }
    },
  };
}

const storages = [
  { name: "Redis", start: startRedisServer, isInstalled: redisInstalled },
  ...sized([], [{ name: "PostgreSQL", start: startPostgresServer, isInstalled: postgresInstalled }]),
];

describe.skipIf(!redisInstalled).each(storages.filter(({ isInstalled }) => isInstalled))(
  "a gateway and workers, with their data in $name",
  ({ start, name }) => {
    const what = Object.entries(counts).map(([trouble, count]) => `${trouble} ${count}`);

    it(`lose and double no order (${what.join(", ")}; seed ${seed})`, {
      timeout: 240_000 + troubles.length * 90_000,
    }, async () => {
      await using stack = new AsyncDisposableStack();
      const storage = stack.use(await start());
      let aheadMs = 0;
      const world = stack.use(await createWorld({ discord: { now: () => Date.now() + aheadMs } }));
      const bots = await startBots(world, storage.url, stack);
      const tenants = await settleTenants(world, tenantCount);
      const placed = new Map<Tenant, string[]>(tenants.map((tenant) => [tenant, []]));
      const share = Math.max(Math.floor(orders / (2 * troubles.length)), 1);
      let next = 0;
      const placeShare = () => {
        for (let n = 0; n < share; n++, next++) {
          const tenant = tenants[next % tenantCount];
          if (tenant) placed.get(tenant)?.push(...placeIn(tenant, 1));
        }
      };
      const placeEach = () => {
        for (const [tenant, ids] of placed) ids.push(...placeIn(tenant, 1));
      };
      const ring = (ms: number) => allRing(world, placed, ms).catch(reported);
      const from = Date.now();
      const order = fc
        .sample(fc.shuffledSubarray(troubles, { minLength: troubles.length }), { seed, numRuns: 1 })
        .flat();
      const moments = fc.sample(momentOf, { seed, numRuns: order.length });

      for (const [round, { process, lifeMs, tenant, forgetsNonce }] of moments.entries()) {
        const trouble = order[round] ?? "kill";
        const forget = () => {
          if (forgetsNonce) aheadMs += nonceMs;
        };
        const meanwhile = async () => {
          placeShare();
          forget();
          await wait(restartMs);
        };
        const begin: Record<Trouble, () => Promise<void>> = {
          kill: () => bots.kill(process, meanwhile),
          suspend: () => bots.suspend(process, placeEach),
          rollBack: () => bots.rollBack(meanwhile),
          async lose() {
            placeShare();
            await bots.lose();
          },
          changeMode: () => bots.changeMode(meanwhile),
          changeQueue: () => bots.changeQueue(placeShare),
        };
        next += tenant;
        placeShare();
        // The test waits for no event, because the moment is random.
        await wait(lifeMs);
        if (trouble !== "kill" && trouble !== "rollBack") await bots.suspensionOver();
        await begin[trouble]();
      }
      await bots.suspensionOver();
      await ring(90_000);
      const silence = longestSilence(tenants, from);
      // By the time of later alerts, a process would also have sent an order a second time.
      placeEach();
      await ring(60_000);
      const { lost, doubled } = countRings(placed);
      console.info(
        `${name}: ${what.join(", ")}; ${[...placed.values()].flat().length} orders, seed ${seed}: lost ${lost}, doubled ${doubled}, longest silence of a server ${seconds(silence)} s; ${seconds(Date.now() - from)} s in all`,
      );

      expect({ lost, doubled }, `seed ${seed}`).toEqual({ lost: 0, doubled: 0 });
      expect(silence, `seed ${seed}`).toBeLessThan(longestSilenceMs);
    });
  },
);
