import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { MessengerError } from "../../../src/outbox/messenger.ts";
import { StorageError } from "../../../src/storage/table.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import { become, fails, orderFails, pollOnce, ready } from "../../support/engine/alert-lives.ts";
import { type AlertWorld, createAlertWorld, guildId, idsOf, pollFor } from "../../support/engine/alert-world.ts";
import { backup } from "../../support/engine/backup.ts";
import { begin, feed, feedChannel, linesIn } from "../../support/engine/rules-world.ts";
import { recordedLog } from "../../support/recorded-log.ts";

const minute = 60_000;
const both = { statuses: ["PENDING", "PAID"] };

/** Polls seldom read the middle of the list. */
function hideInMiddle({ store }: AlertWorld, id: string, at: number) {
  const index = store.orders.findIndex((order) => order.id === id);
  store.orders.splice(at, 0, ...store.orders.splice(index, 1));
}

it("a payment that a list shows is not undone by an older answer about the order", async () => {
  const { world, life, place, poll, replies } = await ready(both);
  const [id = ""] = await place();
  await poll(2);
  become(world, "AUTHORIZED", [id]);
  const { changedOrders, getOrder } = world.store;
  const arrives = Promise.withResolvers<void>();
  let asked = 0;
  world.store.getOrder = async (which, signal) => {
    const order = { ...(await getOrder(which, signal)) };
    asked++;
    await arrives.promise;
    return order;
  };
  await life.alerts.poll(guildId);
  await expect.poll(() => asked).toBe(1);
  world.pass(15_000);
  become(world, "PAID", [id]);
  let reads = 0;
  world.store.changedOrders = async (query, fingerprint, signal) => {
    const page = await changedOrders(query, fingerprint, signal);
    if (query.statuses?.includes("PAID") && reads++ === 0) {
      arrives.resolve();
      for (let turns = 0; turns < 50; turns++) await turn();
    }
    return page;
  };
  await life.alerts.poll(guildId);
  await life.alerts.idle();
  await poll(60);
  const alert = world.channel.messages.find(({ edits }) => edits > 0);
  expect([replies().length, JSON.stringify(alert?.payload).includes("AUTHORIZED")]).toEqual([1, false]);
});

it("an order that left its list for another one is not asked for: the store's answer may be older than that list", async () => {
  const { world, place, poll, move } = await ready(both);
  const [id = ""] = await place();
  await poll(2);
  const { getOrder } = world.store;
  const asked: string[] = [];
  world.store.getOrder = async (which, signal) => {
    asked.push(which);
    return { ...(await getOrder(which, signal)), status: "PENDING" };
  };
  await move([id], "PAID");
  const alert = world.channel.messages.find(({ edits }) => edits > 0);
  expect([asked, JSON.stringify(alert?.payload).includes("Pending")]).toEqual([[], false]);
});

it("a refund is told by the next poll though the page that showed the order before its payment was not read again", async () => {
  const { world, place, poll, move, replies } = await ready({ ...both, before: 200 });
  const { page } = world.store;
  world.store.page = (query) => page({ ...query, limit: 10 });
  const ids = await place(40, 20);
  hideInMiddle(world, ids[20] ?? "", 120);
  await poll(10);
  await move(ids.slice(20, 21), "PAID", 0.25);
  expect(replies()).toHaveLength(1);
  await move(ids.slice(20, 21), "REFUNDED", 0.25);
  expect(replies()).toHaveLength(2);
});

it("a restored copy has no rule's message repeated for an order that was read by its id", async () => {
  const { world, life, poll } = await begin({ statuses: ["PENDING"] }, feed({ status: "SHIPPED" }));
  world.channel.nonces = false;
  const { page } = world.store;
  world.store.page = (query) => page({ ...query, limit: 10 });
  const [id = ""] = idsOf(world.store.place(1));
  await poll(1);
  const later = idsOf(world.store.place(60));
  await poll(5);
  become(world, "SHIPPED", later);
  await poll(20);
  hideInMiddle(world, id, 35);
  await poll(20);
  expect((await life.alerts.status(guildId)).planned).toBe(0);
  const restore = await backup(world, 0);
  world.pass(minute);
  become(world, "SHIPPED", [id]);
  await poll(10);
  const lines = linesIn(world, feedChannel);
  world.pass(26 * 60 * minute);
  await restore();
  await poll(20, world.start());
  expect([lines, linesIn(world, feedChannel) - lines]).toEqual([61, 0]);
});

it("an order on a page that was not read since the start stays followed, though the store finds nothing by its id", async () => {
  const { world, place, poll, replies } = await ready({ ...both, before: 150 });
  const { page } = world.store;
  world.store.page = (query) => page({ ...query, limit: 10 });
  await poll(30);
  const [id = ""] = await place(1, 10);
  hideInMiddle(world, id, 75);
  await poll(10);
  world.pass(26 * 60 * minute);
  world.store.getOrder = async () => {
    throw new StoreError("not_found", "GET order");
  };
  const next = world.start();
  await poll(10, next);
  become(world, "PAID", [id]);
  await poll(10, next);
  expect(replies()).toHaveLength(1);
});

