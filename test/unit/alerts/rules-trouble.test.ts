import { describe, expect, it } from "vitest";
import { baselineTable } from "../../../src/baseline/baseline-row.ts";
import { isOutboxFull } from "../../../src/orders/outbox-bounds.ts";
import { keyOf, type OutboxRow, outboxTable } from "../../../src/orders/outbox-row.ts";
import { MessengerError } from "../../../src/outbox/messenger.ts";
import { noticesTable } from "../../../src/outbox/notices.ts";
import { StorageError } from "../../../src/storage/table.ts";
import { fails, holdFirst } from "../../support/engine/alert-lives.ts";
import {
  type AlertWorld,
  channelId,
  guildId,
  idsOf,
  once,
  pollFor,
  standby,
} from "../../support/engine/alert-world.ts";
import { begin, feed, feedChannel, keysChannel, rule, setRoutes, textsIn } from "../../support/engine/rules-world.ts";
import { sized } from "../../support/sized.ts";
import { keysIn } from "../../support/stored.ts";

const minute = 60_000;
const both = { statuses: ["PENDING", "PAID"] };

/** The total is 500. Rules with `from: 100` apply. */
function placeDear({ store }: AlertWorld, count = 1): string[] {
  const orders = store.place(count);
  for (const order of orders) Object.assign(order, { pricing: { subtotal: 500, discount: 0, total: 500 } });
  return idsOf(orders);
}

/** Every call for the channel of keys fails. */
function shut({ channel }: AlertWorld, code: "forbidden" | "uncertain") {
  channel.fault = (_, __, place) => {
    if (place === keysChannel) throw new MessengerError(code);
  };
}

/** The next send fails without a clear answer, and no message arrives. */
function loseAnswer({ channel }: AlertWorld, place: string) {
  channel.fault = (call, when, where) => {
    if (call !== "send" || when !== "before" || where !== place) return;
    channel.fault = () => undefined;
    throw new MessengerError("uncertain");
  };
}

const waiting = async ({ storage }: AlertWorld) => (await keysIn(storage, `outbox:${guildId}`)).length;

describe("a rule's channel that is closed", () => {
  it("lets alerts be posted in the alerts' own, tells the owner once, and is used again after its repair", async () => {
    const feedThere = feed({ channelId: keysChannel });
    const { world, life, place, poll, mend, alertsOf, linesIn } = await begin({}, rule({}), feedThere);
    fails(world, "send", "forbidden", { place: keysChannel });
    const ids = await place(2);
    await poll(4);
    expect(alertsOf(ids, channelId)).toEqual([1, 1]);
    expect(world.channel.ownerNotices).toHaveLength(2);
    const blocked = async () => [...(await life.alerts.status(guildId)).blockedElsewhere.keys()];
    expect(await blocked()).toEqual([keysChannel]);

    mend();
    life.alerts.channelChanged(guildId);
    const later = await place();
    await poll(9);
    const last = await place();
    expect([alertsOf(later), alertsOf(last), alertsOf(last, keysChannel)]).toEqual([[1], [1], [1]]);
    expect(linesIn(keysChannel)).toBe(4);
    expect(await blocked()).toEqual([]);
  });

  it("is named by the messages that are posted in the alerts' own, also after an edit", async () => {
    const paid = rule({ id: "paid", status: "PAID" });
    const { world, place, move } = await begin(both, paid, rule({}));
    fails(world, "send", "forbidden", { place: keysChannel });
    const ids = await place();
    await move(ids, "PAID");
    const texts = textsIn(world, channelId).filter((text) => text.includes("Product"));
    expect(texts).toHaveLength(2);
    for (const text of texts) expect(text).toContain(`nothing could be posted in <#${keysChannel}>`);
    expect(world.channel.messages.map(({ edits }) => edits)).toContain(1);
  });

  it("is not chosen if a category is unknown, and the alert says so, also after an edit (before: until an edit)", async () => {
    const { world, place, move } = await begin(both, rule({ category: { id: "c", name: "Keys" } }));
    const ids = await place();
    await move(ids, "PAID");
    const edited = world.channel.messages.filter(({ edits }) => edits === 1);
    expect(edited).toHaveLength(1);
    expect(JSON.stringify(edited[0]?.payload)).toContain("did not say which category this is in");
  });

  it("has payments of alerts that were posted in the alerts' own told where alerts go by then", async () => {
    const { world, life, place, move } = await begin(both, rule({}));
    fails(world, "send", "forbidden", { place: keysChannel });
    const ids = await place();
    await life.alerts.turnOn(guildId, life.connected, { channelId: feedChannel });
    await move(ids, "PAID");
    expect(textsIn(world, feedChannel).at(-1)).toContain("Paid order");
  });

  it("keeps the lines of a feed, up to 1,000, until the feed gets another one; reading and other feeds go on", async () => {
    const lines = feed({ status: "PAID" });
    const sound = feed({ id: "sound", status: "PAID", channelId });
    const { world, life, poll, linesIn } = await begin({}, lines, sound);
    fails(world, "send", "channel_gone", { place: feedChannel });
    const earlier = Array.from({ length: 990 }, (_, index) => {
      const facts = { id: `old${index}`, status: "PAID", items: [], total: 1, paymentMethod: "PIX" };
      const row: OutboxRow = { kind: "rule", route: lines.id, facts, foundAt: world.now(), attempts: [] };
      return [keyOf(row), row] as const;
    });
    await world.storage.table(outboxTable, guildId).setMany(earlier);
    life.alerts.forgetMemory();
    for (const order of world.store.place(20)) order.status = "PAID";
    await poll(3);
    expect([await waiting(world), linesIn(channelId)]).toEqual([1_000, 20]);
    const { waits } = holdFirst(world, "send", "after");
    await setRoutes(life, { ...lines, channelId: keysChannel }, sound);
    await life.alerts.poll(guildId);
    await waits;
    expect(linesIn(keysChannel)).toBeGreaterThan(0);
  });

  it.each(["forbidden", "uncertain"] as const)(
    "does not delay alerts elsewhere while its history is %s",
    async (code) => {
      const { world, life, poll, alertsOf } = await begin({}, rule({ from: 100 }));
      placeDear(world);
      fails(world, "send", "uncertain");
      await pollFor(world, life, 15_000);
      const own = idsOf(world.store.place(2));
      await poll(1);
      shut(world, code);
      await pollFor(world, world.start(), 30 * minute);
      expect(alertsOf(own, channelId)).toEqual([1, 1]);
    },
  );

  it("is told as the alert channel if it is the alerts' own, because its alerts wait, too", async () => {
    const { world, life, place, poll, mend, alertsOf } = await begin({}, rule({ name: "Big", channelId }));
    const blocked = async () => {
      const { blockedSince, blockedElsewhere } = await life.alerts.status(guildId);
      return [blockedSince !== undefined, blockedElsewhere.size];
    };
    fails(world, "send", "forbidden");
    const ids = await place();
    await poll(4);
    const told = world.channel.ownerNotices.map((notice) => ("content" in notice ? notice.content : ""));
    expect(told).toEqual([expect.stringContaining("The orders are kept.")]);
    expect(told[0]).not.toContain("Big");
    expect(await blocked()).toEqual([true, 0]);

    mend();
    await poll(9);
    expect(alertsOf(ids)).toEqual([1]);
    expect(await blocked()).toEqual([false, 0]);
  });

  it("is forgotten with its rule", async () => {
    const { world, life, place, poll } = await begin({}, feed({ id: "first" }));
    fails(world, "send", "forbidden", { place: feedChannel });
    for (const id of ["second", "third"]) {
      await place();
      await setRoutes(life, feed({ id }));
      await poll(10);
    }
    await place();
    const notices = await world.storage.table(noticesTable).get(guildId);
    expect(Object.keys(notices?.problems ?? {})).toEqual(["third"]);
  });
});

