import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { fails } from "../support/alert-lives.ts";
import { type AlertWorld, channelId, guildId, idsOf, once, pollFor, timesPosted } from "../support/alert-world.ts";
import { begin, feed, feedChannel, keysChannel, repliesIn, rule } from "../support/rules-world.ts";
import { sized } from "../support/sized.ts";

const minute = 60_000;

function change(world: AlertWorld, id: string, changed: object) {
  const index = world.store.orders.findIndex((order) => order.id === id);
  const order = world.store.orders[index];
  if (order) world.store.orders[index] = { ...order, ...changed };
}
const dear = (world: AlertWorld, id: string) =>
  change(world, id, { pricing: { subtotal: 500, discount: 0, total: 500 } });

describe("a rule's trouble is its own:", () => {
  it.each(["forbidden", "uncertain"] as const)("whose history is %s holds up no alert elsewhere", async (code) => {
    const { world, life } = await begin({}, rule({ from: 100 }));
    const [ruled] = world.store.place(1);
    dear(world, ruled?.id ?? "");
    fails(world, "send", "uncertain");
    await pollFor(world, life, 15_000);
    const own = world.store.place(2);
    await pollFor(world, life, minute);
    world.channel.fault = (call, _, place) => {
      if (call === "own" && place === keysChannel) throw new MessengerError(code);
    };

    const next = world.start();
    await pollFor(world, next, 30 * minute);

    expect(timesPosted(world.channel, idsOf(own), channelId)).toEqual(once(idsOf(own)));
  });

  it("that gives no clear answer does not keep other alerts from being reminded of", async () => {
    const { world, life } = await begin({}, rule({ from: 100 }));
    await life.alerts.remind(guildId, { afterMs: 5 * minute });
    const [ruled] = world.store.place(1);
    dear(world, ruled?.id ?? "");
    await pollFor(world, life, minute);
    world.store.place(1);
    await pollFor(world, life, minute);
    world.channel.fault = (_, __, place) => {
      if (place === keysChannel) throw new MessengerError("uncertain");
    };
    await pollFor(world, life, 60 * minute);

    expect(repliesIn(world).map(({ place }) => place)).toEqual([channelId]);
  });

  it("that Discord limits for 29 s a message does not hold up the alerts' own channel for minutes", async () => {
    const { world, life } = await begin({}, rule({ from: 100 }));
    // One page, so all of them are planned before anything is sent.
    const ruled = world.store.place(99);
    for (const { id } of ruled) dear(world, id);
    const [own] = world.store.place(1);
    const begun = world.now();
    world.channel.fault = (call, when, place) => {
      if (call === "send" && when === "before" && place === keysChannel) world.pass(29_000);
    };
    await pollFor(world, life, 10 * minute);

    const message = world.channel.messages.find(({ place, at }) => place === channelId && at >= begun);
    expect(timesPosted(world.channel, [own?.id ?? ""], channelId)).toEqual([1]);
    expect((message?.at ?? Number.NaN) - begun).toBeLessThan(minute);
    await pollFor(world, life, 30 * minute);
    expect(timesPosted(world.channel, idsOf(ruled))).toEqual(once(idsOf(ruled)));
  });

  it("of which the history is forbidden is not asked for each line by itself", async () => {
    const { world, life } = await begin({}, feed({}));
    fails(world, "send", "uncertain", { place: feedChannel });
    world.store.place(60);
    await pollFor(world, life, minute);
    let asked = 0;
    world.channel.fault = (call, _, place) => {
      if (call !== "own" || place !== feedChannel) return;
      asked++;
      throw new MessengerError("forbidden");
    };
    let seed = 7;
    const random = () => {
      seed = (seed * 16_807) % 2_147_483_647;
      return seed / 2_147_483_647;
    };

    await pollFor(world, world.start(undefined, undefined, undefined, { random }), 2 * minute, 250);

    expect(asked).toBeGreaterThan(0);
    expect(asked).toBeLessThan(30);
  });

  it("mentions the role of the rule by which the alert went, not of another one in the same channel", async () => {
    const { world, life } = await begin(
      {},
      rule({ id: "a", from: 100, roleId: "88" }),
      rule({ id: "b", roleId: "77" }),
    );
    await life.alerts.remind(guildId, { afterMs: 5 * minute });
    world.store.place(1);
    await pollFor(world, life, 10 * minute);

    const [said] = repliesIn(world);
    expect(said?.payload && "content" in said.payload && said.payload.content).toMatch(/^<@&77>/);
  });

  it("of characters that nobody sees does not have alerts sent twice", async () => {
    const { world, life } = await begin({});
    const [order, ...others] = world.store.place(8);
    change(world, order?.id ?? "", { id: `x${"\u200b".repeat(40)}` });
    fails(world, "send", "uncertain", { when: "after" });
    world.channel.nonces = false;
    await pollFor(world, life, 15_000);
    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);

    expect(timesPosted(world.channel, idsOf(others))).toEqual(once(idsOf(others)));
  });

  it("that gives no clear answer for minutes has its alerts ring in the alerts' own, and no store goes unread for it", async () => {
    const { world, life } = await begin({}, rule({}));
    world.channel.fault = (_, __, place) => {
      if (place === keysChannel) throw new MessengerError("uncertain");
    };
    const placed = world.store.place(sized(600, 5_100));
    await pollFor(world, life, 10 * minute);

    const rang = timesPosted(world.channel, idsOf(placed), channelId).filter((times) => times === 1);
    // What may stand in the rule's channel has to be looked for there.
    expect(rang.length).toBeGreaterThan(placed.length - 200);
    expect((await life.alerts.status(guildId)).planned).toBeLessThan(200);
    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);
    expect(timesPosted(world.channel, idsOf(placed))).toEqual(once(idsOf(placed)));
  });
});
