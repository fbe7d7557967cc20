import { describe, expect, it } from "vitest";
import { createIdList } from "../../src/alerts/id-list.ts";
import { MessengerError } from "../../src/alerts/messenger.ts";
import { StorageError, type Table } from "../../src/storage/table.ts";
import { type AlertWorld, channelId, guildId, idsOf, type Life, pollFor, timesPosted } from "../support/alert-world.ts";
import { begin, feed, feedChannel, keysChannel, linesIn, repliesIn, rule, setStatus } from "../support/routes-world.ts";

const minute = 60_000;

/** The next send to a channel is not answered; `when` says whether it arrived. */
function loseAnswer({ channel }: AlertWorld, place: string, when: "before" | "after") {
  channel.fault = (call, at, where) => {
    if (call !== "send" || at !== when || where !== place) return;
    channel.fault = () => undefined;
    throw new MessengerError("uncertain");
  };
}

/** The first write of what rules know of orders fails, once `arm` was called. */
function fullAtSights(isArmed = true) {
  let isFull = isArmed;
  let isDone = false;
  const wrap = <T>(table: Table<T>, name: string): Table<T> => ({
    ...table,
    async setMany(entries) {
      const isIt = isFull && name === `sights:${guildId}`;
      if (!isIt) return table.setMany(entries);
      isFull = false;
      isDone = true;
      throw new StorageError("set", new Error("the disk is full"));
    },
  });
  const arm = () => {
    isFull = true;
  };
  return { wrap, arm, isDone: () => isDone };
}

describe("customers", () => {
  const showCustomers = ({ guilds }: Life) =>
    guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, privacy: "full" as const } }));
  const placesOfCustomers = ({ channel }: AlertWorld) =>
    channel.messages.flatMap(({ place, payload }) => (JSON.stringify(payload).includes("example.com") ? [place] : []));

  it.each([
    ["are not in a rule's channel", rule({}), []],
    ["are in that of a rule that may show them", rule({ showsCustomers: true }), [keysChannel]],
    ["are in the alerts' own, where a rule sends alerts there", rule({ channelId }), [channelId]],
  ])("%s, neither in alerts nor in what they become", async (_, route, places) => {
    const { world, life } = await begin({}, route);
    await showCustomers(life);
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    expect(placesOfCustomers(world)).toEqual(places);

    setStatus(world, order?.id ?? "", "PROCESSING");
    await pollFor(world, life, minute);
    expect(world.channel.messages.at(-1)?.edits).toBe(1);
    expect(placesOfCustomers(world)).toEqual(places);
  });
});

describe("a ring by a rule in the alerts' own channel", () => {
  it("is not taken for the alert of its order", async () => {
    const { world, life } = await begin({}, rule({ status: "PAID", channelId }));
    const [order] = world.store.place(1);
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, minute);
    expect(linesIn(world, channelId)).toBe(1);
    loseAnswer(world, channelId, "before");
    setStatus(world, order?.id ?? "", "PENDING");
    await pollFor(world, life, 5 * minute);

    expect(timesPosted(world.channel, [order?.id ?? ""], channelId)).toEqual([2]);
  });

  it("is not taken for the ring of a payment", async () => {
    const { world, life } = await begin({ statuses: ["PENDING", "PAID"] }, rule({ status: "PROCESSING", channelId }));
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    setStatus(world, order?.id ?? "", "PROCESSING");
    await pollFor(world, life, minute);
    expect(linesIn(world, channelId)).toBe(1);
    loseAnswer(world, channelId, "before");
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, 5 * minute);

    expect(repliesIn(world)).toHaveLength(1);
  });

  it("comes after the alert of its order", async () => {
    const { world, life } = await begin({}, rule({ status: "PAID" }));
    world.channel.fault = (call, when, place) => {
      if (call === "send" && when === "before" && place === channelId) throw new MessengerError("forbidden");
    };
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, 5 * minute);
    expect(linesIn(world, keysChannel)).toBe(0);

    world.channel.fault = () => undefined;
    life.alerts.channelMended(guildId);
    await pollFor(world, life, minute);
    expect(linesIn(world, keysChannel)).toBe(1);
  });
});

it.each(["was answered", "was not answered"])(
  "a line that was put down, and its order's status not, is not sent again where it %s",
  async (how) => {
    const { world } = await begin({}, feed({}));
    world.channel.nonces = false;
    const { wrap, isDone } = fullAtSights();
    const life = world.start(undefined, wrap);
    if (how === "was not answered") loseAnswer(world, feedChannel, "after");
    world.store.place(1);
    await pollFor(world, life, 5 * minute);

    expect(isDone()).toBe(true);
    expect(linesIn(world, feedChannel)).toBe(1);
  },
);

it("an alert that a crash left listed and not put down goes by its rule when it is found again", async () => {
  const { world } = await begin({}, rule({}));
  const placed = world.store.place(1);
  await createIdList(world.storage, `${guildId}:owed`).add(idsOf(placed));
  await pollFor(world, world.start(), minute);

  expect(timesPosted(world.channel, idsOf(placed), keysChannel)).toEqual([1]);
  expect(timesPosted(world.channel, idsOf(placed), channelId)).toEqual([0]);
});

it.each(["sent", "not sent"])(
  "a payment's ring that was put down and %s, and its order's status not, is no reason to ring for what the order is by then",
  async (how) => {
    const { world } = await begin({ statuses: ["PENDING", "PAID", "DELIVERED"] }, rule({ status: "PAID" }));
    const { wrap, arm, isDone } = fullAtSights(false);
    const life = world.start(undefined, wrap);
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    if (how === "not sent") {
      world.channel.fault = (call, when, place) => {
        if (call === "send" && when === "before" && place === keysChannel) throw new MessengerError("uncertain");
      };
    }
    arm();
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, 15_000);
    expect(isDone()).toBe(true);
    setStatus(world, order?.id ?? "", "DELIVERED");
    await pollFor(world, life, minute);
    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);

    expect([linesIn(world, keysChannel), repliesIn(world).length]).toEqual([1, 0]);
  },
);
