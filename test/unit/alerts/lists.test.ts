import { afterEach, describe, expect, it, vi } from "vitest";
import { baselineTable } from "../../../src/baseline/baseline-row.ts";
import { Ledger } from "../../../src/orders/ledger.ts";
import { StorageError } from "../../../src/storage/table.ts";
import type { Order } from "../../../src/store-api/schemas.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import { become, holdPage, pollOnce, ready } from "../../support/engine/alert-lives.ts";
import {
  type AlertWorld,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  once,
  pollFor,
  timesPosted,
} from "../../support/engine/alert-world.ts";
import { hireIn } from "../../support/engine/crew.ts";
import { killAtEachStep } from "../../support/engine/killer.ts";
import { dealtWith, recordOrders } from "../../support/engine/order-rows.ts";
import { sized } from "../../support/sized.ts";

// If one list or page is wrong, slow or broken, the others must not suffer.

const minute = 60_000;
const hour = 60 * minute;

describe("pages that hang", () => {
  it.each([
    ["the last one", 4, (page: number) => page === 4],
    ["every other one", 1, (page: number) => page > 1],
  ])("do not delay what page 1 brought: %s, of %i lists", async (_, lists, hangs) => {
    const statuses = ["PENDING", "PAID", "SHIPPED", "REFUNDED"].slice(0, lists);
    const { world, life } = await ready({ statuses });
    for (const status of statuses) for (const order of world.store.place(350)) order.status = status;
    await takeAllAsSeen(world);
    await pollFor(world, life, 2 * minute);
    const { listOrders } = world.store;
    const posted = Promise.withResolvers<void>();
    world.channel.fault = (call, when) => {
      if (call === "send" && when === "after") posted.resolve();
    };
    world.store.listOrders = async (query = {}, signal) => {
      if (!hangs(query.page ?? 1)) return listOrders(query, signal);
      await posted.promise;
      world.pass(30_000);
      throw new StoreError("timeout", "GET orders");
    };
    const [order] = world.store.place(1);
    const placedAt = world.now();
    await pollOnce(life);
    expect(world.now() - placedAt, "pages did hang").toBeGreaterThanOrEqual(30_000);

    const alert = world.channel.messages.find(({ payload }) => JSON.stringify(payload).includes(order?.id ?? ""));
    expect((alert?.at ?? Number.POSITIVE_INFINITY) - placedAt).toBe(0);

    await pollFor(world, life, 5 * minute);
    expect(timesPosted(world.channel, [order?.id ?? ""])).toEqual([1]);
  });

  it("of the first reading count an order once, even if alerts and a rule have its status", async () => {
    const world = await createAlertWorld();
    const life = world.start();
    world.store.place(650);
    world.pass(minute);
    const rule = { id: "r1", name: "new", channelId: "900000000000000009", style: "staff" as const, status: "PENDING" };
    await life.guilds.update(guildId, (guild) => ({ ...guild, routes: [rule] }));
    const { waits, goOn } = holdPage(world, 5);
    await world.turnOn(life);
    await waits;
    // 150 on pages 1 and 7, and 100 on each of pages 3 and 4. A poll has read page 2.
    expect((await life.alerts.status(guildId)).baselineCounted).toBe(350);

    goOn();
  });
});

describe("a store that goes down", () => {
  it("after one page failed is polled again after growing waits, not at once", async () => {
    const { world, life, poll } = await ready();
    world.store.place(150);
    await takeAllAsSeen(world);
    await poll(1);
    expect(await pollOnce(life)).toBeUndefined();
    for (const [index, page] of [2, 1, 1, 1, 1].entries()) {
      world.store.fault = (request) => {
        if ((request.page ?? 1) >= page) throw new StoreError("unavailable", "GET orders");
      };
      const waitMs = await pollOnce(life);
      expect(waitMs, `page ${page} failed`).toBeGreaterThanOrEqual(1_000);
      // The first retry is soon, whatever the schedule says.
      if (index === 0) expect(waitMs).toBeLessThanOrEqual(2_000);
      world.pass(waitMs ?? 0);
    }
    world.store.fault = () => undefined;
    expect(await pollOnce(life)).toBeUndefined();
  });

  it("with a refusal for each single order is not asked for all of them", async () => {
    const { world, life, place } = await ready();
    await place(40);
    world.store.orders.splice(0);
    let asked = 0;
    world.store.fault = ({ order }) => {
      if (order === undefined) return;
      asked++;
      throw new StoreError("unauthorized", "GET order");
    };
    // After an hour without a poll, many orders are due.
    world.pass(hour);
    await pollOnce(life);
    world.pass(hour);
    asked = 0;
    await pollOnce(life);
    expect([1, 2]).toContain(asked);
  });
});