describe("a rule's channel without a clear answer", () => {
  it("is not given up for one lost answer after the storage has failed", async () => {
    const { world, place, poll, alertsOf } = await begin({}, rule({}));
    loseAnswer(world, keysChannel);
    let failures = 6;
    world.commits.before = (steps) => {
      const isAttempt = steps.some(({ write }) => write?.raw?.includes('"attempts":[{'));
      if (isAttempt && failures-- > 0) throw new StorageError("commit", new Error("down"));
    };
    const ids = await place();
    await poll(10);

    expect(failures).toBeLessThan(0);
    expect(alertsOf(ids, keysChannel)).toEqual([1]);
  });

  it("has messages wait for its own failures only, not for those of the storage before", async () => {
    const { world, place, poll, alertsOf } = await begin({});
    let failures = 8;
    let lostAt = 0;
    world.commits.before = (steps) => {
      const isAttempt = steps.some(({ write }) => write?.raw?.includes('"attempts":[{'));
      if (isAttempt && failures-- > 0) throw new StorageError("commit", new Error("down"));
    };
    world.channel.fault = (call) => {
      if (call !== "send") return;
      world.channel.fault = () => undefined;
      lostAt = world.now();
      throw new MessengerError("uncertain");
    };
    const ids = await place();
    while (lostAt === 0) await poll(1);
    await poll(1);
    expect(alertsOf(ids)).toEqual([1]);
  });

  it("does not delay reminders of other alerts", async () => {
    const { world, life, place, poll, replies } = await begin({}, rule({ from: 100 }));
    await life.alerts.remind(guildId, () => ({ afterMs: 5 * minute }));
    placeDear(world);
    await poll(1);
    await place();
    shut(world, "uncertain");
    await poll(60);
    expect(replies().map(({ place }) => place)).toEqual([channelId]);
  });

  it("has its alerts posted in the alerts' own after minutes, each once, and the store is read on", async () => {
    const { world, life, poll, mend, alertsOf } = await begin({}, rule({}));
    shut(world, "uncertain");
    const ids = idsOf(world.store.place(sized(600, 5_100)));
    await poll(10);
    // Some may be in the rule's channel, where the bot must search for them.
    expect(alertsOf(ids, channelId).filter((times) => times === 1).length).toBeGreaterThan(ids.length - 200);
    expect((await life.alerts.status(guildId)).planned).toBeLessThan(200);
    mend();
    await poll(10);
    expect(alertsOf(ids)).toEqual(once(ids));
  });

  it("that Discord limits for 29 s a message does not delay the alerts' own for minutes", async () => {
    const { world, poll, alertsOf } = await begin({}, rule({ from: 100 }));
    // One page, so all of them are planned before anything is sent.
    const dear = placeDear(world, 99);
    const own = idsOf(world.store.place(1));
    const begun = world.now();
    world.channel.fault = (call, when, where) => {
      if (call === "send" && when === "before" && where === keysChannel) world.pass(29_000);
    };
    await poll(10);
    const alert = world.channel.messages.find(({ place, at }) => place === channelId && at >= begun);
    expect(alertsOf(own, channelId)).toEqual([1]);
    expect((alert?.at ?? Number.NaN) - begun).toBeLessThan(minute);
    await poll(30);
    expect(alertsOf(dear)).toEqual(once(dear));
  });
});