it("an order that the store once did not find, by mistake, is read again soon", async () => {
  const { world, place, poll } = await ready(both);
  const [id = ""] = await place();
  await poll(5);
  const { getOrder } = world.store;
  world.store.getOrder = async () => {
    world.store.getOrder = getOrder;
    throw new StoreError("not_found", "GET order");
  };
  become(world, "PROCESSING", [id]);
  await poll(5);
  expect(JSON.stringify(world.channel.messages.at(-1)?.payload)).toContain("Processing");
});

it("an order that the store deletes before its alert could be edited: the alert still shows the last status", async () => {
  const { world, place, poll, mend } = await ready(both);
  const [id = ""] = await place();
  await poll(2);
  fails(world, "edit", "uncertain");
  become(world, "PROCESSING", [id]);
  await poll(3);
  world.store.orders.splice(0);
  world.store.getOrder = async () => {
    throw new StoreError("not_found", "GET order");
  };
  await poll(3);
  mend();
  await poll(10);
  expect(JSON.stringify(world.channel.messages.at(-1)?.payload)).toContain("Processing");
});

it.each([
  [1, 60, "1 × Hat +59"],
  [6, 15, "1 × Hat, … and 83 more"],
])("the alert of %i orders with %i items each counts every item, also after an edit", async (count, length, text) => {
  const { world, move, poll } = await ready(both);
  const orders = world.store.place(count);
  const items = Array(length).fill({ productId: "p", productTitle: "Hat", quantity: 1, price: 5 });
  for (const order of orders) Object.assign(order, { items });
  await poll(1);
  const alert = world.channel.messages.at(-1);
  const shown = () => (alert && "content" in alert.payload ? alert.payload.content : "");
  expect(shown()).toContain(text);
  await move(idsOf(orders), "CANCELLED");
  expect(alert?.edits).toBeGreaterThan(0);
  expect(shown()).toContain(text);
});

it("a refund is told though the list of one status fails since the start", async () => {
  const { world, place, move, poll, replies } = await ready(both);
  const [id = ""] = await place();
  await move([id], "PAID", 10);
  world.store.fault = ({ statuses }) => {
    if (statuses?.includes("PAID")) throw new StoreError("unavailable", "GET orders");
  };
  const next = world.start();
  await poll(10, next);
  become(world, "REFUNDED", [id]);
  await poll(30, next);
  expect(replies()).toHaveLength(2);
});

it("an order that left its list and could not be read for a minute: its later refund is told soon", async () => {
  const { world, place, poll, replies } = await ready(both);
  const [id = ""] = await place();
  await poll(90);
  orderFails(world, "unavailable");
  become(world, "PROCESSING", [id]);
  await poll(1);
  world.store.fault = () => undefined;
  await poll(3);
  become(world, "REFUNDED", [id]);
  await poll(5);
  expect(replies()).toHaveLength(1);
});

it("an order that left its list while the storage was down for a minute: its refund is told soon after", async () => {
  const { world, place, move, poll, replies } = await ready(both);
  const [id = "", ...others] = await place(20);
  await move(others, "PROCESSING", 15);
  await move([id], "PAID", 5);
  const told = replies().length;
  world.commits.before = (steps) => {
    if (steps.some(({ table }) => table.startsWith("orders:")))
      throw new StorageError("commit", new Error("disk full"));
  };
  await move([id], "REFUNDED", 1);
  world.commits.before = () => undefined;
  await poll(1);
  expect(replies()).toHaveLength(told + 1);
});

it("an order that left its list before the start: its refund is told soon though the storage failed as the list was first read", async () => {
  const { world, place, move, poll, replies } = await ready(both);
  const [id = "", ...others] = await place(40);
  await move(others, "PROCESSING", 30);
  await move([id], "PAID", 5);
  const told = replies().length;
  become(world, "REFUNDED", [id]);
  let reads = 0;
  const next = world.start(undefined, (backend) => ({
    ...backend,
    entries(table) {
      // The second list has the paid orders.
      if (table?.startsWith("open:") && ++reads === 2) throw new StorageError("read", new Error("connection lost"));
      return backend.entries(table);
    },
  }));
  await poll(1, next);
  expect(replies()).toHaveLength(told + 1);
});

