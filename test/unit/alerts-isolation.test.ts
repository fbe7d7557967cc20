import { describe, expect, it, vi } from "vitest";
import { ordersTable } from "../../src/orders/order-row.ts";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { fails, holdFirst, pollOnce, ready, said, storeFails } from "../support/alert-lives.ts";
import {
  type AlertWorld,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  type Life,
  once,
  pollFor,
  timesPosted,
} from "../support/alert-world.ts";

// One thing that fails is not to spoil another: an order, a page, an edit, a notice.

const minute = 60_000;

/** Seconds until a new order rings. */
async function delayOf(world: AlertWorld, life: Life, place = channelId) {
  const [order] = world.store.place(1);
  const from = world.now();
  const rang = () => timesPosted(world.channel, [order?.id ?? ""], place)[0] === 1;
  while (!rang() && world.now() - from < 60 * minute) await pollFor(world, life, 15_000);
  return (world.now() - from) / 1000;
}

describe("a poll that failed", () => {
  it("asks for another one, whatever the schedule says (0.1.0: at the next round, a day later where polls are daily)", async () => {
    const { world, life } = await ready();
    const poll = async () => {
      await pollOnce(life);
      return life.alerts.poll(guildId);
    };
    expect(await poll()).toBeUndefined();

    storeFails(world, "unavailable");
    expect(await poll()).toBeLessThanOrEqual(2_000);

    world.store.fault = ({ page }) => {
      if (page === 2) throw new StoreError("unavailable", "GET orders");
    };
    world.pass(minute);
    world.store.place(150);
    expect(await life.alerts.poll(guildId)).toBeLessThanOrEqual(2_000);

    world.store.fault = () => undefined;
    expect(await poll()).toBeUndefined();
  });
});

describe("one order that cannot be read", () => {
  it.each(["unavailable", "unauthorized"] as const)(
    "(%s) makes neither its store count as down nor its token as refused, and delays no order",
    async (code) => {
      const { world, life } = await ready();
      const [bad] = world.store.place(1);
      await pollFor(world, life, minute);
      if (bad) bad.status = "PAID";
      let asked = 0;
      world.store.fault = ({ order }) => {
        if (order !== bad?.id) return;
        asked++;
        throw new StoreError(code, "GET order");
      };
      await pollFor(world, life, 60 * minute);

      expect(said(world, "has not answered since") + said(world, "refuses the API token")).toBe(0);
      expect(asked, "it backs off alone").toBeLessThan(30);
      for (let orders = 0; orders < 3; orders++) expect(await delayOf(world, life)).toBe(15);
    },
  );
});

describe("a store that always fails", () => {
  it.each([
    ["timeout", 12, 30],
    ["unauthorized", 4, 16],
  ] as const)("(%s) is asked %i to %i times an hour", async (code, least, most) => {
    const { world, life } = await ready();
    let asked = 0;
    world.store.fault = () => {
      asked++;
      throw new StoreError(code, "GET orders");
    };
    await pollFor(world, life, 60 * minute, 5_000);

    expect(asked).toBeGreaterThanOrEqual(least);
    expect(asked).toBeLessThan(most);
  });
});

describe("a refused token", () => {
  it("is said once, also if the notice was not delivered at first, and recovers by itself (0.1.0: deaf for ever)", async () => {
    const { world, life } = await ready();
    storeFails(world, "unauthorized");
    fails(world, "send", "uncertain");
    await pollFor(world, life, minute);
    expect(said(world, "refuses the API token")).toBe(0);

    world.channel.fault = () => undefined;
    await pollFor(world, life, 15 * minute);
    const restarted = world.start();
    await pollFor(world, restarted, 30 * minute);
    expect(said(world, "refuses the API token")).toBe(1);
    expect((await restarted.alerts.status(guildId)).refusedSince).toBeDefined();

    const waiting = idsOf(world.store.place(3));
    world.store.fault = () => undefined;
    await pollFor(world, world.start(), 15 * minute);
    expect(timesPosted(world.channel, waiting)).toEqual(once(waiting));
    expect(said(world, "The store is answering again. 3 orders")).toBe(1);
  });
});

describe("a wait that the store asks for", () => {
  it.each([1_760_000_000_000, 24 * 60 * minute])("is 5 minutes at most, not %i ms", async (retryAfterMs) => {
    const { world, life } = await ready();
    world.store.fault = () => {
      throw new StoreError("rate_limited", "GET orders", { retryAfterMs });
    };
    await pollFor(world, life, 15_000);
    world.store.fault = () => undefined;

    expect(await delayOf(world, life)).toBeLessThanOrEqual(5 * 60 + 15);
  });
});

