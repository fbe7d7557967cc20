import { describe, expect, it } from "vitest";
import { startedTable } from "../../src/baseline/new-store.ts";
import { begunTable } from "../../src/orders/baseline.ts";
import {
  type CommitHooks,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  pollFor,
  rightIn,
  standby,
  timesPosted,
} from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";
import { keysIn, storedBefore } from "../support/stored.ts";

// Lists of 7 pages: turning alerts on reads the first and the last of them, and the first reading those between.

const minute = 60_000;
/** By then every page was read by polls, too. */
const manyTurns = 12;
type World = Awaited<ReturnType<typeof createAlertWorld>>;

/** Does something before or after each write of how far the baseline is read. */
function aroundWrites({ before, after }: { before?: () => Promise<void>; after?: () => Promise<void> }): CommitHooks {
  const isIt = (steps: Parameters<NonNullable<CommitHooks["before"]>>[0]) =>
    steps.some(({ table }) => table === "backlog");
  return {
    before: async (steps) => (isIt(steps) ? before?.() : undefined),
    after: async (steps) => (isIt(steps) ? after?.() : undefined),
  };
}

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

/** A process that polls until it loses the right to. */
function polling(world: World, commits?: CommitHooks) {
  let turns = 0;
  let term: number | undefined = 1;
  const right = rightIn(() => term);
  const life = world.start(undefined, undefined, right, commits ? { commits } : {});
  return {
    lose() {
      term = undefined;
    },
    async turn() {
      await life.alerts.poll(guildId);
      await life.alerts.settled();
      world.pass(15_000);
      // As after a change; what was seen of the pages is forgotten with it.
      if (++turns === 1) life.alerts.forgetMemory();
    },
  };
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
  it("between a worker's last look and its write: what was there before does not ring", async () => {
    const { world } = await paidAndPending();
    const adding = onceArmed(async () => void (await gateway.alerts.turnOn(guildId, world.store, both)));
    const hire = hireIn(world);
    const [gateway, worker] = [hire(), hire(undefined, aroundWrites({ before: adding.run }))];
    await world.turnOn(gateway);
    adding.arm();
    for (let turn = 0; turn < manyTurns; turn++) await worker.turn();
    expect(rung(world, idsOf(world.store.orders))).toBe(0);
    expect(await progressOf(world)).toMatchObject({ statuses: ["PAID", "PENDING"], done: true });
  }, 60_000);

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
    const life = world.start(
      undefined,
      (table, name) => ({
        ...table,
        async get(key) {
          const got = await table.get(key);
          if (name === "backlog") await reading.run();
          return got;
        },
      }),
      undefined,
      { commits: { before: async (steps) => (steps[0]?.table === "guilds" ? recording.run() : undefined) } },
    );
    await world.turnOn(life);
    await life.alerts.settled();
    life.alerts.forgetMemory();
    for (const step of [reading, recording]) step.arm();
    const status = life.alerts.status(guildId);
    await sleeps.promise;
    await life.alerts.turnOn(guildId, world.store, both);
    await pollFor(world, life, manyTurns * 15_000);
    await life.alerts.settled();
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
      const first = polling(world, aroundWrites({ before: suspended.run }));
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
      const second = polling(world, aroundWrites({ after: waking.run }));
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
  await polling(world).turn();
  expect(await progressOf(world)).toMatchObject({ done: true });
  // A process that was suspended while it did the same for a store before.
  await world.storage.table(startedTable).set(guildId, { since: 5 });
  const worker = polling(world);
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
    const worker = polling(world);
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