it("an order that no list shows is read again soon after a 429, and not after all others", async () => {
  const { world, life, place, move } = await ready();
  await move(await place(30), "PROCESSING", 10);
  const asked: string[] = [];
  world.store.fault = ({ order }) => {
    if (order !== undefined && asked.push(order) === 1) throw new StoreError("rate_limited", "GET order");
  };
  await pollFor(world, life, 2 * minute, 15_000);
  expect(asked.filter((order) => order === asked[0])).toHaveLength(2);
});

it("an order that has just left its list is read before orders that no list shows and that still wait after a 429", async () => {
  const { world, life, place, move } = await ready();
  await move(await place(30), "PROCESSING", 10);
  const [left = ""] = await place();
  let asked: string[] = [];
  world.store.fault = ({ order }) => {
    if (order === undefined) return;
    asked.push(order);
    throw new StoreError("rate_limited", "GET order", { retryAfterMs: minute });
  };
  world.pass(60 * minute);
  await pollOnce(life);
  asked = [];
  become(world, "PROCESSING", [left]);
  world.pass(60 * minute);
  await pollOnce(life);
  expect(asked).toEqual([left]);
});

/** As if the orders had been there before alerts began. */
async function takeAllAsSeen({ storage, store }: AlertWorld) {
  await recordOrders(new Ledger(storage, guildId), new Map(store.orders.map(({ id }) => [id, dealtWith])));
}

/** The orders have different times. The last one is an hour old. */
async function longList(count = 650) {
  const world = await createAlertWorld();
  for (let orders = 0; orders < count; orders++) {
    world.store.place(1);
    world.pass(1_000);
  }
  world.pass(hour);
  return { world, old: idsOf(world.store.orders) };
}

/** `count.failures`: requests for page 3 while alerts are turned on. Each fails. */
async function thirdPageFails(code: StoreError["code"]) {
  const { world } = await longList();
  const life = world.start();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const count = { failures: 0 };
  world.store.fault = ({ page }) => {
    if (page !== 3) return;
    count.failures++;
    throw new StoreError(code, "GET orders");
  };
  await world.turnOn(life);
  await life.alerts.settled();
  async function passFiveMinutes() {
    world.pass(5 * minute);
    await vi.advanceTimersByTimeAsync(5 * minute);
    await life.alerts.settled();
  }
  return { world, life, count, passFiveMinutes };
}

describe("between two polls", () => {
  afterEach(() => void vi.useRealTimers());

  it.each<[string, (world: AlertWorld) => void]>([
    [
      "a page of the first reading that the store did not give",
      ({ store }) => {
        store.fault = ({ page }) => {
          if (page !== 3) return;
          store.fault = () => undefined;
          throw new StoreError("unavailable", "GET orders");
        };
      },
    ],
    [
      "a page of the first reading that could not be recorded",
      ({ commits }) => {
        let times = 0;
        commits.before = (steps) => {
          if (steps.some(({ table }) => table === "baseline") && times++ === 3)
            throw new StorageError("commit", new Error("disk full"));
        };
      },
    ],
  ])("%s is read again within five minutes", async (_, fail) => {
    const { world } = await longList();
    const life = world.start();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    fail(world);
    await world.turnOn(life);
    await life.alerts.settled();
    const counted = async () => (await life.alerts.status(guildId)).baselineCounted;
    expect(await counted(), "it waits").toBeDefined();
    world.pass(5 * minute);
    await vi.advanceTimersByTimeAsync(5 * minute);
    await life.alerts.settled();
    expect(await counted()).toBeUndefined();
  });

  it("a server that was forgotten and set up again is read once", async () => {
    const { world, life, count, passFiveMinutes } = await thirdPageFails("unavailable");
    await life.alerts.forget(guildId, async () => undefined);
    await world.turnOn(life);
    await life.alerts.settled();
    count.failures = 0;
    await passFiveMinutes();
    expect(count.failures).toBe(1);
  });

  it("a refused token is not asked for again before the next poll", async () => {
    const { count, passFiveMinutes } = await thirdPageFails("unauthorized");
    await passFiveMinutes();
    expect(count.failures).toBe(1);
  });
});