describe("edits of alerts", () => {
  /** The store ignores the filter, so a poll shows at once what has changed. */
  async function withoutFilter() {
    const world = await createAlertWorld();
    const life = world.start();
    const { page } = world.store;
    world.store.page = ({ statuses: _, ...query }) => page(query);
    await world.turnOn(life);
    return { world, life };
  }

  it("refused in one channel hold up nothing in another (0.1.0: 0 of 4 edited, orders 165 to 180 s late)", async () => {
    const { world, life } = await ready();
    const inA = idsOf(world.store.place(6));
    await pollFor(world, life, minute);
    const elsewhere = "3000000000000000003";
    await life.alerts.turnOn(guildId, life.connected, { channelId: elsewhere });
    fails(world, "edit", "forbidden", { place: channelId });
    const inB: string[] = [];
    for (let orders = 0; orders < 4; orders++) {
      inB.push(...idsOf(world.store.place(1)));
      await pollFor(world, life, 15_000);
    }
    for (const order of world.store.orders) order.status = "PAID";
    await pollFor(world, life, 10 * minute);
    const edited = (ids: readonly string[]) =>
      world.channel.messages.filter(
        ({ payload, edits }) => edits === 1 && ids.some((id) => JSON.stringify(payload).includes(id)),
      ).length;
    expect(edited(inB)).toBe(4);
    expect(edited(inA)).toBe(0);
    for (let orders = 0; orders < 3; orders++) expect(await delayOf(world, life, elsewhere)).toBe(15);

    world.channel.fault = () => undefined;
    await pollFor(world, life, 6 * minute);
    expect(edited(inA), "and their one message is tried again").toBe(1);
  });

  it("refused for what others wrote are made without it (0.1.0: the alert showed its old status for ever)", async () => {
    const { world, life } = await ready();
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    const shown = () => JSON.stringify(world.channel.messages.at(-1)?.payload);
    expect(shown()).toContain("1 × Product");
    let refusals = 1;
    world.channel.fault = (call) => {
      if (call === "edit" && refusals-- > 0) throw new MessengerError("refused");
    };
    if (order) order.status = "PAID";
    await pollFor(world, life, minute);

    expect(shown()).toContain("Paid");
    expect(shown()).not.toContain("1 × Product");
  });

  it("that hang hold up neither a new alert nor a command (0.1.0: /alerts off waited for 200 of them)", async () => {
    const { world, life } = await withoutFilter();
    world.store.place(40);
    await pollFor(world, life, minute);
    let edits = 0;
    world.channel.fault = (call, when) => {
      if (call === "edit" && when === "before") edits++;
    };
    const { goOn } = holdFirst(world, "edit", "before");
    for (const order of world.store.orders) order.status = "EXPIRED";
    await life.alerts.poll(guildId);
    const [order] = world.store.place(1);
    world.pass(15_000);
    await life.alerts.poll(guildId);
    await vi.waitFor(() => expect(timesPosted(world.channel, [order?.id ?? ""])).toEqual([1]));

    await life.alerts.turnOff(guildId);
    expect(edits).toBe(1);

    goOn();
    await life.alerts.idle();
  });

  it("that are under way while an order comes to another status are made once more", async () => {
    const { world, life } = await withoutFilter();
    const [order] = world.store.place(1);
    await pollFor(world, life, minute);
    const { waits, goOn } = holdFirst(world, "edit", "after");
    if (order) order.status = "PROCESSING";
    await life.alerts.poll(guildId);
    await waits;
    if (order) order.status = "PAID";
    await life.alerts.poll(guildId);
    goOn();
    await pollFor(world, life, minute);

    expect(JSON.stringify(world.channel.messages.at(-1)?.payload)).toContain("Paid");
  });
});

describe("the notice to a server's owner", () => {
  it("is sent again when it was not delivered (0.1.0: never)", async () => {
    const { world, life } = await ready();
    let isReachable = false;
    world.channel.fault = (call) => {
      if (call === "send") throw new MessengerError("forbidden");
      if (call === "tellOwner" && !isReachable) throw new MessengerError("uncertain");
    };
    world.store.place(1);
    await pollFor(world, life, minute);
    isReachable = true;
    await pollFor(world, world.start(), 10 * minute);

    expect(world.channel.ownerNotices).toHaveLength(1);
  });
});

describe("a lost key", () => {
  it("is said once in the channel (0.1.0: log lines only), and what waited rings when the token is entered again", async () => {
    const { world } = await ready();
    const waiting = idsOf(world.store.place(2));
    const lost = world.start(undefined, undefined, undefined, { isKeyLost: true });
    await pollFor(world, lost, 60 * minute, minute);
    await pollFor(world, world.start(undefined, undefined, undefined, { isKeyLost: true }), 10 * minute, minute);
    expect(said(world, "encryption key has changed")).toBe(1);

    const life = world.start();
    await life.alerts.connect(guildId, world.store, "the same token");
    await pollFor(world, life, minute);
    expect(timesPosted(world.channel, waiting)).toEqual([1, 1]);
  });
});

describe("a channel that takes nothing", () => {
  it("does not let a store fill the disk: it is read no further while 5,000 alerts are owed, and on when they are posted", async () => {
    const { world, life } = await ready();
    fails(world, "send", "forbidden");
    const orders = world.storage.table(ordersTable, guildId);
    const count = async () => {
      let entries = 0;
      for await (const _ of orders.entries()) entries++;
      return entries;
    };
    world.store.place(5_010);
    await pollFor(world, life, 3 * minute);
    const kept = await count();
    expect(kept).toBeGreaterThanOrEqual(5_000);

    world.store.place(200);
    await pollFor(world, life, 3 * minute);
    expect(await count()).toBe(kept);

    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);
    expect((await life.alerts.status(guildId)).planned).toBe(0);
    expect(await count()).toBe(5_210);
  }, 60_000);

  it("is not polled again at once because a page failed before 5,000 alerts waited", async () => {
    const { world, life } = await ready();
    fails(world, "send", "forbidden");
    world.store.place(6_400);
    world.store.fault = ({ page = 1 }) => {
      if (page % 7 === 3) throw new StoreError("unavailable", "GET orders");
    };
    await pollFor(world, life, 6 * minute);
    expect((await life.alerts.status(guildId)).planned).toBeGreaterThan(5_000);
    for (let poll = 0; poll < 3; poll++) {
      expect(await pollOnce(life)).toBeUndefined();
      world.pass(minute);
    }
  }, 60_000);
});
