import { describe, expect, it } from "vitest";
import type { Rule } from "../../../src/guilds/rule.ts";
import { become, contentOf, fails } from "../../support/engine/alert-lives.ts";
import { channelId, createAlertWorld, guildId, idsOf, pollFor, standby } from "../../support/engine/alert-world.ts";
import {
  begin,
  feed,
  feedChannel,
  keysChannel,
  linesIn,
  rule,
  setRoutes,
  textsIn,
} from "../../support/engine/rules-world.ts";

const minute = 60_000;
const both = { statuses: ["PENDING", "PAID"] };
const paid = (given: Partial<Rule> = {}) => rule({ id: "paid", status: "PAID", ...given });
const paidLines = feed({ status: "PAID" });

describe("rules for new orders", () => {
  it("post nothing of another store's orders until these change", async () => {
    const { world, life, place, poll, linesIn } = await begin({}, feed({}), feed({ id: "paid", status: "PAID" }));
    const { store } = await createAlertWorld();
    for (const [index, order] of store.place(3).entries()) {
      Object.assign(order, { id: `x${order.id}`, status: index > 0 ? "PAID" : "PENDING" });
    }
    await place(2);
    world.stores.set("9999", store);
    await life.alerts.connect(guildId, store, "token-9999");
    await poll(3);
    expect(linesIn(feedChannel)).toBe(2);
    become({ ...world, store }, "PAID", idsOf(store.orders).slice(-1));
    await poll(2);
    expect(linesIn(feedChannel)).toBe(3);
  });

  it.each([
    ["not in a rule's channel", rule({}), []],
    ["in the channel of a rule that may show them", rule({ showsCustomers: true }), [keysChannel]],
    ["in the alerts' own channel, if a rule sends alerts there", rule({ channelId }), [channelId]],
  ])("show customers %s, neither in alerts nor in edits", async (_, route, places) => {
    const { world, life, place, move } = await begin({}, route);
    await life.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, privacy: "full" } }));
    const shownIn = () =>
      world.channel.messages.flatMap((one) => (JSON.stringify(one.payload).includes("example.com") ? [one.place] : []));
    const ids = await place();
    expect(shownIn()).toEqual(places);
    await move(ids, "PROCESSING");
    expect(world.channel.messages.at(-1)?.edits).toBe(1);
    expect(shownIn()).toEqual(places);
  });
});

describe("after an alert by a rule", () => {
  const [own, ofRule] = [`${channelId} <@&5>`, `${keysChannel} <@&88>`];
  it.each([
    ["its payment and its reminder are in the alerts' own channel", [], [own, own]],
    ["they are in its channel if the rule was made again", [rule({ id: "again", roleId: "88" })], [ofRule, ofRule]],
  ])("whose rule was removed, %s", async (_, routes, expected) => {
    const { world, life, place, move, replies } = await begin({ ...both, roleId: "5" }, rule({ roleId: "77" }));
    await life.alerts.remind(guildId, () => ({ afterMs: 5 * minute }));
    const ids = await place();
    const before = world.channel.messages.length;
    await setRoutes(life, ...routes);
    await move(ids, "PAID", 7);
    const later = world.channel.messages.slice(before);
    const roleOf = (message: (typeof later)[number]) => /^<@&\d+>/.exec(contentOf(message))?.[0] ?? "";
    expect(later.map((message) => `${message.place} ${roleOf(message)}`)).toEqual(expected);
    expect(replies()).toHaveLength(expected.filter((one) => one.startsWith(keysChannel)).length);
  });

  it.each(["before the alert", "after the alert", "and the rule is removed"])(
    "they are in the alerts' own channel if the rule's channel is gone %s, without a role of another rule",
    async (when) => {
      const other = rule({ id: "other", channelId, roleId: "77", from: 1_000_000 });
      const { world, life, place, move } = await begin(both, rule({ id: "keys" }), other);
      await life.alerts.remind(guildId, () => ({ afterMs: 5 * minute }));
      const lose = () => fails(world, "send", "channel_gone", { place: keysChannel });
      if (when === "before the alert") lose();
      const ids = await place();
      const before = world.channel.messages.filter((message) => message.place === channelId).length;
      lose();
      if (when === "and the rule is removed") await setRoutes(life, other);
      await move(ids, "PAID", 10);
      const later = world.channel.messages.filter((message) => message.place === channelId).slice(before);
      expect(later.map(({ payload }) => JSON.stringify(payload).includes(ids[0] ?? "-"))).toEqual([true, true]);
      expect(JSON.stringify(later)).not.toContain("<@&77>");
    },
  );
});

