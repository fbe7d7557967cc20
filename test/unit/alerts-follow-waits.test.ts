import { describe, expect, it } from "vitest";
import type { Route } from "../../src/guilds/route.ts";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { type AlertWorld, channelId, guildId, pollFor, rightIn, timesPosted } from "../support/alert-world.ts";
import { begin, feed, keysChannel, linesIn, repliesIn, rule, setStatus } from "../support/routes-world.ts";

const minute = 60_000;
const statuses = ["PENDING", "PAID"];

/** The next message to a channel gets no answer, and the channel's history may not be read. */
function loseAnAnswer(world: AlertWorld, where: string) {
  let isLost = false;
  world.channel.fault = (call, when, place) => {
    if (place !== where) return;
    if (call === "own") throw new MessengerError("forbidden");
    if (isLost || call !== "send" || when !== "after") return;
    isLost = true;
    throw new MessengerError("uncertain");
  };
}

const places: [string, Route[], string][] = [
  ["a rule's channel", [rule({})], keysChannel],
  ["the alerts' own channel", [], channelId],
];

describe.each(places)("in %s, of which the history may not be read,", (_, routes, place) => {
  it("a payment's ring that may stand there holds up no other one", async () => {
    const { world, life } = await begin({ statuses }, ...routes);
    world.channel.nonces = false;
    const [first, ...others] = world.store.place(3).map(({ id }) => id);
    await pollFor(world, life, minute);
    loseAnAnswer(world, place);
    setStatus(world, first ?? "", "PAID");
    await pollFor(world, life, 10 * minute);
    for (const id of others) setStatus(world, id, "PAID");
    await pollFor(world, life, 10 * minute);
    expect(timesPosted(world.channel, others, place)).toEqual([2, 2]);

    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);
    expect(timesPosted(world.channel, [first ?? "", ...others], place)).toEqual([2, 2, 2]);
  });

  it("a reminder that may stand there holds up no other one", async () => {
    const { world, life } = await begin({}, ...routes);
    world.channel.nonces = false;
    await life.alerts.remind(guildId, { afterMs: 5 * minute });
    world.store.place(1);
    await pollFor(world, life, minute);
    loseAnAnswer(world, place);
    await pollFor(world, life, 20 * minute);
    world.store.place(2);
    await pollFor(world, life, 20 * minute);
    expect(repliesIn(world)).toHaveLength(3);

    world.channel.fault = () => undefined;
    await pollFor(world, life, 20 * minute);
    expect(repliesIn(world)).toHaveLength(3);
  });
});

it("a payment's ring by a rule in the alerts' own channel waits while that channel is closed", async () => {
  const { world, life } = await begin({ statuses }, rule({ channelId }));
  const [order] = world.store.place(1);
  await pollFor(world, life, minute);
  let refusals = 0;
  world.channel.fault = (call, when) => {
    if (call === "send" && when === "before" && refusals++ < 100) throw new MessengerError("channel_gone");
  };
  setStatus(world, order?.id ?? "", "PAID");
  await pollFor(world, life, minute);
  expect(refusals).toBeLessThan(10);
  // The rule's notice; the alerts' own would be a second one about one channel.
  expect(world.channel.ownerNotices).toHaveLength(1);

  refusals = 100;
  await pollFor(world, life, 10 * minute);
  expect(repliesIn(world)).toHaveLength(1);
});

it("the owner is told again that the history of a rule's channel may not be read, where a payment's ring could be looked for since", async () => {
  const { world, life } = await begin({ statuses }, rule({}));
  for (const notices of [1, 2]) {
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    loseAnAnswer(world, keysChannel);
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, 10 * minute);
    expect(world.channel.ownerNotices).toHaveLength(notices);
    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);
  }
});

it("a payment found while a ring from before all was forgotten is under way does not wait for the next poll", async () => {
  const { world, life } = await begin({ statuses });
  const [one, other] = world.store.place(2).map(({ id }) => id);
  await pollFor(world, life, minute);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  world.channel.fault = async (call, when) => {
    if (call !== "send" || when !== "after") return;
    reached.resolve();
    await released.promise;
  };
  setStatus(world, one ?? "", "PAID");
  await life.alerts.poll(guildId);
  await reached.promise;
  life.alerts.forgetMemory();
  setStatus(world, other ?? "", "PAID");
  await life.alerts.poll(guildId);
  released.resolve();
  await life.alerts.idle();
  await life.alerts.idle();

  expect(repliesIn(world)).toHaveLength(2);
});

