import { describe, expect, it } from "vitest";
import { RestoredCopy } from "../../../src/outbox/restored-copy.ts";
import { copyStamp, newCopyStamp } from "../../../src/storage/data-record.ts";
import { become, fails, ready } from "../../support/engine/alert-lives.ts";
import { channelId, guildId, idsOf, type Life, once } from "../../support/engine/alert-world.ts";
import { backup } from "../../support/engine/backup.ts";
import { killAtEachStep } from "../../support/engine/killer.ts";
import { sized } from "../../support/sized.ts";
import { useStorage } from "../../support/use-storage.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const elsewhere = "3000000000000000003";

/** With alerts on, some orders were posted, a copy was made, and more orders were posted after it. */
async function lived({
  days = 1,
  statuses = ["PENDING"],
  aheadMs = 0,
}: {
  days?: number;
  statuses?: string[];
  aheadMs?: number;
} = {}) {
  const scene = await ready({ statuses });
  const { world, place, poll, alertsOf } = scene;
  // Discord knows a message by its nonce only for some minutes.
  world.channel.nonces = false;
  const before = await place(3);
  const restore = await backup(world, aheadMs);
  const after = await place(9);
  world.pass(days * day);
  const all = [...before, ...after];
  return {
    ...scene,
    before,
    after,
    all,
    restore,
    /** Changes the creation times of the orders after the backup. */
    timed(timeOf: (time?: number) => number | undefined) {
      for (const order of world.store.orders) if (after.includes(order.id)) order.createdAt = timeOf(order.createdAt);
    },
    /** Restores the backup, and polls with a new life. */
    async restored(minutes = 1): Promise<Life> {
      await restore();
      const life = world.start();
      await poll(minutes, life);
      return life;
    },
    expectOnce: (ids: readonly string[] = all, label?: string) => expect(alertsOf(ids), label).toEqual(once(ids)),
  };
}

describe("a ledger that was restored from a backup", () => {
  it.each([
    ["may not be read", "forbidden", "forbidden"],
    ["is not given by Discord", "uncertain", "undelivered"],
  ] as const)(
    "holds back what may have been posted, and nothing later, while the history %s",
    async (_, code, error) => {
      const { world, restored, poll, mend, all, expectOnce } = await lived();
      fails(world, "postedSince", code);
      const life = await restored();
      const ids = [...all, ...idsOf(world.store.place(2))];
      await poll(1, life);
      expectOnce(ids);
      const { planned, lastError } = await life.alerts.status(guildId);
      expect([planned, lastError?.code]).toEqual([9, error]);

      mend();
      await poll(10, life);
      expectOnce(ids);
      expect((await life.alerts.status(guildId)).planned).toBe(0);
    },
  );

  it("rings for nothing twice wherever the process is killed after the restore", async () => {
    const steps = await killAtEachStep(sized(7, 1), async (killer, label) => {
      const { world, restore, poll, all, expectOnce } = await lived({ days: 9 });
      const missed = idsOf(world.store.place(7));
      await restore();
      await poll(1, world.start(killer));
      await poll(5, world.start());
      expectOnce([...all, ...missed], label);
    });
    expect(steps).toBeGreaterThan(10);
  });

  it("rings for no payment again that was rung for after the backup", async () => {
    const { world, restored, poll, replies, before, all, alertsOf } = await lived({
      statuses: ["PENDING", "PAID"],
      days: 0,
    });
    become(world, "PAID", before.slice(0, 1));
    await poll(1, world.start());
    expect(replies()).toHaveLength(1);
    const sent = world.channel.messages.length;

    const life = await restored(2);
    expect(world.channel.messages.length).toBe(sent);

    become(world, "PAID", before.slice(1, 2));
    await poll(2, life);
    expect(replies()).toHaveLength(2);
    expect(alertsOf(all)).not.toContain(0);
  });
});

