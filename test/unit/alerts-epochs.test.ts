import { describe, expect, it } from "vitest";
import { baselineTable } from "../../src/baseline/baseline-row.ts";
import type { GuildLease } from "../../src/orders/guild-lease.ts";
import { MessengerError } from "../../src/outbox/messenger.ts";
import {
  createAlertWorld,
  guildId,
  idsOf,
  type Life,
  polledIn,
  pollFor,
  rightIn,
  timesPosted,
} from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";
import { sized } from "../support/sized.ts";
import { stored } from "../support/stored.ts";

// Several processes on one storage, of which one has the lease at a time.

const minute = 60_000;

/** A right that can be taken away and given back. */
function createRight(): GuildLease & { lose(): void; gain(): void } {
  let term = 0;
  let held = false;
  let over = new AbortController();
  return {
    ...rightIn(
      () => (held ? term : undefined),
      () => over.signal,
    ),
    lose() {
      held = false;
      over.abort();
    },
    gain() {
      held = true;
      term++;
      over = new AbortController();
    },
  };
}

async function twoProcesses() {
  const world = await createAlertWorld();
  // Minutes have passed: Discord does not know nonces any more.
  world.channel.nonces = false;
  const rights = [createRight(), createRight()] as const;
  const [a, b] = rights.map((right) => world.start(undefined, undefined, right)) as [Life, Life];
  rights[0].gain();
  await world.turnOn(a);
  await pollFor(world, a, minute);
  return { world, a, b, rights };
}

describe("the lease", () => {
  it("that went to another process and came back doubles nothing (0.1.0: 3 of 4 orders twice)", async () => {
    const { world, a, b, rights } = await twoProcesses();
    let isDown = true;
    world.channel.fault = (call) => {
      if (isDown && call !== "edit") throw new MessengerError("uncertain");
    };
    const first = idsOf(world.store.place(1));
    await a.alerts.poll(guildId);
    const others = idsOf(world.store.place(3));
    world.pass(1_000);
    await a.alerts.poll(guildId);
    isDown = false;
    rights[0].lose();
    rights[1].gain();
    world.pass(20_000);
    await pollFor(world, b, minute);
    const all = [...first, ...others];
    expect(timesPosted(world.channel, all)).toEqual([1, 1, 1, 1]);

    rights[1].lose();
    rights[0].gain();
    world.pass(10 * minute);
    await pollFor(world, a, minute);
    expect(timesPosted(world.channel, all)).toEqual([1, 1, 1, 1]);
  });

  it("takes another store's orders as seen, wherever it polls while a process without the right connects that", async () => {
    for (let step = 0; ; step += sized(3, 1)) {
      const { world, a } = await twoProcesses();
      world.store.place(2);
      await pollFor(world, a, minute);
      const before = world.store.orders.splice(0);
      const old = world.store.place(8);
      for (const [index, order] of old.entries()) {
        order.id = order.id.replace(/^.{8}/, "eeeeeeee");
        order.createdAt = world.now() - minute + index * 1_000;
      }
      const fresh: string[] = [];
      let steps = 0;
      const poll = async () => {
        if (steps++ !== step) return;
        a.alerts.forgetMemory();
        const isOther = (await a.guilds.get(guildId)).token?.last4 === "ther";
        if (isOther) fresh.push(...idsOf(world.store.place(1)));
        const others = isOther ? [] : world.store.orders.splice(0, Number.POSITIVE_INFINITY, ...before);
        await pollFor(world, a, 1_000, 1_000);
        if (!isOther) world.store.orders.splice(0, Number.POSITIVE_INFINITY, ...others);
      };
      const b = world.start(undefined, undefined, createRight(), { commits: { after: poll } });
      await b.alerts.connect(guildId, world.store, "other");
      await b.alerts.idle();
      a.alerts.forgetMemory();
      await pollFor(world, a, minute);
      fresh.push(...idsOf(world.store.place(1)));
      await pollFor(world, a, minute);

      expect(timesPosted(world.channel, idsOf(old)), `polled at step ${step}`).toEqual(old.map(() => 0));
      const times = timesPosted(world.channel, fresh);
      expect(times, `polled at step ${step}`).toEqual(fresh.map(() => 1));
      if (steps <= step) {
        expect(step).toBeGreaterThanOrEqual(2);
        break;
      }
    }
  });

  it("that was lost at any step of an alert is not used any more (0.1.0: suspended there, it doubled)", async () => {
    for (let step = 0; ; step += sized(3, 1)) {
      const { world, b, rights } = await twoProcesses();
      const right = createRight();
      right.gain();
      let steps = 0;
      // At this step process A is suspended, B takes over and works everything off, and A goes on.
      const suspended = async () => {
        if (right.epoch() === undefined || steps++ !== step) return;
        right.lose();
        rights[1].gain();
        world.pass(30 * minute);
        await pollFor(world, b, minute);
      };
      const a = world.start(undefined, undefined, right);
      world.commits.before = suspended;
      rights[0].lose();
      world.channel.fault = (call) => (call === "send" ? suspended() : undefined);
      const placed = idsOf(world.store.place(7));
      await pollFor(world, a, 2 * minute);
      const isOver = steps <= step;
      right.lose();
      rights[1].gain();
      const later = idsOf(world.store.place(1));
      await pollFor(world, b, 2 * minute);
      const label = `suspended at step ${step}`;
      expect(timesPosted(world.channel, [...placed, ...later]), label).toEqual([...placed, ...later].map(() => 1));
      if (isOver) {
        // What is found, what is tried and what is posted are recorded, and it is sent.
        expect(step).toBeGreaterThan(4);
        break;
      }
    }
  });
});

