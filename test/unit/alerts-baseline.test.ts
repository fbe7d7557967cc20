import { describe, expect, it } from "vitest";
import { startedTable } from "../../src/baseline/new-store.ts";
import { begunTable } from "../../src/orders/baseline.ts";
import type { Right } from "../../src/polling/right.ts";
import { channelId, createAlertWorld, guildId, idsOf, pollFor, timesPosted } from "../support/alert-world.ts";
import { createPretendNotes } from "../support/pretend-notes.ts";
import { newProcess } from "../support/sharing-process.ts";
import { keysIn, storedBefore } from "../support/stored.ts";

// Lists of 7 pages: turning alerts on reads the first and the last of them, and the first reading those between.

const minute = 60_000;
/** By then every page was read by polls, too. */
const manyTurns = 12;
type World = Awaited<ReturnType<typeof createAlertWorld>>;
type Wrap = NonNullable<Parameters<World["start"]>[1]>;
const standby: Right = { term: () => undefined, signal: () => AbortSignal.abort() };

/** Does something before or after each write of how far the first reading has come. */
const aroundWrites =
  ({ before, after }: { before?: () => Promise<void>; after?: () => Promise<void> }): Wrap =>
  (table, name) => ({
    ...table,
    async set(...args) {
      if (name === "backlog") await before?.();
      await table.set(...args);
      if (name === "backlog") await after?.();
    },
  });

/** Does something the first time that it is called after it was armed. */
function onceArmed(act: () => Promise<void>) {
  let isArmed = false;
  return {
    arm() {
      isArmed = true;
    },
    async run() {
      if (!isArmed) return;
      isArmed = false;
      await act();
    },
  };
}

/** A process that polls by lease until it loses that. */
function byLease(world: World, wrap?: Wrap) {
  let turns = 0;
  let term: number | undefined = 1;
  const right: Right = { term: () => term, signal: () => new AbortController().signal };
  const life = world.start(undefined, wrap, right);
  return {
    lose() {
      term = undefined;
    },
    async turn() {
      await life.alerts.poll(guildId);
      await life.alerts.settled(guildId);
      world.pass(15_000);
      // As the lease does after a change; what was seen of the pages is forgotten with it.
      if (++turns === 1) life.alerts.forgetMemory();
    },
  };
}

/** A gateway and a worker. */
function crew(world: World, kind: "lease" | "queue", wrap: Wrap) {
  if (kind === "lease") {
    return { gateway: world.start(undefined, undefined, standby), worker: byLease(world, wrap) };
  }
  const redis = createPretendNotes();
  const hire = (wrapped?: Wrap) => {
    const { rights, right, turn } = newProcess(redis.connect());
    const life = world.start(undefined, wrapped, right);
    // As in src/create-polling.ts.
    life.guilds.onChanging((id) => rights.changed(id));
    life.guilds.onChange((id) => void rights.changed(id).catch(() => undefined));
    return {
      ...life,
      async turn() {
        const hold = await turn();
        await life.alerts.poll(guildId);
        await life.alerts.settled(guildId);
        hold.end();
        world.pass(15_000);
      },
    };
  };
  return { gateway: hire(), worker: hire(wrap) };
}

/** A world with as many pages of orders that are paid as of those that are not. Gives the ids of the paid ones. */
async function paidAndPending() {
  const world = await createAlertWorld();
  const paid = world.store.place(700);
  for (const order of paid) order.status = "PAID";
  world.store.place(700);
  world.pass(minute);
  return { world, paid: idsOf(paid) };
}

/** Another store, whose orders came a minute ago. */
async function otherStore(world: World) {
  const away = await createAlertWorld();
  away.pass(world.now() - minute - away.now());
  for (const order of away.store.place(700)) order.id = `bbbbbbbb${order.id.slice(8)}`;
  away.pass(minute);
  world.stores.set("of b", away.store);
  return away.store;
}

const rung = ({ channel }: World, ids: readonly string[]) =>
  timesPosted(channel, ids).filter((times) => times > 0).length;
const progressOf = async (world: World) =>
  (await world.start(undefined, undefined, standby).alerts.status(guildId)).baseline;
const both = { channelId, statuses: ["PENDING", "PAID"] };

