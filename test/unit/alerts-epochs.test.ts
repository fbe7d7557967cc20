import { describe, expect, it } from "vitest";
import { baselineTable } from "../../src/baseline/baseline-row.ts";
import type { GuildLease } from "../../src/orders/guild-lease.ts";
import { fails } from "../support/alert-lives.ts";
import {
  type AlertWorld,
  createAlertWorld,
  guildId,
  idsOf,
  type Life,
  once,
  pollFor,
  rightIn,
  timesPosted,
} from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";
import { sized } from "../support/sized.ts";
import { stored } from "../support/stored.ts";

// Several processes on one storage, of which one has the lease at a time.

const minute = 60_000;

/** A lease that can be lost and taken again. */
function createLease(): GuildLease & { lose(): void; gain(): void } {
  let epoch = 0;
  let isHeld = false;
  let over = new AbortController();
  return {
    ...rightIn(
      () => (isHeld ? epoch : undefined),
      () => over.signal,
    ),
    lose() {
      isHeld = false;
      over.abort();
    },
    gain() {
      isHeld = true;
      epoch++;
      over = new AbortController();
    },
  };
}

/** Process A polls, and B may take over. Minutes have passed: Discord has forgotten nonces. */
async function twoProcesses() {
  const world = await createAlertWorld();
  world.channel.nonces = false;
  const leases = [createLease(), createLease()] as const;
  const [a, b] = leases.map((lease) => world.start(undefined, undefined, lease)) as [Life, Life];
  leases[0].gain();
  await world.turnOn(a);
  await pollFor(world, a, minute);
  return { world, a, b, leases };
}

/** Another store with so many orders, whose ids begin with "b". Its token ends in "ther". */
async function otherStore(world: AlertWorld, count: number) {
  const { store } = await createAlertWorld();
  for (const order of store.place(count)) {
    Object.assign(order, { id: `bbbbbbbb${order.id.slice(8)}`, createdAt: world.now() - minute });
  }
  world.stores.set("ther", store);
  return { store, connect: ({ alerts }: Life) => alerts.connect(guildId, store, "token of another") };
}

describe("the lease", () => {
  it("that went to another process and came back sends nothing twice (0.1.0: 3 of 4 orders)", async () => {
    const { world, a, b, leases } = await twoProcesses();
    fails(world, "send", "uncertain");
    const ids = idsOf(world.store.place(1));
    await a.alerts.poll(guildId);
    ids.push(...idsOf(world.store.place(3)));
    await a.alerts.poll(guildId);
    world.channel.fault = () => undefined;
    for (const [lost, taken, life] of [
      [0, 1, b],
      [1, 0, a],
    ] as const) {
      leases[lost].lose();
      leases[taken].gain();
      world.pass(10 * minute);
      await pollFor(world, life, minute);
      expect(timesPosted(world.channel, ids)).toEqual([1, 1, 1, 1]);
    }
  });

  it("that was lost at any step of an alert is not used any more (0.1.0: sent twice)", async () => {
    for (let step = 0; ; step += sized(3, 1)) {
      const { world, b, leases } = await twoProcesses();
      const lease = createLease();
      lease.gain();
      let steps = 0;
      // At this step process A is suspended, B takes over and works everything off, and A goes on.
      const suspended = async () => {
        if (lease.epoch() === undefined || steps++ !== step) return;
        lease.lose();
        leases[1].gain();
        world.pass(30 * minute);
        await pollFor(world, b, minute);
      };
      const a = world.start(undefined, undefined, lease);
      world.commits.before = suspended;
      leases[0].lose();
      world.channel.fault = (call) => (call === "send" ? suspended() : undefined);
      const ids = idsOf(world.store.place(7));
      await pollFor(world, a, 2 * minute);
      const isOver = steps <= step;
      lease.lose();
      leases[1].gain();
      ids.push(...idsOf(world.store.place(1)));
      await pollFor(world, b, 2 * minute);
      expect(timesPosted(world.channel, ids), `suspended at step ${step}`).toEqual(once(ids));
      if (!isOver) continue;
      expect(step).toBeGreaterThan(4);
      break;
    }
  });
});

describe("another store that a process without the lease connects", () => {
  it("has only its new orders announced, wherever the other process polls in between", async () => {
    for (let step = 0; ; step += sized(3, 1)) {
      const { world, a } = await twoProcesses();
      world.store.place(2);
      await pollFor(world, a, minute);
      const other = await otherStore(world, 8);
      const old = idsOf(other.store.orders);
      const fresh: string[] = [];
      const placeNew = () => {
        for (const order of other.store.place(1)) {
          Object.assign(order, { id: `f${order.id.slice(1)}`, createdAt: world.now() });
          fresh.push(order.id);
        }
      };
      let steps = 0;
      const poll = async () => {
        if (steps++ !== step) return;
        a.alerts.forgetMemory();
        if ((await a.guilds.get(guildId)).token?.last4 === "ther") placeNew();
        await pollFor(world, a, 1_000, 1_000);
      };
      await other.connect(world.start(undefined, undefined, createLease(), { commits: { after: poll } }));
      a.alerts.forgetMemory();
      await pollFor(world, a, minute);
      placeNew();
      await pollFor(world, a, minute);
      expect(timesPosted(world.channel, old), `polled at step ${step}`).toEqual(old.map(() => 0));
      expect(timesPosted(world.channel, fresh), `polled at step ${step}`).toEqual(once(fresh));
      if (steps > step) continue;
      expect(step).toBeGreaterThanOrEqual(2);
      break;
    }
  });

  it("keeps its own baseline, without the page of the store before that is being read", async () => {
    const world = await createAlertWorld();
    const hire = hireIn(world);
    const [gateway, worker] = [hire(), hire()];
    world.store.place(650);
    world.pass(minute);
    const onPage3 = idsOf(world.store.orders.slice(200, 300));
    const begun = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const { listOrders } = world.store;
    world.store.listOrders = async (query = {}, signal) => {
      const page = await listOrders(query, signal);
      if (query.page === 3) {
        begun.resolve();
        await released.promise;
      }
      return page;
    };
    await world.turnOn(gateway);
    await worker.take();
    await worker.alerts.poll(guildId);
    await begun.promise;
    world.pass(10 * minute);
    await (await otherStore(world, 650)).connect(gateway);
    const { since } = (await gateway.guilds.get(guildId)).alerts ?? {};
    released.resolve();
    await worker.alerts.settled();
    await worker.alerts.poll(guildId);
    const row = await world.storage.table(baselineTable).get(guildId);
    expect(row?.reading.lists.map((list) => list.since)).toEqual([since]);
    expect((await world.storage.table(stored(`orders:${guildId}`)).getMany(onPage3)).filter(Boolean)).toEqual([]);
  });

  it("has nothing announced by a poll that has read the store before", async () => {
    const world = await createAlertWorld();
    const hire = hireIn(world);
    const [gateway, worker] = [hire(), hire()];
    await world.turnOn(gateway);
    await worker.turn();
    const other = await otherStore(world, 3);
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
