import { describe, expect, it } from "vitest";
import { baselineTable } from "../../src/baseline/baseline-row.ts";
import { moveToOutbox } from "../../src/storage/migrations/2-to-3-outbox.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { pollOnce } from "../support/alert-lives.ts";
import {
  type AlertWorld,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  once,
  pollFor,
  timesPosted,
} from "../support/alert-world.ts";
import { killAt } from "../support/killer.ts";
import { sized } from "../support/sized.ts";
import { stored } from "../support/stored.ts";

// Which store it is, and what its API takes.

const minute = 60_000;
const rung = (world: AlertWorld, ids: readonly string[]) =>
  timesPosted(world.channel, ids).filter((times) => times > 0).length;

/** The store's orders become those of another one, whose ids begin with this letter. */
function become(world: AlertWorld, letter: string, orders: readonly Order[]) {
  world.store.orders.splice(0, world.store.orders.length, ...orders);
  for (const order of orders) order.id = letter.repeat(8) + order.id.slice(8);
  return idsOf(orders);
}

async function ready(stock = 0) {
  const world = await createAlertWorld();
  const life = world.start();
  const before = world.store.place(stock);
  await world.turnOn(life);
  return { world, life, before };
}

describe("another store", () => {
  it("whose second page fails while it is connected does not flood at the next try (0.1.0: 600 old orders rang)", async () => {
    const { world, life } = await ready();
    world.store.place(3);
    await pollFor(world, life, minute);
    const others = become(world, "a", world.store.place(250));
    for (const order of world.store.orders) order.createdAt = world.now() - 90 * 24 * 60 * minute;
    world.store.fault = ({ page = 1 }) => {
      if (page > 1) throw new StoreError("timeout", "GET orders");
    };
    await expect(life.alerts.connect(guildId, world.store, "other")).rejects.toThrow(StoreError);

    world.store.fault = () => undefined;
    await life.alerts.connect(guildId, world.store, "other");
    await pollFor(world, life, 5 * minute);
    expect(rung(world, others)).toBe(0);

    const [later] = world.store.place(1);
    await pollFor(world, life, minute);
    expect(timesPosted(world.channel, [later?.id ?? ""])).toEqual([1]);
  });

  it.each([
    ["all at once", 0],
    ["one after the other", 1_000],
  ])("whose orders came %s: after a kill at any step only new orders are announced", async (_, apartMs) => {
    for (let step = 0; ; step += sized(4, 1)) {
      const { world, life } = await ready(3);
      const owed = idsOf(world.store.place(2));
      await pollFor(world, life, 15_000);
      world.pass(minute);
      const others = become(world, "c", world.store.place(8));
      for (const [index, order] of world.store.orders.entries())
        order.createdAt = world.now() - minute - index * apartMs;
      const killer = killAt(step);
      const dying = world.start(killer);
      await dying.alerts.connect(guildId, world.store, "other").catch(() => undefined);
      await dying.alerts.idle();
      const isOver = !killer.killed;
      const { guilds, alerts } = world.start();
      const isConnected = (await guilds.get(guildId)).token?.last4 === "ther";
      if (!isConnected) await alerts.connect(guildId, world.store, "other");
      world.pass(minute);
      const later = idsOf(world.store.place(2));
      await pollFor(world, { alerts, guilds }, minute);
      expect(rung(world, others), `killed at step ${step}`).toBe(0);
      expect(timesPosted(world.channel, [...owed, ...later]), `killed at step ${step}`).toEqual([1, 1, 1, 1]);
      const row = await world.storage.table(baselineTable).get(guildId);
      expect(row?.reading).toBeDefined();
      expect(row?.pending).toBeUndefined();
      if (isOver) {
        expect(step).toBeGreaterThan(6);
        break;
      }
    }
  });
});

