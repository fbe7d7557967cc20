import { describe, expect, it } from "vitest";
import { isPosted, ordersTable } from "../../src/orders/order-row.ts";
import { StorageError, type Table } from "../../src/storage/table.ts";
import {
  type AlertWorld,
  createAlertWorld,
  guildId,
  killAt,
  type Life,
  polledIn,
  timesPosted,
} from "../support/alert-world.ts";
import { sized } from "../support/sized.ts";
import { stored } from "../support/stored.ts";

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
    for (; ; step += sized(3, 1)) {
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
    for (; ; step += sized(3, 1)) {
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
    expect(step).toBeGreaterThan(3);
  });
});

it("leaves a message of 0.1.0, in components, as it is", async () => {
  const world = await settledWorld(true);
  const [order] = world.store.place(1);
  if (!order) throw new Error("no order");
  await pollOften(world, undefined, 1);
  const orders = world.storage.table(ordersTable, guildId);
  const row = await orders.get(order.id);
  if (!isPosted(row)) throw new Error("no alert");
  await orders.set(order.id, { ...row, stand: { ...row.stand, isClassic: undefined } });
  const before = structuredClone(world.channel.messages.at(-1)?.payload);
  order.status = "PAID";
  await pollOften(world);
  expect(world.channel.messages.at(-1)?.payload).toEqual(before);
});

describe("a process killed at any step of turning alerts on", () => {
  it("never rings for what was there before, and rings for what comes later", async () => {
    let step = 0;
    for (; ; step += sized(3, 1)) {
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
    expect(step).toBeGreaterThan(3);
  });
});

describe("forgetting a server", () => {
  /** Alerts are on, beside 80 orders that were there before and are older than any reading goes back. */
  async function oldWorld() {
    const world = await createAlertWorld();
    world.store.place(80);
    for (const order of world.store.orders) order.createdAt = world.now() - 30 * 24 * 60 * 60_000;
    const life = world.start();
    await world.turnOn(life);
    await pollOften(world);
    return { world, old: world.store.orders.map(({ id }) => id) };
  }

  /** The daily comparison finds the bot in the server; a new order comes, and what is to be polled is polled. */
  async function goOn(world: AlertWorld, life: Life) {
    const { alerting } = await life.guilds.reconcile(new Set([guildId]));
    await life.alerts.adopt(alerting);
    world.store.place(1);
    for (let poll = 0; poll < 8; poll++) {
      for (const id of await polledIn(world.storage)) await life.alerts.poll(id);
      await life.alerts.idle();
      world.pass(15_000);
    }
  }

  /** What was begun is ended by doing it once more: nothing of the server is left. */
  async function expectForgotten(world: AlertWorld, life: Life) {
    await life.alerts.forget(guildId, async () => undefined);
    for (const name of ["guilds", "open-orders", "begun", "backlog", "trouble"]) {
      expect(await world.storage.table(stored(name)).get(guildId), name).toBeUndefined();
    }
    for await (const [id] of world.storage.table(stored(`ledger:${guildId}`)).entries()) expect.unreachable(id);
    expect(await polledIn(world.storage)).toEqual([]);
  }

  it("keeps the server's record, without its token, until all else is deleted", async () => {
    const { world } = await oldWorld();
    const life = world.start();
    const failing = life.alerts.forget(guildId, () => Promise.reject(new Error("disk full")));
    await expect(failing).rejects.toThrow("disk full");
    expect(await life.guilds.find(guildId)).toMatchObject({ id: guildId });
    expect((await life.guilds.get(guildId)).token).toBeUndefined();
    await expectForgotten(world, life);
  });

  it("rings for no old order though the process is killed at any step of it (0.1.0: for all that were waiting)", async () => {
    let step = 0;
    for (; ; step += sized(3, 1)) {
      const { world, old } = await oldWorld();
      const killer = killAt(step);
      const dying = world.start(killer);
      await dying.alerts.forget(guildId, async () => undefined).catch(() => undefined);
      if (!killer.killed) break;
      const next = world.start();
      await goOn(world, next);
      expect(timesPosted(world.channel, old), `killed at step ${step}`).toEqual(old.map(() => 0));
      await expectForgotten(world, next);
    }
    expect(step).toBeGreaterThan(3);
  });

  it("rings for no old order though the storage fails at any step of it, in the process that goes on", async () => {
    let failing = 0;
    for (let hasFailed = true; hasFailed; failing++) {
      const { world, old } = await oldWorld();
      let isForgetting = false;
      let operations = 0;
      hasFailed = false;
      const count = () => {
        if (!isForgetting || operations++ !== failing) return;
        hasFailed = true;
        throw new StorageError("set", new Error("disk full"));
      };
      const counted = <T>(table: Table<T>): Table<T> => ({
        ...table,
        async get(key) {
          count();
          return table.get(key);
        },
        async set(key, value, options) {
          count();
          await table.set(key, value, options);
        },
        async delete(key) {
          count();
          await table.delete(key);
        },
        async clear() {
          count();
          await table.clear();
        },
      });
      const life = world.start(undefined, counted);
      await goOn(world, life);
      isForgetting = true;
      const forgetting = life.alerts
        .forget(guildId, async () => undefined)
        .then(
          () => "forgotten",
          (error: unknown) => (error instanceof StorageError ? "failed" : error),
        );
      expect(await forgetting).toBe(hasFailed ? "failed" : "forgotten");
      isForgetting = false;
      await goOn(world, life);
      expect(timesPosted(world.channel, old), `failed at operation ${failing}`).toEqual(old.map(() => 0));
      await expectForgotten(world, life);
    }
    expect(failing).toBeGreaterThan(5);
  });

  it("deletes a record that cannot be read, with all else", async () => {
    const { world } = await oldWorld();
    await world.storage.table(stored("guilds")).set(guildId, { id: guildId, settings: "broken" });
    await expectForgotten(world, world.start());
  });
});
