import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { channelId, createAlertWorld, guildId, pollFor, timesPosted } from "../support/alert-world.ts";
import { backup } from "../support/backup.ts";
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
} from "../support/routes-world.ts";

const minute = 60_000;

describe("a payment for which a rule rang", () => {
  it("is not rung for again by what the order becomes while its alert is owed", async () => {
    const statuses = ["PENDING", "PAID", "DELIVERED"];
    const { world, life } = await begin({ statuses }, rule({ status: "PAID" }));
    world.channel.fault = (call, when, place) => {
      if (call === "send" && when === "before" && place === channelId) throw new MessengerError("forbidden");
    };
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    for (const status of ["PAID", "DELIVERED"]) {
      setStatus(world, order?.id ?? "", status);
      await pollFor(world, life, minute);
    }
    world.channel.fault = () => undefined;
    life.alerts.channelChanged(guildId);
    await pollFor(world, life, 10 * minute);

    expect([linesIn(world, keysChannel), repliesIn(world).length]).toEqual([1, 0]);
  });
});

it("an order that is new on one page and paid by the time of another one is a matter of rules for both", async () => {
  const world = await createAlertWorld();
  const { store } = world;
  store.capabilities.note("several", true);
  store.place(200);
  const life = world.start();
  await world.turnOn(life, { statuses: ["PENDING", "PAID"] });
  await setRoutes(world, life, rule({ status: "PAID" }), feed({ status: "PAID" }));
  let isPayedNext = false;
  // The oldest come first. One leaves the list while it is read, and lifts the new one to the page before.
  store.page = ({ page = 1, limit = 10, statuses }) => {
    const listed = store.orders.filter(({ status }) => !statuses || statuses.includes(status)).toReversed();
    const lastPage = Math.max(Math.ceil(listed.length / limit), 1);
    const items = listed.slice((page - 1) * limit, page * limit);
    const [newest] = store.orders;
    if (isPayedNext && newest && items.includes(newest)) {
      isPayedNext = false;
      store.orders.pop();
      setStatus(world, newest.id, "PAID");
    }
    return { items, lastPage, skipped: 0, servedAt: world.now() };
  };
  await pollFor(world, life, 5 * minute);
  const [order] = store.place(1);
  isPayedNext = true;
  await pollFor(world, life, 5 * minute);

  expect([linesIn(world, keysChannel), linesIn(world, feedChannel), repliesIn(world).length]).toEqual([1, 1, 0]);
  expect(timesPosted(world.channel, [order?.id ?? ""], channelId)).toEqual([1]);
});

it.each([
  ["alert", rule({})],
  ["line", feed({ channelId: keysChannel })],
])("the owner is told once that a history may not be read, whatever is posted meanwhile: %s", async (_, route) => {
  const { world, life } = await begin({}, route);
  world.channel.fault = (call, when, place) => {
    if (call === "send" && when === "before" && place === keysChannel) throw new MessengerError("uncertain");
  };
  world.store.place(1);
  await pollFor(world, life, 15_000);
  const close = () => {
    world.channel.fault = (call, _when, place) => {
      if (call === "own" && place === keysChannel) throw new MessengerError("forbidden");
    };
  };
  close();
  for (let round = 0; round < 10; round++) {
    world.store.place(1);
    await pollFor(world, life, 2 * minute);
  }
  expect(world.channel.ownerNotices).toHaveLength(1);

  world.channel.fault = () => undefined;
  await pollFor(world, life, 10 * minute);
  world.channel.fault = (call, when, place) => {
    if (call === "send" && when === "before" && place === keysChannel) throw new MessengerError("uncertain");
  };
  world.store.place(1);
  await pollFor(world, life, 15_000);
  close();
  await pollFor(world, life, 10 * minute);
  expect(world.channel.ownerNotices).toHaveLength(2);
});

describe("a ring for a payment in a rule's channel of which the history may not be read", () => {
  it("waits where it may stand there, and does not ring in the alerts' own; the rule's alerts stay where they are", async () => {
    const { world, life } = await begin({ statuses: ["PENDING", "PAID"] }, rule({}));
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    let isLost = false;
    world.channel.fault = (call, when, place) => {
      if (place === keysChannel && call === "own") throw new MessengerError("forbidden");
      if (place !== keysChannel || call !== "send" || when !== "after" || isLost) return;
      isLost = true;
      throw new MessengerError("uncertain");
    };
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, 10 * minute);
    const [later] = world.store.place(1);
    await pollFor(world, life, minute);

    expect(timesPosted(world.channel, [later?.id ?? ""], keysChannel)).toEqual([1]);
    expect(world.channel.ownerNotices).toHaveLength(1);
    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);
    expect(timesPosted(world.channel, [order?.id ?? ""], keysChannel)).toEqual([2]);
    expect(timesPosted(world.channel, [order?.id ?? ""], channelId)).toEqual([0]);
  });
});