describe("a new token of the same store", () => {
  const refuse = () => {
    throw new StoreError("unauthorized", "GET orders");
  };

  it("rings for what waited although the oldest orders were purged (0.1.0: 7 of 7 swallowed)", async () => {
    const { world, life } = await ready(3);
    await pollFor(world, life, minute);
    world.store.place(50);
    await pollFor(world, life, minute);
    world.store.orders.splice(-3);
    world.store.fault = refuse;
    await pollOnce(life);
    world.store.fault = () => undefined;
    world.pass(60 * minute);
    const waited = idsOf(world.store.place(7));
    for (const [index, id] of waited.entries()) {
      const order = world.store.orders.find((one) => one.id === id);
      if (order) order.id = waited[index] = `dddddddd${id.slice(8)}`;
    }
    await life.alerts.connect(guildId, world.store, "a new token");
    await pollFor(world, life, 10 * minute);

    expect(timesPosted(world.channel, waited)).toEqual(once(waited));
  });

  it("rings for what waited where all that was known has left the list but not the store", async () => {
    const { world, life } = await ready();
    const known = world.store.place(4);
    await pollFor(world, life, minute);
    for (const order of known) order.status = "PAID";
    world.pass(60 * minute);
    const waited = idsOf(world.store.place(150));
    await life.alerts.connect(guildId, world.store, "a new token");
    await pollFor(world, life, 5 * minute);

    expect(timesPosted(world.channel, waited)).toEqual(once(waited));
  });

  it("of a store that was connected while alerts were off rings for what waited (0.1.0: 5 of 5 swallowed)", async () => {
    const { world, life } = await ready(3);
    await pollFor(world, life, minute);
    await life.alerts.turnOff(guildId);
    become(world, "b", world.store.place(4));
    await life.alerts.connect(guildId, world.store, "store B");
    await life.alerts.turnOn(guildId, world.store, { channelId });
    await pollFor(world, life, minute);
    const waited = idsOf(world.store.place(5));
    await life.alerts.connect(guildId, world.store, "store B, new token");
    await pollFor(world, life, 5 * minute);

    expect(timesPosted(world.channel, waited)).toEqual(once(waited));
  });
});

describe("an API that takes one status at a time", () => {
  it.each(["none", "first"])("(of several: %s) is asked for each of them", async (answers) => {
    const { world, life } = await ready();
    const { page } = world.store;
    world.store.page = (query) => {
      const { statuses = [] } = query;
      if (statuses.length < 2) return page(query);
      return page({ ...query, statuses: answers === "none" ? ["PENDING,PAID"] : statuses.slice(0, 1) });
    };
    world.store.place(3);
    const paid = world.store.place(2);
    for (const order of paid) order.status = "PAID";
    await life.alerts.turnOn(guildId, world.store, { channelId, statuses: ["PENDING", "PAID"] });
    world.pass(minute);
    const placed = world.store.place(5);
    for (const order of placed.slice(0, 2)) order.status = "PAID";
    await pollFor(world, life, 2 * minute);

    expect(timesPosted(world.channel, idsOf(placed))).toEqual(once(placed.map(({ id }) => id)));
    expect(rung(world, idsOf(paid))).toBe(0);
  });
});

describe("storage of 0.1.0", () => {
  it("goes on: what was owed is posted, what was posted is followed, what was seen stays silent", async () => {
    const { world } = await ready(1);
    const [posted, owed] = world.store.place(2);
    if (!posted || !owed) throw new Error("no orders");
    const message = await world.post("an alert of 0.1.0", [`order:open:${posted.id}`]);
    const shown = ({ id, status }: Order) => ({
      id,
      status,
      items: [{ title: "Product", quantity: 1 }],
      total: 5,
      paymentMethod: "PIX",
      createdAt: new Date(world.now()).toISOString(),
    });
    const ledger = world.storage.table(stored(`ledger:${guildId}`));
    const at = { channelId, messageId: message, batch: [posted.id], foundAt: world.now() };
    await ledger.set(posted.id, { state: "posted", order: shown(posted), ...at });
    await ledger.set(owed.id, { state: "owed", order: shown(owed), channelIds: [channelId], foundAt: world.now() });
    await world.storage.table(stored("open-orders")).set(guildId, [posted.id, owed.id]);

    await moveToOutbox(world.storage);
    const upgraded = world.start();
    await pollFor(world, upgraded, minute);
    expect(timesPosted(world.channel, [posted.id, owed.id])).toEqual([1, 1]);

    posted.status = "PAID";
    await pollFor(world, upgraded, minute);
    const edited = world.channel.messages.find(({ id }) => id === message);
    // A message of 0.1.0 stays as it is.
    expect(edited?.edits).toBe(0);
    expect(await upgraded.alerts.status(guildId)).toMatchObject({ planned: 0, followed: 2 });
    expect(await world.storage.table(stored("open-orders")).get(guildId)).toBeUndefined();
  });
});
