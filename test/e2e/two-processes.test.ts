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
/** For how long Discord has a send wait. */
const rateLimitMs = 2_000;

const place = ({ store }: World, count: number) => store.placeOrders(count).map(({ id }) => id);

/** How Discord treats the send in which the polling process is suspended. */
const sends = [
  {
    status: 429,
    body: { message: "You are being rate limited.", retry_after: rateLimitMs / 1_000, global: false },
    headers: { "retry-after": String(rateLimitMs / 1_000) },
  },
  { delayMs: 1_000 },
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
      const { discord } = world;
      const environment = { STORAGE_URL: redis.url };
      let polling = await world.start(environment);
      await connectStore(world);
      await setAlerts(world);
      let standby = await world.start(environment);

      for (let round = 0; round < suspensions; round++) {
        discord.fail({ method: "POST", path: /\/channels\/\d+\/messages$/, times: 1, ...sends[round % sends.length] });
        const sent = discord.requests.length;
        const ids = place(world, 2);
        const isSent = () => discord.requests.slice(sent).find(({ path }) => path.endsWith("/messages"));
        await discord.waitFor(isSent, "a send", 10_000);
        // The process may have read a refusal by now, or not: the moment is random.
        await wait(Math.random() * 100);
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
        console.info(`round ${round}: the other process had posted after ${Math.round(tookOverMs / 100) / 10} s`);
        expect(timesShown(world, ids), `round ${round}`).toEqual(ids.map(() => 1));
        [polling, standby] = [standby, polling];
      }
      for (const bot of [standby, polling]) expect((await bot.stop()).code).toBe(0);
    },
    60_000 + suspensions * (takeoverMs + suspendedMs + 30_000),
  );
});
