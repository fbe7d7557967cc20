import { describe, expect, it } from "vitest";
import { baselineTable } from "../../../src/baseline/baseline-row.ts";
import { createGuilds } from "../../../src/guilds/guilds.ts";
import { createVault } from "../../../src/guilds/vault.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import { become, fails, holdPage, orderFails, ready, storeFails } from "../../support/engine/alert-lives.ts";
import {
  type AlertWorld,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  type Life,
  type MemoryStore,
  once,
  pollFor,
  standby,
  timesPosted,
  worldKey,
} from "../../support/engine/alert-world.ts";
import { createCrew } from "../../support/engine/crew.ts";
import { atEachStep, killAtEachStep } from "../../support/engine/killer.ts";
import { sized } from "../../support/sized.ts";
import { stored, valuesOf } from "../../support/stored.ts";

// Orders that were in a store before it was connected are never announced.

const minute = 60_000;
const zero = (ids: readonly string[]) => ids.map(() => 0);

/** The ids begin with this letter. */
function place(store: MemoryStore, letter: string, count: number, createdAt?: (index: number) => number): string[] {
  return store.place(count).map((order, index) => {
    order.id = letter.repeat(8) + order.id.slice(8);
    if (createdAt) order.createdAt = createdAt(index);
    return order.id;
  });
}

/** The orders are a minute old. The store's token is "token of" and its letter. */
async function otherStore(world: AlertWorld, letter: string, count: number) {
  const { store } = await createAlertWorld();
  const ids = place(store, letter, count, () => world.now() - minute);
  world.stores.set(`of ${letter}`, store);
  return { store, ids, connect: ({ alerts }: Life) => alerts.connect(guildId, store, `token of ${letter}`) };
}

it("a token that no key opens is read again once another process has encrypted it for this one", async () => {
  const { world } = await ready();
  const newer = Buffer.alloc(32, 8);
  const life = world.start(undefined, undefined, undefined, { vault: createVault([newer]) });
  const ids = place(world.store, "a", 1);
  await pollFor(world, life, minute);
  expect(timesPosted(world.channel, ids)).toEqual([0]);

  await createGuilds({ storage: world.storage, vault: createVault([newer, worldKey]) }).reencrypt();
  await pollFor(world, life, 3 * minute);

  expect(timesPosted(world.channel, ids)).toEqual([1]);
});