describe("a status that is added", () => {
  it.each(["lease", "queue"] as const)(
    "(by %s) between a worker's last look and its write: what was there before does not ring",
    async (kind) => {
      const { world } = await paidAndPending();
      const adding = onceArmed(async () => void (await gateway.alerts.turnOn(guildId, world.store, both)));
      const { gateway, worker } = crew(world, kind, aroundWrites({ before: adding.run }));
      await world.turnOn(gateway);
      adding.arm();
      for (let turn = 0; turn < manyTurns; turn++) await worker.turn();
      expect(rung(world, idsOf(world.store.orders))).toBe(0);
      expect(await progressOf(world)).toMatchObject({ statuses: ["PAID", "PENDING"], done: true });
    },
    60_000,
  );

  it("while `/alerts status` reads how far it is: what was there before does not ring", async () => {
    const { world, paid } = await paidAndPending();
    const sleeps = Promise.withResolvers<void>();
    const wakes = Promise.withResolvers<void>();
    const reading = onceArmed(async () => {
      sleeps.resolve();
      await wakes.promise;
    });
    const recording = onceArmed(async () => {
      wakes.resolve();
      await status;
    });
    const life = world.start(undefined, (table, name) => ({
      ...table,
      async get(key) {
        const got = await table.get(key);
        if (name === "backlog") await reading.run();
        return got;
      },
      async set(...args) {
        if (name === "guilds") await recording.run();
        await table.set(...args);
      },
    }));
    await world.turnOn(life);
    await life.alerts.settled(guildId);
    life.alerts.forgetMemory();
    for (const step of [reading, recording]) step.arm();
    const status = life.alerts.status(guildId);
    await sleeps.promise;
    await life.alerts.turnOn(guildId, world.store, both);
    await pollFor(world, life, manyTurns * 15_000);
    await life.alerts.settled(guildId);
    expect(rung(world, paid)).toBe(0);
  }, 60_000);
});

describe("suspended before it writes how far the first reading has come, while another process goes on", () => {
  it.each(["another store is connected", "alerts are turned off, and on for another status"])(
    "%s: what was there before does not ring",
    async (what) => {
      const { world, paid } = await paidAndPending();
      const gateway = world.start(undefined, undefined, standby);
      await world.turnOn(gateway);
      const sleeps = Promise.withResolvers<void>();
      const wakes = Promise.withResolvers<void>();
      const suspended = onceArmed(async () => {
        sleeps.resolve();
        await wakes.promise;
      });
      const first = byLease(world, aroundWrites({ before: suspended.run }));
      suspended.arm();
      const firstTurn = first.turn();
      await sleeps.promise;
      first.lose();
      world.pass(60 * minute);
      let old = paid;
      if (what === "another store is connected") {
        const b = await otherStore(world);
        old = idsOf(b.orders);
        await gateway.alerts.connect(guildId, b, "token of b");
      } else {
        await gateway.alerts.turnOff(guildId);
        await gateway.alerts.turnOn(guildId, world.store, { channelId, statuses: ["PAID"] });
      }
      const waking = onceArmed(async () => {
        wakes.resolve();
        await firstTurn;
      });
      waking.arm();
      const second = byLease(world, aroundWrites({ after: waking.run }));
      for (let turn = 0; turn < manyTurns; turn++) await second.turn();
      expect(rung(world, old)).toBe(0);
      expect(await progressOf(world)).toMatchObject({ done: true });
    },
    60_000,
  );
});

it("another store whose orders are taken as seen once more, after all were read, is read once more", async () => {
  const { world } = await paidAndPending();
  const gateway = world.start(undefined, undefined, standby);
  await world.turnOn(gateway);
  world.pass(60 * minute);
  const b = await otherStore(world);
  await gateway.alerts.connect(guildId, b, "token of b");
  await byLease(world).turn();
  expect(await progressOf(world)).toMatchObject({ done: true });
  // A process that was suspended while it did the same for a store before.
  await world.storage.table(startedTable).set(guildId, { since: 5 });
  const worker = byLease(world);
  for (let turn = 0; turn < manyTurns; turn++) await worker.turn();
  expect(rung(world, idsOf(b.orders))).toBe(0);
}, 60_000);

describe("a first reading that 0.1.0 has begun", () => {
  it("goes on from where it was, and ends", async () => {
    const { world } = await paidAndPending();
    const gateway = world.start(undefined, undefined, standby);
    await world.turnOn(gateway);
    const begun = await world.storage.table(begunTable).get(guildId);
    await world.storage.table(begunTable).delete(guildId);
    const state = { ...begun?.state, page: 6, lastPage: 7, clean: false };
    await world.storage.table(storedBefore("backlog")).set(guildId, state);
    const worker = byLease(world);
    const asked: (number | undefined)[] = [];
    const { page } = world.store;
    world.store.page = (query) => {
      asked.push(query.page);
      return page(query);
    };
    for (let turn = 0; turn < manyTurns; turn++) await worker.turn();
    expect(await progressOf(world)).toMatchObject({ done: true });
    // The poll asks for the first page, the last and one between.
    expect(asked.slice(3, 6)).toEqual([6, 7, 7]);
    expect(rung(world, idsOf(world.store.orders))).toBe(0);
    await gateway.alerts.turnOff(guildId);
    for (const name of ["begun", "backlog"]) expect(await keysIn(world.storage, name)).toEqual([]);
  }, 60_000);
});