it("a store that writes local time without a zone rings for what comes during the first reading, and for nothing older", async () => {
  const { world, old } = await longList();
  const { store } = world;
  const { page } = store;
  store.page = (query) => {
    const answer = page(query);
    // 3 h behind the answer's Date. One order on page 1 has no time.
    const items = answer.items.map((order) => ({
      ...order,
      createdAt: order.id === old[50] ? undefined : (order.createdAt ?? 0) - 3 * hour,
    }));
    return { ...answer, items };
  };
  const life = world.start();
  await life.guilds.connect(guildId, "token-1234");
  await life.alerts.turnOn(guildId, life.connected, { channelId });
  world.pass(15_000);
  const placed = idsOf(store.place(3));
  await pollOnce(life);
  expect((await life.alerts.status(guildId)).baselineCounted, "it goes on").toBeDefined();

  await life.alerts.settled();
  await pollFor(world, life, 2 * minute);
  expect(timesPosted(world.channel, placed)).toEqual(once(placed));
  expect(timesPosted(world.channel, old).filter((times) => times > 0)).toEqual([]);
});

it("a store whose answers have no date rings for what comes during the first reading, and for nothing older", async () => {
  const { world, old } = await longList();
  const { store } = world;
  store.orders.reverse();
  const { page } = store;
  store.page = (query) => ({ ...page(query), servedAt: undefined });
  const life = world.start();
  await life.guilds.connect(guildId, "token-1234");
  await life.alerts.turnOn(guildId, life.connected, { channelId });
  world.pass(15_000);
  const placed = idsOf(store.place(3));
  await pollFor(world, life, 5 * minute);
  expect(timesPosted(world.channel, placed)).toEqual(once(placed));
  expect(timesPosted(world.channel, old).filter((times) => times > 0)).toEqual([]);
});

it.each<[string, (orders: Order[]) => void]>([
  [
    "by id whose first page has falling times by chance",
    (orders) => orders.unshift(...orders.splice(-100), ...orders.splice(0).reverse()),
  ],
  [
    "whose 400 newest orders have the same time",
    (orders) => {
      for (const order of orders.slice(0, 400)) order.createdAt = orders[0]?.createdAt;
    },
  ],
])("a list %s: nothing old rings", async (_, arrange) => {
  const { world, old } = await longList();
  arrange(world.store.orders);
  const life = world.start();
  await world.turnOn(life);
  await pollFor(world, life, 5 * minute);
  expect(timesPosted(world.channel, old).filter((times) => times > 0)).toEqual([]);
});

// Lists of 6 pages and more. Turning alerts on reads the first page and the last one, and the first reading those between.

const listsOf = async (world: AlertWorld) => (await world.storage.table(baselineTable).get(guildId))?.reading.lists;

it("a process killed at any step of the first reading goes on where it was, and counts each order once", async () => {
  const readings = new Set<string>();
  await killAtEachStep(sized(7, 1), async (killer) => {
    // Each page is recorded in two commits.
    const limit = 150;
    const { world } = await longList(5.5 * limit);
    const { page } = world.store;
    world.store.page = (query) => page({ ...query, limit });
    for (const life of [world.start(killer), world.start()]) {
      await world.turnOn(life).catch(() => undefined);
      await life.alerts.settled();
    }
    readings.add(JSON.stringify((await listsOf(world))?.map(({ since: _, ...list }) => list)));
  });
  expect([...readings]).toHaveLength(1);
});

it("a status that is added between a worker's last look and its write: what was there before does not ring", async () => {
  const world = await createAlertWorld();
  become(world, "PAID", idsOf(world.store.place(250)));
  world.store.place(250);
  world.pass(minute);
  const hire = hireIn(world);
  const gateway = hire();
  let isArmed = false;
  const worker = hire({
    async before(steps) {
      if (!isArmed || !steps.some(({ table }) => table === "baseline")) return;
      isArmed = false;
      await gateway.alerts.turnOn(guildId, gateway.connected, { channelId, statuses: ["PENDING", "PAID"] });
    },
  });
  await world.turnOn(gateway);
  isArmed = true;
  // By then, polls have read every page, too.
  for (let turn = 0; turn < 12; turn++) await worker.turn();
  expect(isArmed).toBe(false);
  expect(timesPosted(world.channel, idsOf(world.store.orders))).not.toContain(1);
  expect(await listsOf(world)).toMatchObject([
    { statuses: ["PAID"], done: true },
    { statuses: ["PENDING"], done: true },
  ]);
});

describe("a store without creation times, during the reading", () => {
  /** Alerts are turned on over 8 pages, of which some fail. Returns the world after five hours. */
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
