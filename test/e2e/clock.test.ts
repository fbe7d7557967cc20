import { describe, expect, test } from "vitest";
import { createBotClock } from "../support/process/bot-clock.ts";
import { queueOn } from "../support/process/bot-forms.ts";
import { redisInstalled, startRedisServer } from "../support/process/database-server.ts";
import { alertOf, timesShown } from "../support/process/shown-orders.ts";
import { connectStore, createWorld, setAlerts, type World } from "../support/process/world.ts";
import { sized } from "../support/sized.ts";

const hourMs = 3_600_000;
const intervalMs = 1_000;

/** Waits until the new order is in the channel. Returns its id. */
async function ring(world: World): Promise<string> {
  const { id } = world.store.placeOrder();
  await alertOf(world, id);
  return id;
}

// Both forms have the same schedule; the queue adds to it.
const queue = ["by a queue", true] as const;
describe.each(sized([queue], [queue, ["by a lease", false]]))("%s", (_, isQueue) => {
  test.skipIf(isQueue && !redisInstalled)(
    "orders ring within some intervals while the wall clock is set back by three hours and forth again (0.1.0: none for three hours), and nothing is polled more often",
    async () => {
      await using stack = new AsyncDisposableStack();
      const environment = isQueue ? queueOn(stack.use(await startRedisServer())) : {};
      const world = stack.use(await createWorld());
      const clock = createBotClock(world.directory);
      const bot = await world.start({ ...environment, ...clock.environment, POLL_SCHEDULE: "*/1 * * * * *" });
      await connectStore(world);
      await setAlerts(world);

      const rung = [await ring(world)];
      const from = Date.now();
      const offsets = [-3 * hourMs, 3 * hourMs, ...sized([], [0, 3 * hourMs - 20_000, 1_500])];
      for (const offsetMs of offsets) {
        await clock.set(bot, offsetMs);
        for (let order = 0; order < sized(1, 3); order++) rung.push(await ring(world));
      }
      const polls = world.store.requests.filter(({ at, page }) => at >= from && page !== undefined).length;
      const ticks = (Date.now() - from) / intervalMs;

      expect(timesShown(world, rung)).toEqual(rung.map(() => 1));
      expect(polls).toBeLessThan(2 * (ticks + offsets.length));
      expect((await bot.stop()).code).toBe(0);
    },
  );
});