it("an order that no list shows is read as often though the storage failed for two minutes", async () => {
  const world = await createAlertWorld();
  let isDown = false;
  const life = world.start(undefined, (backend) => ({
    ...backend,
    async read(table, keys) {
      if (isDown && table.startsWith("orders:")) throw new StorageError("read", new Error("connection lost"));
      return backend.read(table, keys);
    },
  }));
  await world.turnOn(life, both);
  const ids = idsOf(world.store.place(20));
  await pollFor(world, life, minute);
  become(world, "PROCESSING", ids);
  await pollFor(world, life, 15 * minute);
  const readAt = new Map<string, number>();
  let longestMs = 0;
  world.store.fault = ({ order }) => {
    if (order === undefined) return;
    longestMs = Math.max(longestMs, world.now() - (readAt.get(order) ?? world.now()));
    readAt.set(order, world.now());
  };
  await pollFor(world, life, 13 * minute);
  isDown = true;
  await pollFor(world, life, 2 * minute);
  isDown = false;
  await pollFor(world, life, 13 * minute);
  // 20 orders, four a minute, and the two minutes.
  expect(longestMs / minute).toBeLessThanOrEqual(7.5);
});

it("every order that no list shows is read though the store refuses most requests of each poll", async () => {
  const { world, life, place, move } = await ready();
  const ids = await place(30);
  await move(ids, "PROCESSING", 20);
  const read = new Set<string>();
  let allowed = 0;
  world.store.fault = ({ order }) => {
    if (order === undefined) return;
    if (allowed-- <= 0) throw new StoreError("rate_limited", "GET order", { retryAfterMs: 30_000 });
    read.add(order);
  };
  for (let hours = 0; hours < 8; hours++) {
    world.pass(60 * minute);
    allowed = 10;
    await pollOnce(life);
  }
  expect(read.size).toBe(30);
});

it.each([
  ["every 15 s", 40, 15_000],
  ["every hour: before, none was read", 10, 60 * minute],
])(
  "orders that left their list now or earlier are read though one of them is refused (403; polls %s)",
  async (_, polls, everyMs) => {
    const { world, life, place, move } = await ready();
    const earlier = await place(4);
    await move(earlier, "PROCESSING", 10);
    const [refused = "", ...others] = await place(5);
    const read = new Set<string>();
    world.store.fault = ({ order }) => {
      if (order === refused) throw new StoreError("unauthorized", "GET order");
      if (order !== undefined) read.add(order);
    };
    become(world, "PROCESSING");
    await pollFor(world, life, polls * everyMs, everyMs);
    expect(read).toEqual(new Set([...earlier, ...others]));
  },
);

it("after a poll, each due order is read though the store fails for all of them", async () => {
  const { world, life, place, move } = await ready();
  await move(await place(5), "PROCESSING", 10);
  const asked = new Set<string>();
  world.store.fault = ({ order }) => {
    if (order === undefined) return;
    asked.add(order);
    throw new StoreError("unavailable", "GET order");
  };
  world.pass(60 * minute);
  await pollOnce(life);
  expect(asked.size).toBe(5);
});

it("an order that the store refused once is read again within minutes, and not after all other orders", async () => {
  const { world, life, place, move } = await ready();
  await move(await place(30), "PROCESSING", 10);
  const [refused] = await place(1);
  let asked = 0;
  world.store.fault = ({ order }) => {
    if (order === refused && asked++ === 0) throw new StoreError("unauthorized", "GET order");
  };
  become(world, "PAID", [refused ?? ""]);
  await pollFor(world, life, 2 * minute, 15_000);
  expect(asked).toBe(2);
});

it.each([10, 25, 60])(
  "orders that no list shows are asked for four times a minute with a poll every %i s",
  async (seconds) => {
    const { world, life, place, move } = await ready();
    await move(await place(8), "PROCESSING", 10);
    let asked = 0;
    world.store.fault = ({ order }) => {
      if (order !== undefined) asked++;
    };
    await pollFor(world, life, 60 * minute, seconds * 1_000);
    expect(asked).toBeGreaterThan(60 * 4 - 10);
    expect(asked).toBeLessThan(60 * 4 + 10);
  },
);

it.each([
  ["is no warning in the log if Discord named its end", 3_000, []],
  ["is a warning in the log if nothing is known", 0, ["a message could not be sent; trying again"]],
])("an edit that has to wait %s", async (_, retryAfterMs, warnings) => {
  const world = await createAlertWorld();
  const { log, said } = recordedLog();
  const life = world.start(undefined, undefined, undefined, { log });
  await world.turnOn(life, both);
  const ids = idsOf(world.store.place(1));
  await pollFor(world, life, minute);
  let times = 0;
  world.channel.fault = (call, when) => {
    if (call === "edit" && when === "before" && times++ === 0)
      throw new MessengerError("uncertain", undefined, retryAfterMs);
  };
  become(world, "PROCESSING", ids);
  await pollFor(world, life, 2 * minute);
  expect([times, said("warn", "error")]).toEqual([2, warnings]);
});
