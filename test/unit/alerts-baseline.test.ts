import { describe, expect, it } from "vitest";
import { baselineTable } from "../../src/baseline/baseline-row.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import {
  type CommitHooks,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  once,
  pollFor,
  timesPosted,
} from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";

// Lists of 7 pages: turning alerts on reads the first and the last of them, and the first reading those between.

const minute = 60_000;
/** By then every page was read by polls, too. */
const manyTurns = 12;
type World = Awaited<ReturnType<typeof createAlertWorld>>;

/** Does something before or after each write of how far the baseline is read. */
function aroundWrites({ before, after }: { before?: () => Promise<void>; after?: () => Promise<void> }): CommitHooks {
  const isIt = (steps: Parameters<NonNullable<CommitHooks["before"]>>[0]) =>
    steps.some(({ table }) => table === "baseline");
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

/** A world with as many pages of orders that are paid as of those that are not. Gives the ids of the paid ones. */
async function paidAndPending() {
  const world = await createAlertWorld();
  const paid = world.store.place(250);
  for (const order of paid) order.status = "PAID";
  world.store.place(250);
  world.pass(minute);
  return { world, paid: idsOf(paid) };
}

const rung = ({ channel }: World, ids: readonly string[]) =>
  timesPosted(channel, ids).filter((times) => times > 0).length;
const listsOf = async (world: World) => (await world.storage.table(baselineTable).get(guildId))?.reading.lists;
const both = { channelId, statuses: ["PENDING", "PAID"] };

describe("a status that is added", () => {
  it("between a worker's last look and its write: what was there before does not ring", async () => {
    const { world } = await paidAndPending();
    const adding = onceArmed(async () => void (await gateway.alerts.turnOn(guildId, gateway.connected, both)));
    const hire = hireIn(world);
    const [gateway, worker] = [hire(), hire(aroundWrites({ before: adding.run }))];
    await world.turnOn(gateway);
    adding.arm();
    for (let turn = 0; turn < manyTurns; turn++) await worker.turn();
    expect(rung(world, idsOf(world.store.orders))).toBe(0);
    expect(await listsOf(world)).toMatchObject([
      { statuses: ["PAID"], done: true },
      { statuses: ["PENDING"], done: true },
    ]);
  });
});

describe("a store without creation times, during the reading", () => {
  /** Turns alerts on over 8 pages of which some fail. Returns the world after five hours. */
  async function readWith(isBroken: (page: number) => boolean) {
    const world = await createAlertWorld();
    const place = (count: number) => {
      const placed = world.store.place(count);
      for (const order of placed) delete (order as { createdAt?: number }).createdAt;
      return placed;
    };
    place(800);
    const life = world.start();
    await world.turnOn(life);
    world.store.fault = ({ page = 1 }) => {
      if (isBroken(page)) throw new StoreError("unavailable", "GET /orders");
    };
    await pollFor(world, life, 300 * minute, 6 * minute);
    return { world, life, place };
  }

  it("a page that always fails delays the alerts of new orders, and does not prevent them", async () => {
    const { world, life, place } = await readWith((page) => page === 5);
    const fresh = idsOf(place(3));
    await pollFor(world, life, 12 * minute, 6 * minute);
    expect(timesPosted(world.channel, fresh)).toEqual(once(fresh));
  });

  it("no page is left out while the store is down", async () => {
    const { world } = await readWith((page) => page > 1);
    expect(await listsOf(world)).toMatchObject([{ pass: 1, page: 2 }]);
  });
});
