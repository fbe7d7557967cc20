import { expect, it } from "vitest";
import type { Right } from "../../src/polling/right.ts";
import { createAlertWorld, guildId, idsOf, killAt, timesPosted } from "../support/alert-world.ts";

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
  const standby: Right = { term: () => undefined, signal: () => AbortSignal.abort() };
  const gateway = world.start(undefined, undefined, standby);
  await gateway.alerts.connect(guildId, away.store, "token of b");
  // Killed once the orders are taken as seen, before that is written down.
  const killed = world.start(killAt(Number.POSITIVE_INFINITY), (table, name) => ({
    ...table,
    async set(...args) {
      if (name === "started") throw new Error("killed");
      await table.set(...args);
    },
  }));
  await killed.alerts.poll(guildId);
  // The next one is suspended between two slices of what it deletes.
  const wakes = Promise.withResolvers<void>();
  const sleeps = Promise.withResolvers<void>();
  let deletes = 0;
  let term: number | undefined = 1;
  const right: Right = { term: () => term, signal: () => new AbortController().signal };
  const wrap: Parameters<typeof world.start>[1] = (table, name) => ({
    ...table,
    async deleteMany(...args) {
      if (name.startsWith("ledger") && ++deletes === 1) {
        sleeps.resolve();
        await wakes.promise;
      }
      await table.deleteMany(...args);
    },
  });
  const first = world.start(undefined, wrap, right);
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