describe("another store that another process connects", () => {
  it("keeps its own first reading, and nothing of the one before, while a page of that one is under way", async () => {
    const world = await createAlertWorld();
    const hire = hireIn(world);
    const [gateway, worker] = [hire(), hire()];
    world.store.place(650);
    world.pass(minute);
    const onPage3 = world.store.orders.slice(200, 300).map(({ id }) => id);
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const { listOrders } = world.store;
    let isFirst = true;
    world.store.listOrders = async (query = {}, signal) => {
      const page = await listOrders(query, signal);
      if (query.page !== 3 || !isFirst) return page;
      isFirst = false;
      begun.resolve();
      await released.promise;
      return page;
    };
    await world.turnOn(gateway);
    await worker.take();
    await worker.alerts.poll(guildId);
    await begun.promise;
    const away = await createAlertWorld();
    for (const order of away.store.place(650)) order.id = `bbbbbbbb${order.id.slice(8)}`;
    for (const each of [away, world]) each.pass(10 * minute);
    world.stores.set("ther", away.store);
    await gateway.alerts.connect(guildId, away.store, "token of another");
    const { since } = (await gateway.guilds.get(guildId)).alerts ?? {};
    released.resolve();
    await worker.alerts.settled();
    await worker.alerts.poll(guildId);

    const row = await world.storage.table(baselineTable).get(guildId);
    expect(row?.reading.lists.map((list) => list.since)).toEqual([since]);
    expect((await world.storage.table(stored(`orders:${guildId}`)).getMany(onPage3)).filter(Boolean)).toEqual([]);
  });

  it("has nothing of the store before recorded by a poll that has read it already", async () => {
    const world = await createAlertWorld();
    const hire = hireIn(world);
    const [gateway, worker] = [hire(), hire()];
    world.store.place(3);
    world.pass(minute);
    await world.turnOn(gateway);
    await worker.turn();
    const away = await createAlertWorld();
    for (const order of away.store.place(3)) order.id = `bbbbbbbb${order.id.slice(8)}`;
    world.stores.set("ther", away.store);
    const placed = world.store.place(3).map(({ id }) => id);
    const { listOrders } = world.store;
    world.store.listOrders = async (query, signal) => {
      world.store.listOrders = listOrders;
      const page = await listOrders(query, signal);
      await gateway.alerts.connect(guildId, away.store, "token of another");
      await worker.hear();
      return page;
    };
    for (let turn = 0; turn < 4; turn++) await worker.turn();

    expect(timesPosted(world.channel, placed)).toEqual([0, 0, 0]);
  });
});

describe("what another process changed", () => {
  it("is read again", async () => {
    const { world, a, b } = await twoProcesses();
    await b.alerts.turnOff(guildId);
    const [order] = world.store.place(1);
    a.alerts.forgetMemory();
    await pollFor(world, a, minute);

    expect(timesPosted(world.channel, [order?.id ?? ""])).toEqual([0]);
    expect(await polledIn(world.storage)).toEqual([]);
  });
});
