import { describe, expect, it } from "vitest";
import { fails } from "../support/alert-lives.ts";
import {
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  once,
  pollFor,
  standby,
  timesPosted,
} from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";

// Another store is connected while something else happens: what stood in any of them must not ring.

const minute = 60_000;
const zero = (ids: readonly string[]) => ids.map(() => 0);

/** A store whose orders came at this time, with ids that begin with this letter. */
async function otherStore(now: number, letter: string, count: number) {
  const away = await createAlertWorld();
  away.pass(now - away.now());
  for (const order of away.store.place(count)) order.id = letter.repeat(8) + order.id.slice(8);
  return away.store;
}

async function ready(stock = 3) {
  const world = await createAlertWorld();
  const life = world.start();
  const before = idsOf(world.store.place(stock));
  world.pass(minute);
  await world.turnOn(life);
  return { world, life, before };
}

describe("the wrong store, and the right one again before the next poll", () => {
  it("a gateway connects both while no worker polls (a restart, an update)", async () => {
    const { world, life, before } = await ready(5);
    const rung = idsOf(world.store.place(3));
    await pollFor(world, life, minute);
    const b = await otherStore(world.now(), "b", 4);
    world.pass(minute);
    const gateway = world.start(undefined, undefined, standby);
    await gateway.alerts.connect(guildId, b, "token of b");
    world.pass(10_000);
    await gateway.alerts.connect(guildId, world.store, "token of a");
    life.alerts.forgetMemory();
    await pollFor(world, life, minute);
    expect([timesPosted(world.channel, before), timesPosted(world.channel, rung)]).toEqual([zero(before), once(rung)]);
  });
});

describe("an order of the store before that was owed when another was connected", () => {
  it("does not make the first store pass for the second one when it comes back", async () => {
    const { world, life, before } = await ready(30);
    await pollFor(world, life, minute);
    // Discord is down for a moment.
    fails(world, "send", "uncertain");
    const owed = idsOf(world.store.place(1));
    await pollFor(world, life, 15_000);
    const b = await otherStore(world.now() - minute, "b", 4);
    world.stores.set("of b", b);
    await life.alerts.connect(guildId, b, "token of b");
    world.channel.fault = () => undefined;
    await pollFor(world, life, 20 * minute);
    expect(timesPosted(world.channel, [...owed, ...idsOf(b.orders)])).toEqual([1, 0, 0, 0, 0]);
    await life.alerts.connect(guildId, world.store, "token of a");
    await pollFor(world, life, 20 * minute);
    expect(timesPosted(world.channel, before)).toEqual(zero(before));
  });
});

describe("a third store that is connected while a worker takes the second one's orders as seen", () => {
  it("has nothing of any of them ring but what comes then", async () => {
    const { world, before } = await ready(5);
    const [b, c] = [await otherStore(world.now(), "b", 150), await otherStore(world.now(), "c", 150)];
    world.stores.set("of b", b).set("of c", c);
    let isArmed = true;
    const hire = hireIn(world);
    const gateway = hire();
    const worker = hire({
      async before(steps) {
        if (!isArmed || !steps.some(({ table }) => table === "baseline")) return;
        isArmed = false;
        await gateway.alerts.connect(guildId, c, "token of c");
      },
    });
    await gateway.alerts.connect(guildId, b, "token of b");
    await worker.turn();
    expect(isArmed).toBe(false);
    for (const store of [b, c]) for (const order of store.orders) order.createdAt = world.now();
    const old = [...before, ...idsOf(b.orders), ...idsOf(c.orders)];
    const fresh = c.place(2);
    for (const order of fresh) order.id = `f${order.id.slice(1)}`;
    for (let turn = 0; turn < 12; turn++) await worker.turn();

    expect(timesPosted(world.channel, old)).toEqual(zero(old));
    expect(timesPosted(world.channel, idsOf(fresh))).toEqual(once(idsOf(fresh)));
  });
});

describe("the same new token entered twice while nobody polls", () => {
  it("loses nothing that came in between", async () => {
    const { world, life } = await ready(3);
    const b = await otherStore(world.now() - minute, "b", 4);
    world.stores.set("of b", b);
    const gateway = world.start(undefined, undefined, standby);
    world.pass(minute);
    await gateway.alerts.connect(guildId, b, "token of b");
    world.pass(minute);
    const fresh: string[] = [];
    for (const order of b.place(2)) {
      order.id = `f${order.id.slice(1)}`;
      order.createdAt = world.now();
      fresh.push(order.id);
    }
    world.pass(minute);
    // Nothing rings: the person enters the token once more.
    await gateway.alerts.connect(guildId, b, "token of b");
    life.alerts.forgetMemory();
    await pollFor(world, life, 5 * minute);
    expect(timesPosted(world.channel, fresh)).toEqual(once(fresh));
  });
});

describe("`/alerts set` while another store is being connected (alerts are off)", () => {
  it("rings for nothing that stood in the store that is connected then", async () => {
    const world = await createAlertWorld();
    const life = world.start();
    world.store.place(3);
    await life.guilds.connect(guildId, "token of a");
    world.pass(minute);
    const b = await otherStore(world.now() - minute, "b", 5);
    world.stores.set("of b", b);
    const seen = await life.guilds.get(guildId);
    // Both commands are under way: /alerts set has taken the store of the token that was kept when it began (services.connected).
    const connecting = life.alerts.connect(guildId, b, "token of b");
    const setting = life.alerts.turnOn(guildId, world.store, { channelId }, seen);
    await Promise.all([connecting, setting]);
    await pollFor(world, life, 2 * minute);
    expect((await life.guilds.get(guildId)).token?.last4).toBe("of b");
    const old = idsOf(b.orders);
    expect(timesPosted(world.channel, old)).toEqual(old.map(() => 0));
  });
});

describe("statuses that are lists of their own", () => {
  it("a list of which the newest order is old does not make the others' orders new", async () => {
    const world = await createAlertWorld();
    const life = world.start();
    const { page } = world.store;
    // One status at a time: several at once give nothing.
    world.store.page = (query) =>
      (query.statuses?.length ?? 0) < 2 ? page(query) : { items: [], lastPage: 1, skipped: 0, servedAt: world.now() };
    for (let i = 0; i < 2; i++) {
      for (const order of world.store.place(1)) order.status = "REFUNDED";
      world.pass(60 * minute);
    }
    const old: string[] = [];
    for (let i = 0; i < 620; i++) {
      old.push(...idsOf(world.store.place(1)));
      world.pass(1_000);
    }
    await world.turnOn(life, { statuses: ["PENDING", "REFUNDED"] });
    await pollFor(world, life, minute);
    await life.alerts.settled();
    const times = timesPosted(world.channel, old);
    expect(times.filter((n) => n > 0).length).toBe(0);
  });
});
