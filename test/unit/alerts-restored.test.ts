import { describe, expect, it } from "vitest";
import { newCopyMark } from "../../src/storage/data-record.ts";
import { fails, ready } from "../support/alert-lives.ts";
import { createAlertWorld, guildId, idsOf, once, pollFor, timesPosted } from "../support/alert-world.ts";
import { backup } from "../support/backup.ts";
import { killAt } from "../support/killer.ts";
import { sized } from "../support/sized.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** Alerts are on, some orders were posted, a copy was made, and more were posted since then. */
async function lived({
  days = 1,
  statuses = ["PENDING"],
  aheadMs = 0,
}: {
  days?: number;
  statuses?: string[];
  aheadMs?: number;
} = {}) {
  const world = await createAlertWorld();
  // By its nonce Discord would know a message again only for some minutes.
  world.channel.nonces = false;
  const life = world.start();
  await world.turnOn(life, { statuses });
  const before = world.store.place(3);
  await pollFor(world, life, minute);
  const restore = await backup(world, aheadMs);
  const after = world.store.place(9);
  await pollFor(world, life, minute);
  world.pass(days * day);
  return { world, restore, before, after, all: idsOf([...before, ...after]) };
}

describe("a ledger that was restored from a backup", () => {
  it("rings for nothing again that was posted after the backup, two months ago", async () => {
    const { world, restore, all } = await lived({ days: 60 });
    const missed = idsOf(world.store.place(7));

    await restore();
    await pollFor(world, world.start(), minute);

    expect(timesPosted(world.channel, [...all, ...missed])).toEqual(once([...all, ...missed]));
  });

  it("looks for an order before it is rung for, though the store's clock is three hours ahead, or it says no time", async () => {
    for (const timeOf of [(time = 0) => time + 3 * 60 * minute, () => undefined]) {
      const { world, restore, after, all } = await lived({ days: 0 });
      for (const order of after) order.createdAt = timeOf(order.createdAt);

      await restore();
      await pollFor(world, world.start(), minute);

      expect(timesPosted(world.channel, all)).toEqual(once(all));
    }
  });

  it.each([
    ["may not be read", "forbidden", "forbidden"],
    ["is not given by Discord", "uncertain", "undelivered"],
  ] as const)(
    "holds back what may have been posted, and nothing later, while the history %s",
    async (_, code, error) => {
      const { world, restore, all } = await lived();
      await restore();
      fails(world, "own", code);
      const life = world.start();
      await pollFor(world, life, minute);
      const later = idsOf(world.store.place(2));
      await pollFor(world, life, minute);
      expect(timesPosted(world.channel, [...all, ...later])).toEqual(once([...all, ...later]));
      const { planned, lastError } = await life.alerts.status(guildId);
      expect([planned, lastError?.code]).toEqual([9, error]);

      world.channel.fault = () => undefined;
      await pollFor(world, life, 10 * minute);
      expect(timesPosted(world.channel, [...all, ...later])).toEqual(once([...all, ...later]));
      expect((await life.alerts.status(guildId)).planned).toBe(0);
    },
  );

  it("rings for nothing twice wherever the process is killed after the restore", async () => {
    for (let step = 0; ; step += sized(7, 1)) {
      const { world, restore, all } = await lived({ days: 9 });
      const missed = idsOf(world.store.place(7));
      await restore();
      const killer = killAt(step);
      await pollFor(world, world.start(killer), minute);
      await pollFor(world, world.start(), 5 * minute);

      const ids = [...all, ...missed];
      expect(timesPosted(world.channel, ids), `killed at step ${step}`).toEqual(once(ids));
      if (killer.steps <= step) {
        expect(step).toBeGreaterThan(10);
        break;
      }
    }
  });

  it("rings for no payment again that was rung for after the backup", async () => {
    const { world, restore, before, all } = await lived({ statuses: ["PENDING", "PAID"], days: 0 });
    const rings = () => world.channel.messages.filter(({ replyTo }) => replyTo !== undefined).length;
    const [paid, paidLater] = before;
    if (!paid || !paidLater) throw new Error("no orders");
    paid.status = "PAID";
    await pollFor(world, world.start(), minute);
    expect(rings()).toBe(1);
    const sent = world.channel.messages.length;

    await restore();
    const life = world.start();
    await pollFor(world, life, 2 * minute);
    expect(world.channel.messages.length).toBe(sent);

    paidLater.status = "PAID";
    await pollFor(world, life, 2 * minute);
    expect(rings()).toBe(2);
    expect(timesPosted(world.channel, all).every((times) => times >= 1)).toBe(true);
  });
});

