import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createRedisServer, redisInstalled } from "../support/database-server.ts";
import { allShown, timesShown } from "../support/shown-orders.ts";
import { sized } from "../support/sized.ts";
import { connectStore, createWorld, setAlerts, type World } from "../support/world.ts";

/** How often the process that polls is suspended, and for how long at least: it lasts until the other one has taken over. */
const suspensions = sized(1, 20);
const suspendedMs = sized(0, 60_000);
/** The lease is 15 s, and is looked at every 5 s. */
const takeoverMs = 40_000;
/** By then Discord has forgotten a nonce, and drops no repeat any more. */
const nonceMs = 6 * 60_000;

const place = ({ store }: World, count: number) => store.placeOrders(count).map(({ id }) => id);

const path = /\/channels\/\d+\/messages$/;

/** For how long Discord has a send wait. */
const rateLimitMs = 2_000;

/** Each places orders, and resolves at the moment to suspend the process that polls. */
const moments: readonly (readonly [name: string, (world: World) => Promise<string[]>])[] = [
  [
    "while a send waits for a rate limit",
    async (world) => {
      const { discord } = world;
      const status = 429;
      const body = { message: "You are being rate limited.", retry_after: rateLimitMs / 1_000, global: false };
      discord.fail({
        method: "POST",
        path,
        times: 1,
        status,
        body,
        headers: { "retry-after": String(rateLimitMs / 1_000) },
      });
      const sent = discord.requests.length;
      const ids = place(world, 2);
      const isRefused = () => discord.requests.slice(sent).find((request) => request.status === status);
      await discord.waitFor(isRefused, "a send that has to wait", 10_000);
      // It may have read that by now, or not: the moment is random.
      await wait(Math.random() * 100);
      return ids;
    },
  ],
  [
    "while Discord's answer is on its way",
    async (world) => {
      const { discord } = world;
      discord.fail({ method: "POST", path, times: 1, delayMs: 1_000 });
      const sent = discord.requests.length;
      const ids = place(world, 2);
      const isSent = () =>
        discord.requests.slice(sent).find(({ method, path: to }) => method === "POST" && path.test(to));
      await discord.waitFor(isSent, "a send", 10_000);
      return ids;
    },
  ],
  [
    "at a random moment of a poll",
    async (world) => {
      const { store } = world;
      const seen = store.requests.length;
      const ids = place(world, 2);
      await store.waitFor(() => store.requests.length > seen, "a poll", 10_000);
      // The moment is what is random here: nothing is waited for.
      await wait(Math.random() * 60);
      return ids;
    },
  ],
];

describe.skipIf(!redisInstalled)("two processes on one Redis (apt-get install redis-server)", () => {
  it(
    `lose and double no order while the one that polls is suspended in mid-send, ${suspensions} times (0.1.0: doubled)`,
    async () => {
      const redis = await createRedisServer();
      await using stack = new AsyncDisposableStack();
      stack.defer(() => redis.remove());
      await redis.start();
      let aheadMs = 0;
      const world = stack.use(await createWorld({ discordNow: () => Date.now() + aheadMs }));
      const environment = { STORAGE_URL: redis.url };
      let polling = await world.start(environment);
      await connectStore(world);
      await setAlerts(world);
      let standby = await world.start(environment);

      const placed: string[] = [];
      for (let round = 0; round < suspensions; round++) {
        const [name, moment] = moments[round % moments.length] ?? ["", () => Promise.resolve([])];
        const ids = await moment(world);
        polling.signal("SIGSTOP");
        const from = performance.now();
        ids.push(...place(world, 6));
        await allShown(world, ids, takeoverMs);
        const tookOverMs = performance.now() - from;
        await wait(Math.max(suspendedMs - tookOverMs, 0));
        aheadMs += nonceMs;
        polling.signal("SIGCONT");
        // By then the resumed process would have sent what it still had to send, even after the whole of that wait.
        const until = performance.now() + rateLimitMs + 1_500;
        while (performance.now() < until) {
          const later = place(world, 1);
          await allShown(world, later, takeoverMs);
          ids.push(...later);
        }
        console.info(`suspended ${name}: the other process had posted after ${Math.round(tookOverMs / 100) / 10} s`);
        expect(timesShown(world, ids), `round ${round}, ${name}`).toEqual(ids.map(() => 1));
        placed.push(...ids);
        [polling, standby] = [standby, polling];
      }

      const times = timesShown(world, placed);
      const lost = times.filter((count) => count === 0).length;
      const doubled = times.filter((count) => count > 1).length;
      console.info(`${suspensions} suspensions, ${placed.length} orders: lost ${lost}, doubled ${doubled}`);

      expect({ lost, doubled }).toEqual({ lost: 0, doubled: 0 });
      for (const bot of [standby, polling]) expect((await bot.stop()).code).toBe(0);
    },
    60_000 + suspensions * (takeoverMs + suspendedMs + 30_000),
  );
});
