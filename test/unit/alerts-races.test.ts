import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { fails, pollOnce, ready, storeFails } from "../support/alert-lives.ts";
import {
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  once,
  polledIn,
  pollFor,
  timesPosted,
} from "../support/alert-world.ts";
import { marksOf } from "../support/marks-of.ts";

const minute = 60_000;

async function readyWithoutNonces(settings?: { statuses?: string[] }) {
  const { world, life } = await ready(settings);
  world.channel.nonces = false;
  return { world, life };
}

describe("an alert that Discord refuses", () => {
  it.each([1, 8])("among %i does not hold up the others, now or later", async (count) => {
    const { world, life } = await readyWithoutNonces();
    const [poison, ...others] = idsOf(world.store.place(count));
    if (!poison) throw new Error("no order");
    const send = world.channel.messages;
    world.channel.fault = (call, when) => {
      const last = send.at(-1);
      if (call !== "send" || when !== "after" || !last || !marksOf(last.payload.components).join().includes(poison))
        return;
      send.pop();
      throw new MessengerError("refused");
    };
    await pollOnce(life);
    expect(timesPosted(world.channel, others)).toEqual(once(others));

    const later = idsOf(world.store.place(1));
    world.pass(1_000);
    await pollOnce(life);
    expect(timesPosted(world.channel, later)).toEqual([1]);
    expect((await life.alerts.status(guildId)).planned).toBe(1);

    world.channel.fault = () => undefined;
    await pollFor(world, world.start(), minute);
    expect(timesPosted(world.channel, [poison])).toEqual([1]);
  });

  it("for what is in it is posted without that", async () => {
    const { world, life } = await readyWithoutNonces();
    const [order] = world.store.place(1);
    world.channel.fault = (call, when) => {
      const last = world.channel.messages.at(-1);
      if (call !== "send" || when !== "after" || !JSON.stringify(last?.payload).includes("Product")) return;
      world.channel.messages.pop();
      throw new MessengerError("refused");
    };
    await pollOnce(life);

    expect(timesPosted(world.channel, [order?.id ?? ""])).toEqual([1]);
  });
});

describe("a send that was reported as failed but had arrived", () => {
  it("is found in whichever channel it was sent to", async () => {
    const { world, life } = await readyWithoutNonces();
    const ids = idsOf(world.store.place(2));
    fails(world, "send", "uncertain", { when: "after" });
    await pollOnce(life);
    world.channel.fault = () => undefined;
    await life.alerts.turnOn(guildId, world.store, { channelId: "3000000000000000003" });
    await life.alerts.idle();
    await pollFor(world, world.start(), minute);

    expect(timesPosted(world.channel, ids)).toEqual(once(ids));
  });
});

describe("statuses added to alerts that are on", () => {
  it("take nothing from the statuses that rang before", async () => {
    const { world, life } = await readyWithoutNonces();
    for (const order of world.store.place(230)) order.status = "PAID";
    world.pass(60_000);
    storeFails(world, "unavailable");
    await pollOnce(life);
    const pending = idsOf(world.store.place(2));
    world.store.fault = () => undefined;
    await life.alerts.turnOn(guildId, world.store, { channelId, statuses: ["PENDING", "PAID"] });
    const during = idsOf(world.store.place(1));
    await pollFor(world, life, 2 * minute);
    expect(timesPosted(world.channel, [...pending, ...during])).toEqual([1, 1, 1]);

    const paid = idsOf(world.store.orders.filter(({ status }) => status === "PAID"));
    expect(new Set(timesPosted(world.channel, paid))).toEqual(new Set([0]));
  });
});

describe("a token that is replaced", () => {
  it("during a poll is tried at once, though the one before was refused", async () => {
    const { world, life } = await readyWithoutNonces();
    const ids = idsOf(world.store.place(2));
    let replaced: Promise<unknown> | undefined;
    world.store.fault = () => {
      world.pass(5);
      replaced ??= life.guilds.connect(guildId, "a-new-token");
      throw new StoreError("unauthorized", "GET orders");
    };
    await pollOnce(life);
    await replaced;
    world.store.fault = () => undefined;
    await pollFor(world, life, 15_000);

    expect((await life.alerts.status(guildId)).refusedSince).toBeUndefined();
    expect(timesPosted(world.channel, ids)).toEqual([1, 1]);
  });

  it("by one of the same store rings for all that waited, whatever its status was before", async () => {
    const { world, life } = await readyWithoutNonces({ statuses: ["PAID"] });
    const [seen] = world.store.place(1);
    if (!seen) throw new Error("no order");
    seen.status = "PAID";
    await pollFor(world, life, 15_000);
    const waiting = world.store.place(2);
    world.pass(60_000);
    for (const order of waiting) order.status = "PAID";
    await life.alerts.connect(guildId, world.store, "new");
    await pollFor(world, life, minute);

    expect(timesPosted(world.channel, idsOf([seen, ...waiting]))).toEqual([1, 1, 1]);
  });

  it("is not kept when its store does not answer", async () => {
    const { world, life } = await readyWithoutNonces();
    world.store.place(2);
    await pollFor(world, life, 15_000);
    storeFails(world, "timeout");
    const before = (await life.guilds.get(guildId)).token;

    await expect(life.alerts.connect(guildId, world.store, "other")).rejects.toThrow(StoreError);
    expect((await life.guilds.get(guildId)).token).toEqual(before);
  });
});

describe("alerts that are turned on while digests are turned off", () => {
  it("are polled, whichever commit is slow", async () => {
    const isPolled: boolean[] = [];
    for (let isReached = true; isReached; ) {
      const world = await createAlertWorld();
      let commits = Number.NEGATIVE_INFINITY;
      let turningOn: Promise<unknown> | undefined;
      const life = world.start(undefined, undefined, undefined, {
        commits: {
          async before() {
            if (commits++ !== isPolled.length) return;
            turningOn = life.alerts.turnOn(guildId, world.store, { channelId });
            // As far as it comes without this commit.
            for (let moment = 0; moment < 20; moment++) await new Promise(setImmediate);
          },
        },
      });
      await life.guilds.connect(guildId, "token-1234");
      await life.alerts.setDigest(guildId, { channelId, every: "day", hour: 8, timezone: "UTC" });
      commits = 0;
      await life.alerts.turnDigestOff(guildId);
      isReached = turningOn !== undefined;
      await turningOn;
      await life.alerts.idle();
      if (isReached) isPolled.push((await polledIn(world.storage)).includes(guildId));
    }
    expect(isPolled.length).toBeGreaterThan(1);
    expect(isPolled).toEqual(isPolled.map(() => true));
  });
});