describe("rules for a status", () => {
  it("post for orders that were never seen before, and leave their alert alone", async () => {
    const { world, place, move, alertsOf, linesIn } = await begin({}, paidLines);
    const ids = idsOf(world.store.place(1));
    become(world, "PAID");
    ids.push(...(await place()));
    expect([linesIn(feedChannel), alertsOf(ids)]).toEqual([1, [0, 1]]);
    await move(ids.slice(0, 1), "PENDING");
    expect(alertsOf(ids)).toEqual([1, 1]);
  });

  it.each([["PENDING", "PAID", "DELIVERED"], ["PENDING", "DELIVERED"], ["PENDING"]])(
    "post for a status that comes after another one, whichever of them are alerted: %s",
    async (...statuses) => {
      const { place, move, linesIn } = await begin(
        { statuses: statuses.filter(Boolean) },
        feed({ status: "DELIVERED" }),
      );
      const ids = (await place(2)).slice(0, 1);
      for (const status of ["PAID", "DELIVERED"]) await move(ids, status, 5);
      expect(linesIn(feedChannel)).toBe(1);
    },
  );

  it("post for an alerted order that got it just before somebody ended alerts for it", async () => {
    const { world, life, place, poll, linesIn } = await begin(both, paidLines);
    become(world, "PAID", await place());
    await world.turnOn(life, { statuses: ["PENDING"] });
    await poll(2);
    expect(linesIn(feedChannel)).toBe(1);
  });

  it("post nothing of orders that had it when the rule was made, also if their alert does not show it yet", async () => {
    const world = await createAlertWorld();
    const life = world.start();
    const old = world.store.place(250);
    become(world, "PAID", idsOf(old.slice(0, 230)));
    await world.turnOn(life);
    const alerted = idsOf(world.store.place(1));
    await pollFor(world, life, minute);
    become(world, "PAID", alerted);
    await setRoutes(life, paidLines);
    await pollFor(world, life, 10 * minute);
    await life.alerts.settled();
    expect(textsIn(world, feedChannel)).toEqual([]);

    world.channel.nonces = false;
    for (const lines of [1, 2]) {
      become(world, "PAID", idsOf(old.slice(240 + lines, 241 + lines)));
      await pollFor(world, life, 5 * minute);
      expect(linesIn(world, feedChannel)).toBe(lines);
    }
  });

  it("added one after another while nobody polls post nothing of orders that had any of their statuses", async () => {
    const { world, life, poll, linesIn } = await begin({});
    const [paid, shipped] = world.store.place(2).map(({ id }) => id);
    become(world, "PAID", [paid ?? ""]);
    become(world, "SHIPPED", [shipped ?? ""]);
    const gateway = world.start(undefined, undefined, standby);
    await setRoutes(gateway, paidLines);
    await setRoutes(gateway, paidLines, feed({ id: "shipped", status: "SHIPPED" }));
    life.alerts.forgetMemory();
    await poll(3);
    expect(linesIn(feedChannel)).toBe(0);
  });

  it.each([
    ["match", { roleId: "77" }, 1],
    ["do not match", { from: 1_000 }, 0],
  ])("take the place of the reply to a payment if they %s", async (_, condition, lines) => {
    const { place, move, linesIn, replies } = await begin(both, paid(condition));
    await move(await place(), "PAID");
    expect([linesIn(keysChannel), replies().length]).toEqual([lines, 1 - lines]);
  });

  it("take its place also while the alert waits, which then comes first", async () => {
    const { world, life, place, move, poll, alertsOf, linesIn, replies } = await begin(both, paid(), paidLines);
    fails(world, "send", "forbidden", { place: channelId });
    const ids = await place();
    await move(ids, "PAID");
    expect(linesIn(keysChannel)).toBe(0);
    world.channel.fault = () => undefined;
    life.alerts.channelChanged(guildId);
    await poll(10);
    expect(alertsOf(ids, channelId)).toEqual([1]);
    expect([linesIn(keysChannel), linesIn(feedChannel), replies().length]).toEqual([1, 1, 0]);
  });

  it("take its place also if the API ignores the filter, and the list of another status shows the order first", async () => {
    const { world, place, move, alertsOf, linesIn, replies } = await begin(both, paid(), paidLines);
    const { page } = world.store;
    world.store.page = ({ statuses: _, ...query }) => page(query);
    const ids = await place(3);
    await move(ids, "PAID", 5);
    expect(alertsOf(ids, channelId)).toEqual([1, 1, 1]);
    expect([linesIn(keysChannel), linesIn(feedChannel), replies().length]).toEqual([3, 3, 0]);
  });

  it("that is alerted anyway post for new orders in it, not for orders that have it", async () => {
    const { world, life, place, poll, alertsOf, linesIn } = await begin({});
    const early = await place(2);
    const unpolled = idsOf(world.store.place(1));
    await setRoutes(life, rule({ status: "PENDING" }), feed({ status: "PENDING" }));
    await poll(2);
    expect([alertsOf(early, channelId), alertsOf(unpolled, keysChannel)]).toEqual([[1, 1], [1]]);
    expect(linesIn(feedChannel)).toBe(1);
  });
});