describe("orders that a restored ledger does not know", () => {
  it("ring for nothing that was posted in a channel that is chosen again after the restore", async () => {
    const { world, life, place, poll, alertsOf } = await ready();
    world.channel.nonces = false;
    const restore = await backup(world);
    await life.alerts.turnOn(guildId, life.connected, { channelId: elsewhere });
    const ids = await place(4);
    world.pass(day);
    await restore();
    // The channel of the copy can be searched, but nothing can be posted there.
    fails(world, "send", "forbidden", { place: channelId });
    const next = world.start();
    await poll(1, next);
    await next.alerts.turnOn(guildId, next.connected, { channelId: elsewhere });
    await poll(10, next);

    expect(alertsOf(ids)).toEqual(once(ids));
    expect((await next.alerts.status(guildId)).planned).toBe(0);
  });

  /** One order, alerted after the backup. */
  async function alertedAfterBackup() {
    const scene = await ready({ statuses: ["PENDING", "PAID"] });
    scene.world.channel.nonces = false;
    const restore = await backup(scene.world);
    return { ...scene, restore, ids: await scene.place() };
  }

  it("are looked for when they come back into their status after the first round", async () => {
    const { world, restored, poll, after, expectOnce } = await lived();
    become(world, "EXPIRED", after);
    const life = await restored();
    become(world, "PENDING", after);
    await poll(2, life);
    expectOnce();
  });

  it("stay in the alert that they share with one that changes, though they left the list before the restore", async () => {
    const { world, restored, poll, after, expectOnce } = await lived();
    become(world, "EXPIRED", after.slice(0, 4));
    const life = await restored(2);
    become(world, "PAID", after.slice(-1));
    await poll(2, life);
    expectOnce();
  });

  it.each([
    ["an hour later, though they say no time", 1, () => undefined],
    ["a day later", 27, (time?: number) => time],
  ])("are found where the backup was made while the clock was three hours fast, %s", async (_, hours, timeOf) => {
    const { world, timed, restored, expectOnce } = await lived({ days: 0, aheadMs: 3 * hour });
    timed(timeOf);
    world.pass(hours * hour);
    await restored(2);
    expectOnce();
  });

  it.each([
    ["is started again with the right one", true],
    ["goes on when the clock is set", false],
  ])("are not those that come after a first start with a clock a day fast, which %s", async (_, isStartedAgain) => {
    const { world, restored, poll, expectOnce } = await lived();
    world.pass(day);
    const first = await restored();
    world.pass(-day);
    const life = isStartedAgain ? world.start() : first;
    await poll(2, life);
    fails(world, "postedSince", "forbidden");
    const later = idsOf(world.store.place(3));
    await poll(2, life);
    expectOnce(later);
  });

  it("have their alert edited, and not the ring for their payment that stands below it", async () => {
    const { world, restore, ids, move, poll } = await alertedAfterBackup();
    await move(ids, "PAID");
    const edits = () => world.channel.messages.slice(1, 3).map((message) => message.edits);
    expect(edits()).toEqual([1, 0]);

    await restore();
    const next = world.start();
    await poll(2, next);
    become(world, "REFUNDED");
    await poll(5, next);

    // One edit because nobody knew what the message shows, and one for the refund.
    expect(edits()).toEqual([3, 0]);
  });

  it("have their alert show what they are by now, though they were found in another status than it shows", async () => {
    const { world, restore, ids, poll, alertsOf } = await alertedAfterBackup();
    await restore();
    become(world, "PAID");
    await poll(2, world.start());

    expect(alertsOf(ids)).toEqual([1]);
    expect(JSON.stringify(world.channel.messages[1]?.payload)).toContain("Paid");
  });
});

describe("the stamp of a copy", () => {
  const now = 1_800_000_000_000;
  const copiedAt = now - 20 * day;
  const storage = useStorage();

  it.each([
    ["now, of a storage that was never restored", undefined, now],
    ["now, of one that was restored so long ago that all was read", { copiedAt, restoredAt: now - 8 * day }, now],
    ["the time of the copy before, if it was restored lately", { copiedAt, restoredAt: now - 6 * day }, copiedAt],
    ["the time of the copy before, if no bot has worked with it yet", { copiedAt }, copiedAt],
    ["a week ago, where the copy before says a time that is yet to come", { copiedAt: now + hour }, now - 7 * day],
  ])("says %s", (_, before, time) => {
    expect(newCopyStamp(before, now)).toEqual({ copiedAt: time });
  });

  it("is read again after a restore, even if an earlier read was under way; polls at once record it once", async () => {
    let time = 1_000;
    const restored = new RestoredCopy(storage, () => time++);
    const before = restored.sinceOfRow();
    restored.forgetMemory();
    await before;
    await copyStamp.write(storage, { copiedAt: 10 });
    const stamps = await Promise.all(Array.from({ length: 20 }, () => restored.stamp()));
    expect(new Set(stamps.map((stamp) => stamp?.restoredAt)).size).toBe(1);
    const sinceOf = await restored.sinceOfRow();
    const found = (foundAt: number) => [undefined, 5, 15].map((since) => sinceOf({ foundAt, since }));
    expect(found(500)).toEqual([10, 5, 10]);
    expect(found(5_000)).toEqual([undefined, 5, 15]);
  });
});
