import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/alerts/messenger.ts";
import { copyMark } from "../../src/storage/data-record.ts";
import type { RawEntry } from "../../src/storage/table.ts";
import {
  type AlertWorld,
  createAlertWorld,
  guildId,
  idsOf,
  killAt,
  once,
  pollFor,
  timesPosted,
} from "../support/alert-world.ts";
import { stored } from "../support/stored.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

/** Copies all that is kept; what it gives puts that back, as `npm run restore` does. */
async function backup({ storage, now }: AlertWorld): Promise<() => Promise<void>> {
  const copiedAt = now();
  const all = async () => {
    const entries: RawEntry[] = [];
    for await (const page of storage.everything()) entries.push(...page);
    return entries;
  };
  const entries = await all();
  return async () => {
    for (const table of new Set((await all()).map((entry) => entry.table))) await storage.table(stored(table)).clear();
    await storage.keepAsStored(entries);
    await copyMark.write(storage, { copiedAt });
  };
}

/** Alerts are on, some orders were posted, a copy was made, and more were posted since then. */
async function lived({ days = 1, statuses = ["PENDING"] }: { days?: number; statuses?: string[] } = {}) {
  const world = await createAlertWorld();
  // By its nonce Discord would know a message again only for some minutes.
  world.channel.nonces = false;
  const life = world.start();
  await world.turnOn(life, { statuses });
  const before = world.store.place(3);
  await pollFor(world, life, minute);
  const restore = await backup(world);
  const after = world.store.place(9);
  await pollFor(world, life, minute);
  world.pass(days * day);
  return { world, restore, before, after, all: idsOf([...before, ...after]) };
}

const closeHistory = ({ channel }: AlertWorld) => {
  channel.fault = (call) => {
    if (call === "own") throw new MessengerError("forbidden");
  };
};

describe("a ledger that was restored from a backup", () => {
  it.each([1, 60])("rings for nothing again that was posted after the backup, %s days ago", async (days) => {
    const { world, restore, all } = await lived({ days });
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

  it("holds back what may have been posted while the channel's history may not be read, and nothing that comes later", async () => {
    const { world, restore, all } = await lived();
    await restore();
    closeHistory(world);
    const life = world.start();
    await pollFor(world, life, minute);
    expect(timesPosted(world.channel, all)).toEqual(once(all));

    const later = idsOf(world.store.place(2));
    await pollFor(world, life, minute);
    expect(timesPosted(world.channel, later)).toEqual(once(later));
    expect((await life.alerts.status(guildId)).owed).toBe(9);

    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);
    expect(timesPosted(world.channel, [...all, ...later])).toEqual(once([...all, ...later]));
    expect((await life.alerts.status(guildId)).owed).toBe(0);
  });

  it("rings for nothing twice wherever the process is killed after the restore", async () => {
    for (let step = 0; ; step++) {
      const { world, restore, all } = await lived({ days: 9 });
      const missed = idsOf(world.store.place(7));
      await restore();
      const killer = killAt(step);
      await pollFor(world, world.start(killer), minute);
      await pollFor(world, world.start(), 5 * minute);

      const ids = [...all, ...missed];
      expect(timesPosted(world.channel, ids), `killed at step ${step}`).toEqual(once(ids));
      if (killer.steps <= step) {
        expect(step).toBeGreaterThan(20);
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

  it("rings at once for the first order that comes after the first polls, though the history may not be read", async () => {
    const { world, restore } = await lived();
    for (const order of world.store.orders) order.status = "EXPIRED";
    await restore();
    const life = world.start();
    await pollFor(world, life, minute);
    closeHistory(world);

    const later = idsOf(world.store.place(1));
    world.pass(5_000);
    await pollFor(world, life, minute);

    expect(timesPosted(world.channel, later)).toEqual(once(later));
  });

  it("is an ordinary one for an order that comes after the restore: nothing is looked for", async () => {
    const { world, restore } = await lived();
    await restore();
    const life = world.start();
    await pollFor(world, life, minute);
    let looks = 0;
    world.channel.fault = (call) => void (call === "own" && looks++);

    const later = idsOf(world.store.place(3));
    await pollFor(world, life, minute);

    expect(timesPosted(world.channel, later)).toEqual(once(later));
    expect(looks).toBe(0);
  });
});
