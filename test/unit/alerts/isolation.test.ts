import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { ordersTable } from "../../../src/orders/order-row.ts";
import { alertKey, type OutboxRow, outboxTable } from "../../../src/orders/outbox-row.ts";
import { MessengerError } from "../../../src/outbox/messenger.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import { become, fails, holdFirst, pollOnce, ready, said, storeFails } from "../../support/engine/alert-lives.ts";
import {
  type AlertWorld,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  type Life,
  pollFor,
  timesPosted,
} from "../../support/engine/alert-world.ts";

// A failure of one order, page, edit or notice must not affect the others.

const minute = 60_000;

/** Seconds until a new order rings. */
async function delayOf(world: AlertWorld, life: Life, place = channelId) {
  const [order] = world.store.place(1);
  const from = world.now();
  const rang = () => timesPosted(world.channel, [order?.id ?? ""], place)[0] === 1;
  while (!rang() && world.now() - from < 60 * minute) await pollFor(world, life, 15_000);
  return (world.now() - from) / 1000;
}

it.each(["unavailable", "unauthorized"] as const)(
  "one order that cannot be read (%s) makes neither its store count as down nor its token as refused, and delays no order",
  async (code) => {
    const { world, life, place, poll } = await ready();
    const [bad] = await place();
    become(world, "PAID");
    let asked = 0;
    world.store.fault = ({ order }) => {
      if (order !== bad) return;
      asked++;
      throw new StoreError(code, "GET order");
    };
    await poll(60);

    expect(said(world, "has given no usable answer since") + said(world, "refuses the API token")).toBe(0);
    expect(asked, "it backs off alone").toBeLessThan(30);
    for (let orders = 0; orders < 3; orders++) expect(await delayOf(world, life)).toBe(15);
  },
);

it.each([
  ["timeout", 12, 30],
  ["unauthorized", 4, 16],
] as const)("a store that always fails (%s) is asked %i to %i times an hour", async (code, least, most) => {
  const { world, life } = await ready();
  let asked = 0;
  world.store.fault = () => {
    asked++;
    throw new StoreError(code, "GET orders");
  };
  await pollFor(world, life, 60 * minute, 5_000);

  expect(asked).toBeGreaterThanOrEqual(least);
  expect(asked).toBeLessThan(most);
});

it("a refused token is said once, also if the notice was not delivered at first, and recovers by itself (0.1.0: deaf for ever)", async () => {
  const { world, poll, mend, alertsOf } = await ready();
  storeFails(world, "unauthorized");
  fails(world, "send", "uncertain");
  await poll(1);
  expect(said(world, "refuses the API token")).toBe(0);

  mend();
  await poll(15);
  const restarted = world.start();
  await poll(30, restarted);
  expect(said(world, "refuses the API token")).toBe(1);
  expect((await restarted.alerts.status(guildId)).refusedSince).toBeDefined();

  const waiting = idsOf(world.store.place(3));
  world.store.fault = () => undefined;
  await poll(15, world.start());
  expect(alertsOf(waiting)).toEqual([1, 1, 1]);
  expect(said(world, "The store is answering again. 3 orders")).toBe(1);
});

it("a wait that Discord asks for is no problem that people are shown", async () => {
  const { world, life, place, move, mend } = await ready();
  const ids = await place();
  world.channel.fault = (call) => {
    if (call === "edit") throw new MessengerError("uncertain", undefined, 2_000);
  };
  await move(ids, "PAID");
  mend();
  expect((await life.alerts.status(guildId)).lastError).toBeUndefined();
});

