import { describe, expect, it } from "vitest";
import { fails, ready } from "../support/alert-lives.ts";
import {
  type AlertWorld,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  once,
  pollFor,
  timesPosted,
} from "../support/alert-world.ts";
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
  textsIn,
} from "../support/rules-world.ts";

const minute = 60_000;

describe("rules for new orders", () => {
  it("send an alert to the channel of the first that fits, with its role, and others to the alerts' channel", async () => {
    const { world, life } = await begin(
      {},
      rule({ id: "dear", from: 100 }),
      rule({ id: "cheap", to: 10, roleId: "77" }),
      rule({ id: "late", channelId: feedChannel }),
    );
    const [order] = world.store.place(1);

    await pollFor(world, life, minute);

    expect(timesPosted(world.channel, [order?.id ?? ""], keysChannel)).toEqual([1]);
    expect(world.channel.messages.filter(({ place }) => place !== keysChannel && place !== channelId)).toEqual([]);
    expect(textsIn(world, keysChannel)[0]).toContain("<@&77>");
    expect(timesPosted(world.channel, [order?.id ?? ""], channelId)).toEqual([0]);
  });

  it("have every feed that fits say a line, beside the alert", async () => {
    const { world, life } = await begin(
      {},
      feed({ id: "one" }),
      feed({ id: "two", from: 1 }),
      feed({ id: "dear", from: 50 }),
    );
    const placed = world.store.place(8);

    await pollFor(world, life, minute);

    expect(timesPosted(world.channel, idsOf(placed), channelId)).toEqual(once(idsOf(placed)));
    expect(linesIn(world, feedChannel)).toBe(16);
    expect(textsIn(world, feedChannel).join()).not.toContain(placed[0]?.id.slice(0, 8));
  });

  it("say nothing of what was there before alerts were turned on, or of another store's orders", async () => {
    const { world, life } = await begin({}, feed({}), feed({ id: "paid", status: "PAID" }));
    const other = { ...(await createAlertWorld()).store };
    other.place(3);
    for (const [index, order] of other.orders.entries()) {
      other.orders[index] = { ...order, id: `x${order.id}`, status: index < 2 ? "PAID" : "PENDING" };
    }
    world.store.place(2);
    await pollFor(world, life, minute);
    expect(linesIn(world, feedChannel)).toBe(2);
    world.stores.set("9999", other);

    await life.alerts.connect(guildId, other, "token-9999");
    await pollFor(world, life, 3 * minute);

    expect(linesIn(world, feedChannel)).toBe(2);
    setStatus({ ...world, store: other }, other.orders[2]?.id ?? "", "PAID");
    await pollFor(world, life, 2 * minute);
    expect(linesIn(world, feedChannel)).toBe(3);
  });

  it("change with the alerts' own message: an edit keeps the rule's role", async () => {
    const { world, life } = await begin({}, rule({ roleId: "77" }));
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);

    setStatus(world, order?.id ?? "", "PROCESSING");
    await pollFor(world, life, minute);

    const [message] = world.channel.messages.filter(({ place }) => place === keysChannel);
    expect(message?.edits).toBe(1);
    expect(textsIn(world, keysChannel)[0]).toContain("<@&77>");
  });
});

describe("what follows an alert that went by a rule", () => {
  const remind = (life: Pick<ReturnType<AlertWorld["start"]>, "alerts">) =>
    life.alerts.remind(guildId, { afterMs: 5 * minute });

  it("stands in the rule's channel: the ring for its payment, and the reminder", async () => {
    const { world, life } = await ready({ statuses: ["PENDING", "PAID"], roleId: "5" });
    await setRoutes(world, life, rule({ roleId: "77" }));
    await remind(life);
    world.pass(1_000);
    const [order] = world.store.place(2);
    await pollFor(world, life, minute);
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, 7 * minute);

    expect(repliesIn(world).map(({ place }) => place)).toEqual([keysChannel, keysChannel, keysChannel]);
    const texts = repliesIn(world).map(({ payload }) => ("content" in payload ? payload.content : ""));
    expect(texts.every((text) => text.startsWith("<@&77>"))).toBe(true);
  });

  it("goes to the alerts' own channel where the rule has lost its own", async () => {
    const { world, life } = await begin({}, rule({}));
    await remind(life);
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    fails(world, "send", "channel_gone", { place: keysChannel });

    await pollFor(world, life, 10 * minute);

    const said = world.channel.messages.filter(({ place }) => place === channelId).slice(1);
    expect(said).toHaveLength(1);
    expect(JSON.stringify(said[0]?.payload)).toContain(order?.id);
  });
});