describe("a message by a rule in the alerts' own channel", () => {
  it("is not taken for the alert of its order", async () => {
    const { world, move, alertsOf, linesIn } = await begin({}, rule({ status: "PAID", channelId }));
    const ids = idsOf(world.store.place(1));
    await move(ids, "PAID", 1);
    expect(linesIn(channelId)).toBe(1);
    loseAnswer(world, channelId);
    await move(ids, "PENDING", 5);
    expect(alertsOf(ids, channelId)).toEqual([2]);
  });

  it("is not taken for the reply to a payment", async () => {
    const { world, place, move, linesIn, replies } = await begin(both, rule({ status: "PROCESSING", channelId }));
    const ids = await place();
    await move(ids, "PROCESSING", 1);
    expect(linesIn(channelId)).toBe(1);
    loseAnswer(world, channelId);
    await move(ids, "PAID", 5);
    expect(replies()).toHaveLength(1);
  });
});

it.each(["alerts are off", "the rule is gone"])("no further line of a feed is posted once %s", async (how) => {
  const { world, life, poll, linesIn } = await begin({}, feed({}));
  world.store.place(95);
  let done: Promise<unknown> | undefined;
  let posted = 0;
  world.channel.fault = async (call, when, where) => {
    if (call !== "send" || when !== "after" || where !== feedChannel || done) return;
    done = (how === "alerts are off" ? life.alerts.turnOff(guildId) : setRoutes(life)).then(() => {
      posted = linesIn(feedChannel);
    });
    await done;
  };
  await poll(2);
  expect(posted).toBeGreaterThan(0);
  expect(linesIn(feedChannel)).toBe(posted);
  expect(await waiting(world)).toBe(0);
});

it("rules that are added and removed again and again while nobody polls do not let the stored baseline grow", async () => {
  const { world } = await begin({});
  const gateway = world.start(undefined, undefined, standby);
  const sizes: number[] = [];
  for (let times = 0; times < 4; times++) {
    await setRoutes(gateway, feed({ status: "PAID" }));
    await setRoutes(gateway);
    const found = (await world.storage.table(baselineTable).get(guildId))?.pending?.found ?? [];
    sizes.push(found.length);
  }
  expect(sizes).toEqual([1, 1, 1, 1]);
});

it("an alert whose order id has only characters that nobody sees does not have others posted twice", async () => {
  const { world, life, poll, mend, alertsOf } = await begin({});
  const [order, ...others] = world.store.place(8);
  if (order) order.id = `x${"\u200b".repeat(40)}`;
  fails(world, "send", "uncertain", { when: "after" });
  world.channel.nonces = false;
  await pollFor(world, life, 15_000);
  mend();
  await poll(10);
  expect(alertsOf(idsOf(others))).toEqual(once(idsOf(others)));
});

it("the store is read no further while 5,000 alerts and messages of staff rules wait; lines do not count", () => {
  const routes = [rule({ id: "staff" }), feed({ id: "public" })];
  const facts = { id: "a", status: "PAID", items: [], total: 1, paymentMethod: "PIX" };
  const rowsOf = (count: number, row: OutboxRow) =>
    Array.from({ length: count }, (_, at) => [`${row.kind} ${at}`, row] as const);
  const isFull = (messages: number, route: string) =>
    isOutboxFull(
      { id: guildId, settings: { language: "en", privacy: "none" }, routes },
      new Map([
        ...rowsOf(4_000, { kind: "alert", orderId: "a", foundAt: 1, attempts: [] }),
        ...rowsOf(messages, { kind: "rule", route, facts, foundAt: 1, attempts: [] }),
      ]),
    );
  expect([isFull(999, "staff"), isFull(1_000, "staff")]).toEqual([false, true]);
  expect([isFull(9_000, "public"), isFull(9_000, "a rule that is gone")]).toEqual([false, false]);
});