describe("another store", () => {
  it("for which the ids of the former store's orders are no ids (400) is connected", async () => {
    const { world, life } = await ready();
    place(world.store, "a", 3);
    await pollFor(world, life, minute);
    const b = await otherStore(world, "b", 2);
    orderFails(b, "invalid");
    expect((await b.connect(life)).isOther).toBe(true);
  });

  it("whose second page fails while it is connected is not connected, and announces nothing old at the next try", async () => {
    const { world, life, alertsOf } = await ready();
    place(world.store, "a", 3);
    await pollFor(world, life, minute);
    const b = await otherStore(world, "b", 250);
    b.store.fault = ({ page = 1 }) => {
      if (page > 1) throw new StoreError("timeout", "GET orders");
    };
    await expect(b.connect(life)).rejects.toThrow(StoreError);
    expect((await life.guilds.get(guildId)).token?.last4).toBe("1234");

    b.store.fault = () => undefined;
    await b.connect(life);
    await pollFor(world, life, 5 * minute);
    const later = place(b.store, "c", 1, () => world.now());
    await pollFor(world, life, minute);
    expect([alertsOf(b.ids), alertsOf(later)]).toEqual([zero(b.ids), [1]]);
  });

  it.each([0, 1_000])(
    "whose orders came %i ms apart announces only new ones after a kill at any step",
    async (apartMs) => {
      const steps = await killAtEachStep(sized(4, 1), async (killer, label) => {
        const { world, life, alertsOf } = await ready({ before: 3 });
        const waiting = idsOf(world.store.place(2));
        await pollFor(world, life, 15_000);
        const b = await otherStore(world, "b", 8);
        for (const [index, order] of b.store.orders.entries()) order.createdAt = world.now() - minute - index * apartMs;
        const dying = world.start(killer);
        await b.connect(dying).catch(() => undefined);
        await dying.alerts.idle();
        const next = world.start();
        if ((await next.guilds.get(guildId)).token?.last4 !== "of b") await b.connect(next);
        world.pass(minute);
        const later = place(b.store, "f", 2, () => world.now());
        await pollFor(world, next, minute);
        expect([alertsOf(b.ids), alertsOf([...waiting, ...later])], label).toEqual([zero(b.ids), [1, 1, 1, 1]]);
        const row = await world.storage.table(baselineTable).get(guildId);
        expect([row?.reading === undefined, row?.pending]).toEqual([false, undefined]);
      });
      expect(steps).toBeGreaterThan(6);
    },
  );

  it("and the first one again before the next poll (a gateway connects both, no worker polls)", async () => {
    const { world, life, before, alertsOf } = await ready({ before: 5 });
    const announced = idsOf(world.store.place(3));
    await pollFor(world, life, minute);
    const b = await otherStore(world, "b", 4);
    const gateway = world.start(undefined, undefined, standby);
    expect((await b.connect(gateway)).isOther).toBe(true);
    expect((await b.connect(gateway)).isOther).toBe(false);
    await gateway.alerts.connect(guildId, world.store, "token of a");
    life.alerts.forgetMemory();
    await pollFor(world, life, minute);
    expect([alertsOf(before), alertsOf(announced)]).toEqual([zero(before), once(announced)]);
  });

  it("and the first one again: an order of the first that waited in between does not make one pass for the other", async () => {
    const { world, life, before, alertsOf } = await ready({ before: 30 });
    await pollFor(world, life, minute);
    fails(world, "send", "uncertain");
    const waiting = idsOf(world.store.place(1));
    await pollFor(world, life, 15_000);
    const b = await otherStore(world, "b", 4);
    await b.connect(life);
    world.channel.fault = () => undefined;
    await pollFor(world, life, 20 * minute);
    expect([alertsOf(waiting), alertsOf(b.ids)]).toEqual([[1], zero(b.ids)]);
    before.push(...idsOf(world.store.place(2)));
    await life.alerts.connect(guildId, world.store, "token of a");
    await pollFor(world, life, 20 * minute);
    expect(alertsOf(before)).toEqual(zero(before));
  });

  it.each([
    ["with the same token", 0, "token of b"],
    ["with a new token", 4, "a new token of b"],
  ])("connected twice, %s, while no process polls loses nothing that came in between", async (_, stock, token) => {
    const { world, life, alertsOf } = await ready({ before: 3 });
    const b = await otherStore(world, "b", stock);
    const gateway = world.start(undefined, undefined, standby);
    await b.connect(gateway);
    world.pass(minute);
    const fresh = place(b.store, "f", 2, () => world.now());
    world.pass(minute);
    await gateway.alerts.connect(guildId, b.store, token);
    life.alerts.forgetMemory();
    await pollFor(world, life, 5 * minute);
    expect(alertsOf(fresh)).toEqual(once(fresh));
  });

  it("connected while `/alerts set` runs with the store before: nothing that was in it is announced", async () => {
    const world = await createAlertWorld();
    const life = world.start();
    world.store.place(3);
    await life.guilds.connect(guildId, "token of a");
    world.pass(minute);
    const b = await otherStore(world, "b", 5);
    await Promise.all([b.connect(life), life.alerts.turnOn(guildId, life.connected, { channelId })]);
    await pollFor(world, life, 2 * minute);
    expect((await life.guilds.get(guildId)).token?.last4).toBe("of b");
    expect(timesPosted(world.channel, b.ids)).toEqual(zero(b.ids));
  });
});