describe("rules for a status", () => {
  it("fire when an order enters it, after its alert, once", async () => {
    const { world, life } = await begin({}, rule({ id: "paid", status: "PAID" }), feed({ status: "paid " }));
    const placed = world.store.place(3);
    await pollFor(world, life, minute);
    expect(timesPosted(world.channel, idsOf(placed), channelId)).toEqual([1, 1, 1]);
    expect(linesIn(world, keysChannel) + linesIn(world, feedChannel)).toBe(0);

    for (const { id } of placed) setStatus(world, id, "PAID");
    await pollFor(world, life, 2 * minute);

    expect(linesIn(world, keysChannel)).toBe(3);
    expect(linesIn(world, feedChannel)).toBe(3);
    for (const { id } of placed) setStatus(world, id, "SHIPPED");
    await pollFor(world, life, minute);
    for (const { id } of placed) setStatus(world, id, "PAID");
    await pollFor(world, life, 2 * minute);
    expect(linesIn(world, keysChannel) + linesIn(world, feedChannel)).toBe(6);
  });

  it("fire for orders that were never seen before, and leave their alert alone", async () => {
    const { world, life } = await begin({}, feed({ status: "PAID" }));
    const [first, second] = world.store.place(2);
    setStatus(world, first?.id ?? "", "PAID");

    await pollFor(world, life, minute);

    expect(linesIn(world, feedChannel)).toBe(1);
    expect(timesPosted(world.channel, [first?.id ?? "", second?.id ?? ""], channelId)).toEqual([0, 1]);
    setStatus(world, first?.id ?? "", "PENDING");
    await pollFor(world, life, minute);
    expect(timesPosted(world.channel, [first?.id ?? ""], channelId)).toEqual([1]);
  });

  it("say nothing of orders that had it when the rule was made, and do of those that enter it then", async () => {
    const world = await createAlertWorld();
    const life = world.start();
    const old = world.store.place(250);
    for (const { id } of old.slice(0, 230)) setStatus(world, id, "PAID");
    await world.turnOn(life);
    await pollFor(world, life, minute);
    world.pass(minute);

    await setRoutes(world, life, feed({ status: "PAID" }));
    await pollFor(world, life, 10 * minute);
    expect(linesIn(world, feedChannel)).toBe(0);

    setStatus(world, old[240]?.id ?? "", "PAID");
    await pollFor(world, life, 5 * minute);
    expect(linesIn(world, feedChannel)).toBe(1);
  });

  it("ring in the stead of the ring for a payment, and only where they fit", async () => {
    const { world, life } = await ready({ statuses: ["PENDING", "PAID"] });
    await setRoutes(world, life, rule({ status: "PAID", items: 1, roleId: "77" }));
    world.pass(1_000);
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);

    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, 2 * minute);

    expect(linesIn(world, keysChannel)).toBe(1);
    expect(world.channel.messages.filter(({ place }) => place === channelId && place).length).toBe(2);
    expect(repliesIn(world)).toEqual([]);

    await setRoutes(world, life, rule({ status: "PAID", from: 1_000 }));
    const [next] = world.store.place(1);
    await pollFor(world, life, minute);
    setStatus(world, next?.id ?? "", "PAID");
    await pollFor(world, life, 2 * minute);
    expect(linesIn(world, keysChannel)).toBe(1);
    expect(repliesIn(world)).toHaveLength(1);
  });

  it("that rings anyway count for new orders in it, not for those that have it", async () => {
    const { world, life } = await ready();
    const early = world.store.place(2);
    await pollFor(world, life, minute);
    const unpolled = world.store.place(1);

    await setRoutes(world, life, rule({ status: "PENDING" }), feed({ status: "PENDING" }));
    await pollFor(world, life, 2 * minute);

    expect(timesPosted(world.channel, idsOf(early), channelId)).toEqual([1, 1]);
    expect(timesPosted(world.channel, idsOf(unpolled), keysChannel)).toEqual([1]);
    expect(linesIn(world, feedChannel)).toBe(1);
  });
});

describe("a rule's channel", () => {
  it("that is lost lets alerts ring in the alerts' own, tells the owner once, and is used again when it is mended", async () => {
    const { world, life } = await begin({}, rule({}), feed({ channelId: keysChannel }));
    fails(world, "send", "forbidden", { place: keysChannel });
    const placed = world.store.place(2);

    await pollFor(world, life, 5 * minute);

    expect(timesPosted(world.channel, idsOf(placed), channelId)).toEqual([1, 1]);
    expect(world.channel.ownerNotices).toHaveLength(2);
    world.channel.fault = () => undefined;
    const later = world.store.place(1);
    life.alerts.channelChanged(guildId);
    await pollFor(world, life, 10 * minute);
    const last = world.store.place(1);
    await pollFor(world, life, minute);
    expect(timesPosted(world.channel, idsOf([...later, ...last]))).toEqual([1, 1]);
    expect(timesPosted(world.channel, idsOf(last), keysChannel)).toEqual([1]);
    expect(linesIn(world, keysChannel)).toBe(4);
  });

  it("is what the feed waits for, also when it is chosen anew", async () => {
    const { world, life } = await begin({}, feed({}));
    fails(world, "send", "channel_gone", { place: feedChannel });
    world.store.place(3);
    await pollFor(world, life, minute);
    expect(linesIn(world, feedChannel)).toBe(0);

    await setRoutes(world, life, feed({ channelId: keysChannel }));
    await pollFor(world, life, 10 * minute);

    expect(linesIn(world, keysChannel)).toBe(3);
  });
});
