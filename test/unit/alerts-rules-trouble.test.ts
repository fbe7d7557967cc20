import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { fails } from "../support/alert-lives.ts";
import { channelId, guildId, idsOf, pollFor, timesPosted } from "../support/alert-world.ts";
import { killAt } from "../support/killer.ts";
import {
  begin,
  feed,
  feedChannel,
  keysChannel,
  linesIn,
  repliesIn,
  rule,
  setRoutes,
  setStatus,
} from "../support/rules-world.ts";
import { sized } from "../support/sized.ts";

const minute = 60_000;

describe("a rule for a status", () => {
  it("fires for an order that enters its status while its alert is owed, in the stead of the ring", async () => {
    const { world, life } = await begin(
      { statuses: ["PENDING", "PAID"] },
      rule({ id: "paid", status: "PAID" }),
      feed({ status: "PAID" }),
    );
    fails(world, "send", "forbidden", { place: channelId });
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, minute);
    world.channel.fault = () => undefined;
    life.alerts.channelChanged(guildId);
    await pollFor(world, life, 10 * minute);
    expect(timesPosted(world.channel, [order?.id ?? ""], channelId)).toEqual([1]);
    expect([linesIn(world, keysChannel), linesIn(world, feedChannel), repliesIn(world).length]).toEqual([1, 1, 0]);
  });

  it("fires where the API ignores the filter, though the list of another status shows the order first", async () => {
    const { world, life } = await begin(
      { statuses: ["PENDING", "PAID"] },
      rule({ id: "paid", status: "PAID" }),
      feed({ status: "PAID" }),
    );
    const { store } = world;
    store.page = ({ page = 1, limit = 10 }) => ({
      items: store.orders.slice((page - 1) * limit, page * limit),
      lastPage: Math.max(Math.ceil(store.orders.length / limit), 1),
      skipped: 0,
      servedAt: world.now(),
    });
    const whole = store.changedOrders;
    store.changedOrders = async (query, ...others) => {
      if (query.statuses?.includes("PAID")) for (let turn = 0; turn < 200; turn++) await setImmediate();
      return whole(query, ...others);
    };
    const placed = store.place(3);
    await pollFor(world, life, minute);
    for (const { id } of placed) setStatus(world, id, "PAID");
    await pollFor(world, life, 5 * minute);
    expect(timesPosted(world.channel, idsOf(placed), channelId)).toEqual([1, 1, 1]);
    expect([linesIn(world, keysChannel), linesIn(world, feedChannel), repliesIn(world).length]).toEqual([3, 3, 0]);
  });

  it.each([["PENDING", "PAID", "DELIVERED"], ["PENDING", "DELIVERED"], ["PENDING"]])(
    "fires for a status that comes after another one, whichever of them ring: %s",
    async (...statuses) => {
      const { world, life } = await begin(
        { statuses: statuses.filter(Boolean) as string[] },
        feed({ status: "DELIVERED" }),
      );
      const [order] = world.store.place(2);
      await pollFor(world, life, minute);
      setStatus(world, order?.id ?? "", "PAID");
      await pollFor(world, life, 5 * minute);
      setStatus(world, order?.id ?? "", "DELIVERED");
      await pollFor(world, life, 5 * minute);
      expect(linesIn(world, feedChannel)).toBe(1);
    },
  );

  it("says nothing of orders that had it when the rule was made, though their alert does not say so yet", async () => {
    const { world, life } = await begin({ statuses: ["PENDING"] }, rule({ from: 1000 }));
    const [order] = world.store.place(2);
    await pollFor(world, life, minute);
    setStatus(world, order?.id ?? "", "PAID");
    await setRoutes(world, life, feed({ status: "PAID" }));
    await pollFor(world, life, 5 * minute);
    expect(linesIn(world, feedChannel)).toBe(0);
  });
});

