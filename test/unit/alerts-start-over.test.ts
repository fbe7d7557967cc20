import { expect, it } from "vitest";
import { createAlertWorld, guildId, idsOf, rightIn, standby, timesPosted } from "../support/alert-world.ts";

it("suspended inside startOver after an attempt that was killed: what waited in the other store does not ring", async () => {
  const world = await createAlertWorld();
  const life = world.start();
  world.store.place(150);
  world.pass(60_000);
  await world.turnOn(life);
  const away = await createAlertWorld();
  away.pass(world.now() - away.now());
  for (const order of away.store.place(4)) order.id = `bbbbbbbb${order.id.slice(8)}`;
  world.stores.set("of b", away.store);
  world.pass(60_000);
  const gateway = world.start(undefined, undefined, standby);
  await gateway.alerts.connect(guildId, away.store, "token of b");
  // Killed once the orders are taken as seen, before that is written down.
  const killed = world.start(undefined, undefined, undefined, {
    commits: {
      before(steps) {
        if (steps.some(({ table }) => table === "started")) throw new Error("killed");
      },
    },
  });
  await killed.alerts.poll(guildId);
  // The next one is suspended between two slices of what it deletes.
  const wakes = Promise.withResolvers<void>();
  const sleeps = Promise.withResolvers<void>();
  let removals = 0;
  let term: number | undefined = 1;
  const right = rightIn(() => term);
  const first = world.start(undefined, undefined, right, {
    commits: {
      async before(steps) {
        if (!steps.some(({ table, write }) => table.startsWith("orders:") && write && !write.raw) || ++removals > 1)
          return;
        sleeps.resolve();
        await wakes.promise;
      },
    },
  });
  const polled = first.alerts.poll(guildId);
  // Or there is nothing left to be deleted.
  await Promise.race([sleeps.promise, polled]);
  term = undefined;
  const second = world.start();
  await second.alerts.poll(guildId);
  world.pass(15_000);
  wakes.resolve();
  await polled;
  for (let poll = 0; poll < 3; poll++) {
    second.alerts.forgetMemory();
    await second.alerts.poll(guildId);
    await second.alerts.idle();
    world.pass(15_000);
  }
  expect(timesPosted(world.channel, idsOf(away.store.orders))).toEqual([0, 0, 0, 0]);
});