describe("a new token of the same store: what waited is announced", () => {
  const connectAgain = ({ alerts }: Life, { store }: AlertWorld) => alerts.connect(guildId, store, "a new token");

  it.each(["the oldest orders were deleted", "all known orders left the list"])("although %s", async (what) => {
    const { world, life, alertsOf } = await ready({ before: 3 });
    await pollFor(world, life, minute);
    place(world.store, "a", 50);
    await pollFor(world, life, minute);
    if (what === "the oldest orders were deleted") world.store.orders.splice(-3);
    else become(world, "PAID");
    storeFails(world, "unauthorized");
    await pollFor(world, life, minute);
    world.store.fault = () => undefined;
    world.pass(60 * minute);
    const waiting = place(world.store, "d", 150);
    await connectAgain(life, world);
    await pollFor(world, life, 10 * minute);
    expect(alertsOf(waiting)).toEqual(once(waiting));
  });

  it("although the first new token may read no single order, and is therefore refused", async () => {
    const { world, life, alertsOf } = await ready({ before: 3 });
    place(world.store, "a", 5);
    await pollFor(world, life, minute);
    become(world, "PAID");
    storeFails(world, "unauthorized");
    await pollFor(world, life, minute);
    const waiting = place(world.store, "d", 4);
    orderFails(world, "unauthorized");
    await expect(connectAgain(life, world)).rejects.toThrow("unauthorized");
    world.store.fault = () => undefined;
    await connectAgain(life, world);
    await pollFor(world, life, 10 * minute);
    expect(alertsOf(waiting)).toEqual(once(waiting));
  });

  it.each(["unauthorized", "malformed"] as const)(
    "although the store does not show one known order (%s)",
    async (code) => {
      const { world, life, alertsOf } = await ready({ before: 3 });
      place(world.store, "a", 5);
      await pollFor(world, life, minute);
      become(world, "PAID");
      await pollFor(world, life, minute);
      const asked: string[] = [];
      orderFails(world, code, (id) => asked.push(id) === 1);
      await connectAgain(life, world);
      expect(asked.length).toBeGreaterThan(1);
      const waiting = place(world.store, "d", 4);
      world.store.fault = () => undefined;
      await pollFor(world, life, 10 * minute);
      expect(alertsOf(waiting)).toEqual(once(waiting));
    },
  );

  it("whatever its status was before", async () => {
    const { world, life } = await ready({ statuses: ["PAID"] });
    const [seen = ""] = idsOf(world.store.place(1));
    become(world, "PAID");
    await pollFor(world, life, 15_000);
    const waiting = idsOf(world.store.place(2));
    world.pass(minute);
    become(world, "PAID");
    await connectAgain(life, world);
    await pollFor(world, life, minute);
    expect(timesPosted(world.channel, [seen, ...waiting])).toEqual([1, 1, 1]);
  });

  it("although the store was connected while alerts were off", async () => {
    const { world, life, alertsOf } = await ready({ before: 3 });
    await pollFor(world, life, minute);
    await life.alerts.turnOff(guildId);
    const b = await otherStore(world, "b", 4);
    await b.connect(life);
    await life.alerts.turnOn(guildId, life.connected, { channelId });
    await pollFor(world, life, minute);
    const waiting = place(b.store, "f", 5, () => world.now());
    await b.connect(life);
    await pollFor(world, life, 5 * minute);
    expect(alertsOf(waiting)).toEqual(once(waiting));

    const away = place(world.store, "e", 2);
    await connectAgain(life, world);
    await pollFor(world, life, 5 * minute);
    expect(alertsOf(away)).toEqual(zero(away));
  });

  it("that is entered during a poll is tried at once, although the one before was refused", async () => {
    const { world, life, alertsOf } = await ready({ before: 3 });
    const waiting = idsOf(world.store.place(2));
    let replaced: Promise<unknown> | undefined;
    world.store.fault = () => {
      replaced ??= life.guilds.connect(guildId, "a-new-token");
      throw new StoreError("unauthorized", "GET orders");
    };
    await life.alerts.poll(guildId);
    await replaced;
    world.store.fault = () => undefined;
    await pollFor(world, life, 15_000);
    expect((await life.alerts.status(guildId)).refusedSince).toBeUndefined();
    expect(alertsOf(waiting)).toEqual([1, 1]);
  });
});

describe("another store that a process without the lease connects", () => {
  it("has only its new orders announced, wherever the other process polls in between", async () => {
    const steps = await atEachStep(1, async (isNow, label) => {
      const { world, life: a, alertsOf } = await ready();
      world.store.place(2);
      await pollFor(world, a, minute);
      const other = await otherStore(world, "b", 8);
      const fresh: string[] = [];
      const placeNew = () => void fresh.push(...place(other.store, "f", 1, world.now));
      const poll = async () => {
        if (!isNow()) return;
        a.alerts.forgetMemory();
        if ((await a.guilds.get(guildId)).token?.last4 === "of b") placeNew();
        await pollFor(world, a, 1_000, 1_000);
      };
      await other.connect(world.start(undefined, undefined, standby, { commits: { after: poll } }));
      a.alerts.forgetMemory();
      await pollFor(world, a, minute);
      placeNew();
      await pollFor(world, a, minute);
      expect([alertsOf(other.ids), alertsOf(fresh)], label).toEqual([zero(other.ids), once(fresh)]);
    });
    expect(steps).toBeGreaterThanOrEqual(1);
  });

  it("keeps its own baseline, without the page of the store before that is being read", async () => {
    const { world, gateway, worker } = await createCrew();
    world.store.place(650);
    world.pass(minute);
    const onPage3 = idsOf(world.store.orders.slice(200, 300));
    const { waits, goOn } = holdPage(world, 3);
    await world.turnOn(gateway);
    await worker.take();
    await worker.alerts.poll(guildId);
    await waits;
    world.pass(10 * minute);
    await (await otherStore(world, "b", 650)).connect(gateway);
    const { since } = (await gateway.guilds.get(guildId)).alerts ?? {};
    goOn();
    await worker.alerts.settled();
    await worker.alerts.poll(guildId);
    const row = await world.storage.table(baselineTable).get(guildId);
    expect(row?.reading.lists.map((list) => list.since)).toEqual([since]);
    expect((await valuesOf(world.storage.table(stored(`orders:${guildId}`)), onPage3)).filter(Boolean)).toEqual([]);
  });

  it("has nothing announced by a poll that has read the store before", async () => {
    const { world, gateway, worker } = await createCrew();
    await world.turnOn(gateway);
    await worker.turn();
    const other = await otherStore(world, "b", 3);
    const ids = idsOf(world.store.place(3));
    const { listOrders } = world.store;
    world.store.listOrders = async (query, signal) => {
      world.store.listOrders = listOrders;
      const page = await listOrders(query, signal);
      await other.connect(gateway);
      await worker.hear();
      return page;
    };
    for (let turn = 0; turn < 4; turn++) await worker.turn();
    expect(timesPosted(world.channel, ids)).toEqual([0, 0, 0]);
  });
});