it("what no channel took does not wait for a history, where the rule has lost its channel", async () => {
  const { world, life } = await begin({}, rule({ status: "PAID" }));
  const [order] = world.store.place(1);
  await pollFor(world, life, minute);
  let isClosed = true;
  world.channel.fault = (call, when, place) => {
    if (place === keysChannel) throw new MessengerError("channel_gone");
    if (call === "own" || (call === "send" && when === "before" && isClosed)) throw new MessengerError("forbidden");
  };
  setStatus(world, order?.id ?? "", "PAID");
  await pollFor(world, life, 5 * minute);
  isClosed = false;
  life.alerts.channelChanged(guildId);
  await pollFor(world, life, 10 * minute);

  expect(linesIn(world, channelId)).toBe(1);
});

it("of many rings that Discord refuses together, those go that it takes alone", async () => {
  const { world, life } = await begin({}, rule({ status: "PAID" }));
  const placed = world.store.place(12);
  await pollFor(world, life, minute);
  const { messages } = world.channel;
  const push = messages.push.bind(messages);
  messages.push = (...added) => {
    const isRefused = added.some(({ payload }) => JSON.stringify(payload).includes(placed[0]?.id ?? ""));
    if (isRefused) throw new MessengerError("refused");
    return push(...added);
  };
  for (const { id } of placed) setStatus(world, id, "PAID");
  await pollFor(world, life, 5 * minute);

  expect(linesIn(world, keysChannel)).toBe(11);
});

it.each(["alert", "later status"])(
  "after a restore an order's %s does not ring again that rang in the alerts' own channel, for the rule had lost its own",
  async (what) => {
    const { world, life } = await begin({}, rule(what === "alert" ? {} : { status: "PAID" }));
    world.channel.nonces = false;
    const [early] = world.store.place(1);
    await pollFor(world, life, minute);
    const restore = await backup(world);
    world.channel.fault = (_call, _when, place) => {
      if (place === keysChannel) throw new MessengerError("forbidden");
    };
    if (what === "alert") world.store.place(1);
    else setStatus(world, early?.id ?? "", "PAID");
    await pollFor(world, life, 5 * minute);
    const before = world.channel.messages.length;

    world.channel.fault = () => undefined;
    await restore();
    await pollFor(world, world.start(), 10 * minute);

    expect(world.channel.messages.length).toBe(before);
  },
);

it("a rule in the alerts' own channel keeps its role after Discord gave no answer for minutes", async () => {
  const { world } = await begin({}, rule({ channelId, roleId: "77" }));
  let seed = 7;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const life = world.start(undefined, undefined, undefined, { random });
  world.channel.fault = (call, when) => {
    if (call === "send" && when === "before") throw new MessengerError("uncertain");
  };
  world.store.place(1);
  await pollFor(world, life, 10 * minute, 1_000);
  world.channel.fault = () => undefined;
  world.store.place(60);
  await pollFor(world, life, 10 * minute, 1_000);

  const texts = textsIn(world, channelId).slice(1);
  expect(texts.length).toBeGreaterThan(3);
  expect(texts.filter((text) => !text.startsWith("<@&77>") || text.includes("📌"))).toEqual([]);
});

it("what is found while a message from before all was forgotten is under way does not wait for the next poll", async () => {
  const { world, life } = await begin({}, feed({}));
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  world.channel.fault = async (call, when, place) => {
    if (call !== "send" || when !== "after" || place !== feedChannel) return;
    reached.resolve();
    await released.promise;
  };
  world.store.place(1);
  await life.alerts.poll(guildId);
  await reached.promise;
  life.alerts.forgetMemory();
  world.store.place(1);
  await life.alerts.poll(guildId);
  released.resolve();
  await life.alerts.idle();
  await life.alerts.idle();

  expect(linesIn(world, feedChannel)).toBe(2);
});

it("a rule made by a command that began before another store was connected takes what that store has as seen", async () => {
  const { world, life } = await begin({}, rule({ from: 1_000 }));
  world.store.place(3);
  await pollFor(world, life, minute);
  const seen = await life.guilds.get(guildId);
  const other = { ...(await createAlertWorld()).store };
  for (const [index, order] of other.place(5).entries()) {
    other.orders[index] = { ...order, id: `x${order.id}`, status: "PAID", createdAt: world.now() - minute };
  }
  world.stores.set("9999", other);
  await life.alerts.connect(guildId, other, "token-9999");
  await pollFor(world, life, 5 * minute);
  await life.alerts.changeRoutes(guildId, world.store, (routes) => [...routes, feed({ status: "PAID" })], seen);
  await pollFor(world, life, 10 * minute);

  expect(linesIn(world, feedChannel)).toBe(0);
});

it("a reminder that may stand in a rule's channel waits where its history may not be read", async () => {
  const { world, life } = await begin({}, rule({}));
  world.channel.nonces = false;
  await life.alerts.remind(guildId, { afterMs: 5 * minute });
  world.store.place(1);
  await pollFor(world, life, minute);
  let isLost = false;
  world.channel.fault = (call, when, place) => {
    if (call === "own" && place === keysChannel) throw new MessengerError("forbidden");
    if (isLost || call !== "send" || when !== "after" || place !== keysChannel) return;
    isLost = true;
    throw new MessengerError("uncertain");
  };
  await pollFor(world, life, 30 * minute);
  expect(repliesIn(world)).toHaveLength(1);

  world.channel.fault = () => undefined;
  await pollFor(world, life, 30 * minute);
  expect(repliesIn(world)).toHaveLength(1);
});
