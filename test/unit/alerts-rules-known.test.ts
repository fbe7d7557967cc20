import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { fails } from "../support/alert-lives.ts";
import { type AlertWorld, channelId, guildId, type Life, pollFor, timesPosted } from "../support/alert-world.ts";
import { begin, keysChannel, linesIn, repliesIn, rule, setStatus } from "../support/rules-world.ts";

const minute = 60_000;

/** The next send to a channel is not answered; `when` says whether it arrived. */
function loseAnswer({ channel }: AlertWorld, place: string, when: "before" | "after") {
  channel.fault = (call, at, where) => {
    if (call !== "send" || at !== when || where !== place) return;
    channel.fault = () => undefined;
    throw new MessengerError("uncertain");
  };
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
    fails(world, "send", "forbidden", { place: channelId });
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, 5 * minute);
    expect(linesIn(world, keysChannel)).toBe(0);

    world.channel.fault = () => undefined;
    life.alerts.channelChanged(guildId);
    await pollFor(world, life, minute);
    expect(linesIn(world, keysChannel)).toBe(1);
  });
});