describe("orders that a restored ledger does not know", () => {
  /** One order, whose alert was posted after the backup. */
  async function alertedAfterBackup() {
    const { world, life } = await ready({ statuses: ["PENDING", "PAID"] });
    world.channel.nonces = false;
    const restore = await backup(world);
    const [order] = world.store.place(1);
    if (!order) throw new Error("no order");
    await pollFor(world, life, minute);
    return { world, life, restore, order };
  }

  it("are looked for when they come back into their status after the first round", async () => {
    const { world, restore, after, all } = await lived();
    for (const order of after) order.status = "EXPIRED";
    await restore();
    const life = world.start();
    await pollFor(world, life, minute);

    for (const order of after) order.status = "PENDING";
    await pollFor(world, life, 2 * minute);

    expect(timesPosted(world.channel, all)).toEqual(once(all));
  });

  it("stay in the alert that they share with one that changes, though they left the list before the restore", async () => {
    const { world, restore, after, all } = await lived();
    for (const order of after.slice(0, 4)) order.status = "EXPIRED";
    await restore();
    const life = world.start();
    await pollFor(world, life, 2 * minute);

    for (const order of after.slice(-1)) order.status = "PAID";
    await pollFor(world, life, 2 * minute);

    expect(timesPosted(world.channel, all)).toEqual(once(all));
  });

  it.each([
    ["an hour later, though they say no time", 1, () => undefined],
    ["a day later", 27, (time?: number) => time],
  ])("are found where the backup was made while the clock was three hours fast, %s", async (_, hours, timeOf) => {
    const { world, restore, after, all } = await lived({ days: 0, aheadMs: 3 * hour });
    for (const order of after) order.createdAt = timeOf(order.createdAt);
    world.pass(hours * hour);

    await restore();
    await pollFor(world, world.start(), 2 * minute);

    expect(timesPosted(world.channel, all)).toEqual(once(all));
  });

  it.each([
    ["is started again with the right one", true],
    ["goes on when the clock is set", false],
  ])("are not those that come after a first start with a clock a day fast, which %s", async (_, isStartedAgain) => {
    const { world, restore } = await lived();
    await restore();
    world.pass(day);
    const first = world.start();
    await pollFor(world, first, minute);
    world.pass(-day);
    const life = isStartedAgain ? world.start() : first;
    await pollFor(world, life, 2 * minute);
    fails(world, "own", "forbidden");

    const later = idsOf(world.store.place(3));
    await pollFor(world, life, 2 * minute);

    expect(timesPosted(world.channel, later)).toEqual(once(later));
  });

  it("have their alert edited, and not the ring for their payment that stands below it", async () => {
    const { world, life, restore, order } = await alertedAfterBackup();
    order.status = "PAID";
    await pollFor(world, life, 2 * minute);
    const edits = () => world.channel.messages.slice(1, 3).map((message) => message.edits);
    expect(edits()).toEqual([1, 0]);

    await restore();
    const next = world.start();
    await pollFor(world, next, 2 * minute);
    order.status = "REFUNDED";
    await pollFor(world, next, 5 * minute);

    // Once because nobody knew what it shows, and once for the refund.
    expect(edits()).toEqual([3, 0]);
  });

  it("have their alert show what they are by now, though they were found in another status than it shows", async () => {
    const { world, restore, order } = await alertedAfterBackup();
    await restore();
    order.status = "PAID";
    await pollFor(world, world.start(), 2 * minute);

    expect(timesPosted(world.channel, [order.id])).toEqual([1]);
    expect(JSON.stringify(world.channel.messages[1]?.payload)).toContain("Paid");
  });
});

describe("the mark of a copy", () => {
  const now = 1_800_000_000_000;
  const copiedAt = now - 20 * day;

  it.each([
    ["now, of a storage that was never restored", undefined, now],
    ["now, of one that was restored so long ago that all was read", { copiedAt, restoredAt: now - 8 * day }, now],
    ["the time of the copy before, if it was restored lately", { copiedAt, restoredAt: now - 6 * day }, copiedAt],
    ["the time of the copy before, if no bot has worked with it yet", { copiedAt }, copiedAt],
    ["a week ago, where the copy before says a time that is yet to come", { copiedAt: now + hour }, now - 7 * day],
  ])("says %s", (_, before, time) => {
    expect(newCopyMark(before, now)).toEqual({ copiedAt: time });
  });
});