describe.each([
  ["alert", rule({})],
  ["line", feed({ channelId: keysChannel })],
])("the owner who was told that a history may not be read is told that the channel is gone: %s", (_, route) => {
  async function untilTold() {
    const { world, life } = await begin({}, route);
    world.channel.fault = (call, when, place) => {
      if (call === "send" && when === "before" && place === keysChannel) throw new MessengerError("uncertain");
    };
    world.store.place(1);
    await pollFor(world, life, 15_000);
    world.channel.fault = (call, _when, place) => {
      if (call === "own" && place === keysChannel) throw new MessengerError("forbidden");
    };
    await pollFor(world, life, 5 * minute);
    expect(world.channel.ownerNotices).toHaveLength(1);
    return { world, life };
  }
  const lose = (world: AlertWorld, code: "forbidden" | "channel_gone") => {
    world.channel.fault = (call, _when, place) => {
      if (place === keysChannel && call !== "edit") throw new MessengerError(code);
    };
  };

  it("while it still waited for that", async () => {
    const { world, life } = await untilTold();
    lose(world, "channel_gone");
    world.store.place(1);
    await pollFor(world, life, 10 * minute);
    expect(world.channel.ownerNotices).toHaveLength(2);
  });

  it("after another process could read it", async () => {
    const { world } = await untilTold();
    world.channel.fault = () => undefined;
    const next = world.start();
    await pollFor(world, next, 10 * minute);
    lose(world, "forbidden");
    world.store.place(1);
    await pollFor(world, next, 10 * minute);
    expect(world.channel.ownerNotices).toHaveLength(2);
  });
});

it("what Discord refused together, and did not take alone, does not wait for a history", async () => {
  const { world, life } = await begin({}, rule({ status: "PAID" }));
  const placed = world.store.place(12).map(({ id }) => id);
  await pollFor(world, life, minute);
  // Twice together, and one alone without an answer.
  let refusals = 3;
  world.channel.fault = (call, when, place) => {
    if (place !== keysChannel) return;
    if (call === "own") throw new MessengerError("forbidden");
    if (call !== "send" || when !== "before" || refusals === 0) return;
    refusals--;
    throw new MessengerError(refusals === 0 ? "uncertain" : "refused");
  };
  for (const id of placed) setStatus(world, id, "PAID");
  await pollFor(world, life, 20 * minute);

  expect(linesIn(world, keysChannel)).toBe(11);
});

it("what Discord refused together is sent alone no longer than alerts are on", async () => {
  const { world, life } = await begin({}, rule({ status: "PAID" }));
  const placed = world.store.place(12).map(({ id }) => id);
  await pollFor(world, life, minute);
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  // Twice together.
  let refusals = 2;
  world.channel.fault = async (call, when, place) => {
    if (call !== "send" || place !== keysChannel) return;
    if (when === "before" && refusals > 0) {
      refusals--;
      throw new MessengerError("refused");
    }
    if (when !== "after") return;
    reached.resolve();
    await released.promise;
  };
  for (const id of placed) setStatus(world, id, "PAID");
  await life.alerts.poll(guildId);
  await reached.promise;
  await life.alerts.turnOff(guildId);
  released.resolve();
  await life.alerts.idle();

  expect(linesIn(world, keysChannel)).toBe(1);
});

it("what Discord refused together is neither sent nor noted alone once another process polls", async () => {
  const { world } = await begin({}, rule({ status: "PAID" }));
  let isMine = true;
  let late = 0;
  world.commits.before = () => {
    if (!isMine) late++;
    // The first of them stands there: that alone is still recorded.
    if (linesIn(world, channelId) > 0) isMine = false;
  };
  const life = world.start(
    undefined,
    undefined,
    rightIn(() => (isMine ? 1 : undefined)),
  );
  const placed = world.store.place(12).map(({ id }) => id);
  await pollFor(world, life, minute);
  // Twice together. Where the rule has lost its channel, the alerts' own is noted first.
  let refusals = 2;
  world.channel.fault = (call, when, place) => {
    if (call !== "send" || when !== "before") return;
    if (place === keysChannel) throw new MessengerError("forbidden");
    if (refusals-- > 0) throw new MessengerError("refused");
  };
  for (const id of placed) setStatus(world, id, "PAID");
  await pollFor(world, life, minute);

  expect(isMine).toBe(false);
  expect([linesIn(world, channelId), late]).toEqual([1, 0]);
});