describe("a rule's channel", () => {
  it("that is closed has a payment answered with the role of alerts, not of another rule for their channel", async () => {
    const { world, life } = await begin(
      { statuses: ["PENDING", "PAID"] },
      rule({ id: "keys" }),
      rule({ id: "other", channelId, roleId: "77", from: 1_000_000 }),
    );
    fails(world, "send", "forbidden", { place: keysChannel });
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, minute);
    expect(repliesIn(world)).toHaveLength(1);
    expect(JSON.stringify(repliesIn(world))).not.toContain("<@&77>");
  });

  it("of which the history may not be read holds up no alert of another one that may have been sent", async () => {
    const { world } = await begin({ statuses: ["PENDING"] }, rule({ from: 100 }));
    let seen = 0;
    for (let step = 0; step < 60; step += sized(5, 1)) {
      const killer = killAt(step);
      const life = world.start(killer);
      const [dear] = world.store.place(1);
      if (dear) Object.assign(dear, { pricing: { ...dear.pricing, total: 200 } });
      const [cheap] = world.store.place(1);
      await pollFor(world, life, minute).catch(() => undefined);
      fails(world, "own", "forbidden", { place: keysChannel });
      const next = world.start();
      await pollFor(world, next, 20 * minute);
      expect(timesPosted(world.channel, [cheap?.id ?? ""], channelId), `step ${step}`).toEqual([1]);
      world.channel.fault = () => undefined;
      await pollFor(world, next, 6 * minute);
      expect(timesPosted(world.channel, [dear?.id ?? "", cheap?.id ?? ""]), `step ${step}`).toEqual([1, 1]);
      if (!killer.killed) break;
      seen++;
    }
    expect(seen).toBeGreaterThan(2);
  });

  it("that is mended is not rung in for what may have been rung for in its stead", async () => {
    const { world, life } = await begin({ statuses: ["PENDING", "PAID"] }, rule({}));
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    expect(timesPosted(world.channel, [order?.id ?? ""], keysChannel)).toEqual([1]);
    const before = world.channel.messages.length;
    let isOver = false;
    world.channel.fault = (call, when, place) => {
      if (isOver || call !== "send") return;
      if (when === "before" && place === keysChannel) throw new MessengerError("forbidden");
      if (when === "after" && place === channelId) throw new MessengerError("uncertain");
    };
    setStatus(world, order?.id ?? "", "PAID");
    for (let round = 0; round < 10 && world.channel.messages.length === before; round++)
      await pollFor(world, life, 15_000);
    expect(world.channel.messages.length).toBe(before + 1);
    isOver = true;
    life.alerts.channelChanged(guildId);
    await pollFor(world, life, 15 * minute);
    expect(world.channel.messages.length).toBe(before + 1);
  });

  it.each(["alerts are off", "the rule is gone"])("gets no line more of a long delivery once %s", async (how) => {
    const { world, life } = await begin({ statuses: ["PENDING"] }, feed({}));
    world.store.place(95);
    let done: Promise<unknown> | undefined;
    let at = 0;
    world.channel.fault = async (call, when, place) => {
      if (call !== "send" || when !== "after" || place !== feedChannel || done) return;
      done = (how === "alerts are off" ? life.alerts.turnOff(guildId) : setRoutes(world, life)).then(() => {
        at = linesIn(world, feedChannel);
      });
      await done;
    };
    await pollFor(world, life, 2 * minute);
    expect(at).toBeGreaterThan(0);
    expect(linesIn(world, feedChannel)).toBe(at);
  });

  it("that is closed to the bot keeps an alert in doubt from being posted a second time", async () => {
    const { world, life } = await begin({}, rule({}));
    fails(world, "send", "uncertain", { when: "after", place: keysChannel });
    const doubtful = idsOf(world.store.place(1));
    await pollFor(world, life, 1_000, 1_000);
    world.channel.fault = (_, __, place) => {
      if (place === keysChannel) throw new MessengerError("forbidden");
    };
    const later = idsOf(world.store.place(1));
    await pollFor(world, life, 10 * minute);
    expect(timesPosted(world.channel, doubtful, channelId)).toEqual([0]);
    expect(timesPosted(world.channel, later, channelId)).toEqual([1]);

    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);
    expect(timesPosted(world.channel, doubtful)).toEqual([1]);
    expect((await life.alerts.status(guildId)).planned).toBe(0);
  });
});
