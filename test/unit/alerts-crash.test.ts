import { describe, expect, it } from "vitest";
import { type AlertWorld, createAlertWorld, guildId, killAt, timesPosted } from "../support/alert-world.ts";

/** Polls as a process would that may die in any of them. */
async function pollOften(world: AlertWorld, killer = killAt(Number.POSITIVE_INFINITY), times = 4) {
  const life = world.start(killer);
  for (let poll = 0; poll < times && !killer.killed; poll++) {
    await life.alerts.poll(guildId);
    await life.alerts.idle();
    world.pass(15_000);
  }
}

async function settledWorld(nonces: boolean) {
  const world = await createAlertWorld();
  world.channel.nonces = nonces;
  world.store.place(3);
  await world.turnOn(world.start());
  return world;
}

describe.each([
  { orders: 1, nonces: true },
  { orders: 1, nonces: false },
  { orders: 4, nonces: false },
  { orders: 30, nonces: true },
  { orders: 30, nonces: false },
])("a process killed at any step of $orders alerts (Discord knows nonces: $nonces)", ({ orders, nonces }) => {
  it("leaves every order in the channel exactly once after a restart", async () => {
    let step = 0;
    for (; ; step++) {
      const world = await settledWorld(nonces);
      const placed = world.store.place(orders).map(({ id }) => id);
      const killer = killAt(step);
      await pollOften(world, killer);
      if (!killer.killed) break;
      await pollOften(world);
      expect(timesPosted(world.channel, placed), `killed at step ${step}`).toEqual(placed.map(() => 1));
    }
    expect(step).toBeGreaterThanOrEqual(8);
  });
});

describe("a process killed at any step of an alert's follow-up", () => {
  it("leaves the message edited, and the order in the channel once", async () => {
    let step = 0;
    for (; ; step++) {
      const world = await settledWorld(true);
      const [order] = world.store.place(1);
      await pollOften(world, undefined, 1);
      if (!order) throw new Error("no order");
      world.store.orders[0] = { ...order, status: "PAID" };
      const killer = killAt(step);
      await pollOften(world, killer);
      if (!killer.killed) break;
      await pollOften(world);
      expect(timesPosted(world.channel, [order.id]), `killed at step ${step}`).toEqual([1]);
      expect(JSON.stringify(world.channel.messages.at(-1)?.payload), `killed at step ${step}`).toContain("Paid");
    }
    expect(step).toBeGreaterThan(4);
  });
});

describe("a process killed at any step of turning alerts on", () => {
  it("never rings for what was there before, and rings for what comes later", async () => {
    let step = 0;
    for (; ; step++) {
      const world = await createAlertWorld();
      const before = world.store.place(3).map(({ id }) => id);
      const killer = killAt(step);
      await world.turnOn(world.start(killer)).catch(() => undefined);
      if (!killer.killed) break;
      const life = world.start();
      await world.turnOn(life);
      const after = world.store.place(2).map(({ id }) => id);
      await pollOften(world);
      expect(timesPosted(world.channel, before), `killed at step ${step}`).toEqual([0, 0, 0]);
      expect(timesPosted(world.channel, after), `killed at step ${step}`).toEqual([1, 1]);
    }
    expect(step).toBeGreaterThan(4);
  });
});