describe("edits of alerts", () => {
  /** The store ignores the filter, so a poll shows changes at once. */
  async function withoutFilter() {
    const scene = await ready();
    const { store } = scene.world;
    const { page } = store;
    store.page = ({ statuses: _, ...query }) => page(query);
    return scene;
  }

  it("refused in one channel hold up nothing in another (0.1.0: 0 of 4 edited, orders 165 to 180 s late)", async () => {
    const { world, life, place, poll, mend } = await ready();
    const inA = await place(6);
    const elsewhere = "3000000000000000003";
    await life.alerts.turnOn(guildId, life.connected, { channelId: elsewhere });
    fails(world, "edit", "forbidden", { place: channelId });
    const inB: string[] = [];
    for (let orders = 0; orders < 4; orders++) inB.push(...(await place(1, 0.25)));
    become(world, "PAID");
    await poll(10);
    const edited = (ids: readonly string[]) =>
      world.channel.messages.filter(
        ({ payload, edits }) => edits === 1 && ids.some((id) => JSON.stringify(payload).includes(id)),
      ).length;
    expect([edited(inB), edited(inA)]).toEqual([4, 0]);
    for (let orders = 0; orders < 3; orders++) expect(await delayOf(world, life, elsewhere)).toBe(15);

    mend();
    await poll(6);
    expect(edited(inA), "and their one message is tried again").toBe(1);
  });

  it("refused for what others wrote are made without it (0.1.0: the alert showed its old status for ever)", async () => {
    const { world, place, move } = await ready();
    const ids = await place();
    const shown = () => JSON.stringify(world.channel.messages.at(-1)?.payload);
    expect(shown()).toContain("1 × Product");
    let refusals = 1;
    world.channel.fault = (call) => {
      if (call === "edit" && refusals-- > 0) throw new MessengerError("refused");
    };
    await move(ids, "PAID", 1);

    expect(shown()).toContain("Paid");
    expect(shown()).not.toContain("1 × Product");
  });

  it("that hang hold up neither a new alert nor a command (0.1.0: /alerts off waited for 200 of them)", async () => {
    const { world, life, place, alertsOf } = await withoutFilter();
    await place(40);
    let edits = 0;
    world.channel.fault = (call, when) => {
      if (call === "edit" && when === "before") edits++;
    };
    const { goOn } = holdFirst(world, "edit", "before");
    become(world, "EXPIRED");
    await life.alerts.poll(guildId);
    const fresh = idsOf(world.store.place(1));
    world.pass(15_000);
    await life.alerts.poll(guildId);
    await expect.poll(() => alertsOf(fresh)).toEqual([1]);

    await life.alerts.turnOff(guildId);
    expect(edits).toBe(1);

    goOn();
    await life.alerts.idle();
  });
});

it("the notice to a server's owner is sent again when it was not delivered (0.1.0: never)", async () => {
  const { world, place, poll } = await ready();
  let isReachable = false;
  world.channel.fault = (call) => {
    if (call === "send") throw new MessengerError("forbidden");
    if (call === "tellOwner" && !isReachable) throw new MessengerError("uncertain");
  };
  await place();
  isReachable = true;
  await poll(10, world.start());

  expect(world.channel.ownerNotices).toHaveLength(1);
});

it("an owner is told once though an alert and a reply are refused at the same time", async () => {
  const world = await createAlertWorld();
  const begins = Promise.withResolvers<void>();
  const life = world.start(undefined, undefined, undefined, {
    commits: {
      async before(steps) {
        if (!steps.some(({ table }) => table === "trouble")) return;
        world.pass(1);
        begins.resolve();
        for (let turns = 0; turns < 20; turns++) await turn();
      },
    },
  });
  await world.turnOn(life, { statuses: ["PENDING", "PAID"] });
  const ids = idsOf(world.store.place(1));
  await pollFor(world, life, minute);
  let sends = 0;
  world.channel.fault = async (call) => {
    if (call !== "send") return;
    if (++sends === 2) await begins.promise;
    throw new MessengerError("forbidden");
  };
  become(world, "PAID", ids);
  world.store.place(1);
  await pollFor(world, life, minute);
  expect(sends).toBeGreaterThan(1);
  expect(world.channel.ownerNotices).toHaveLength(1);
});

it("a channel that works again while its owner is told counts as working", async () => {
  const { world, life, mend } = await ready();
  fails(world, "send", "forbidden");
  const { waits, goOn } = holdFirst(world, "tellOwner", "before");
  world.store.place(1);
  await life.alerts.poll(guildId);
  await waits;
  mend();
  await life.alerts.turnOn(guildId, life.connected, { channelId });
  goOn();
  await life.alerts.idle();
  expect((await life.alerts.status(guildId)).blockedSince).toBeUndefined();
});

it("a channel that takes nothing is not polled again at once because a page failed before 5,000 alerts waited", async () => {
  const { world, life, place, planned } = await ready();
  fails(world, "send", "forbidden");
  const foundAt = world.now();
  const earlier = Array.from({ length: 4_950 }, (_, index) => `old${index}`);
  const facts = { id: "old", status: "PENDING", items: [], total: 1, paymentMethod: "PIX" };
  const row = (orderId: string): OutboxRow => ({ kind: "alert", orderId, foundAt, attempts: [] });
  const orders = earlier.map((id) => [id, { state: "planned", facts: { ...facts, id }, foundAt }] as const);
  await world.storage.table(ordersTable, guildId).setMany(orders);
  await world.storage.table(outboxTable, guildId).setMany(earlier.map((id) => [alertKey(id), row(id)] as const));
  life.alerts.forgetMemory();
  world.store.fault = ({ page = 1 }) => {
    if (page === 2) throw new StoreError("unavailable", "GET orders");
  };
  await place(150, 0.25);
  expect(await planned()).toBeGreaterThan(5_000);
  for (let polls = 0; polls < 3; polls++) {
    expect(await pollOnce(life)).toBeUndefined();
    world.pass(minute);
  }
});
