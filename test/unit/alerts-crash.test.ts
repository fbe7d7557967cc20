import { describe, expect, it } from "vitest";
import { forgetServer } from "../../src/forget-server.ts";
import { noticesTable } from "../../src/outbox/notices.ts";
import { partitionOf, polledTable } from "../../src/storage/polled-servers.ts";
import { absent } from "../../src/storage/table.ts";
import { fails, holdFirst } from "../support/alert-lives.ts";
import {
  type AlertWorld,
  type Channel,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  type Life,
  once,
  polledIn,
  pollFor,
  rightIn,
  standby,
  timesPosted,
} from "../support/alert-world.ts";
import { killAt, killAtEachStep } from "../support/killer.ts";
import { feed, feedChannel, keysChannel, linesIn, rule, setRoutes } from "../support/rules-world.ts";
import { sized } from "../support/sized.ts";
import { stored } from "../support/stored.ts";

const minute = 60_000;

const paidChannel = "2000000000000000005";
const rules = [
  rule({ id: "paid", status: "PAID", channelId: paidChannel }),
  rule({ id: "all" }),
  feed({ id: "new" }),
  feed({ id: "paid-feed", status: "PAID" }),
];

/** What becomes of orders: each with the polls that follow. */
const life: readonly [become: string | undefined, afterMs: number, polls: number][] = [
  [undefined, 0, 3],
  [undefined, 31 * minute, 4],
  ["PAID", 0, 6],
  ["REFUNDED", 0, 8],
];

/** How often each order stands in messages that fit. */
const timesIn = (
  { channel }: AlertWorld,
  ids: readonly string[],
  fits: (message: Channel["messages"][number]) => boolean,
) => {
  const texts = channel.messages.filter(fits).map(({ payload }) => JSON.stringify(payload));
  return ids.map((id) => texts.filter((text) => text.includes(id)).length);
};

describe.each([
  { orders: 1, nonces: true, routes: [] },
  { orders: 8, nonces: false, routes: [] },
  { orders: 7, nonces: false, routes: rules },
])(
  "a process killed at any step of the life of $orders orders (Discord knows nonces: $nonces)",
  ({ orders, nonces, routes }) => {
    it("has alerted, reminded of, rung for and answered each once", async () => {
      const stride = sized(orders < 8 ? 7 : 29, 1);
      let step = Math.floor(Math.random() * stride);
      for (let isOver = false; !isOver; step += stride) {
        const world = await createAlertWorld();
        world.channel.nonces = nonces;
        const first = world.start();
        await world.turnOn(first, { statuses: ["PENDING", "PAID"], roleId: "5" });
        await first.alerts.remind(guildId, { afterMs: 30 * minute });
        if (routes.length > 0) await setRoutes(first, ...routes);
        await first.alerts.idle();
        world.pass(1_000);
        const ids = idsOf(world.store.place(orders));
        const killer = killAt(step);
        const dying = world.start(killer);
        let next: Life | undefined;
        for (const [become, afterMs, polls] of life) {
          world.pass(afterMs);
          if (become !== undefined) for (const order of world.store.orders) order.status = become;
          for (let poll = 0; poll < polls && !killer.killed; poll++) await pollFor(world, dying, 15_000);
          if (!killer.killed) continue;
          next ??= world.start();
          await pollFor(world, next, 3 * minute);
        }
        isOver = !killer.killed;
        const label = `killed at step ${step}`;
        const is = (sign: string) => (message: Channel["messages"][number]) =>
          message.replyTo !== undefined && JSON.stringify(message.payload).includes(sign);
        const isAlert = ({ place, replyTo }: Channel["messages"][number]) =>
          replyTo === undefined && place === (routes.length > 0 ? keysChannel : channelId);
        expect(timesIn(world, ids, isAlert), label).toEqual(once(ids));
        expect(timesIn(world, ids, is("⏰")), label).toEqual(once(ids));
        expect(timesIn(world, ids, is("↩️")), label).toEqual(once(ids));
        const byRules = routes.length > 0 ? [orders, 2 * orders] : [0, 0];
        expect([linesIn(world, paidChannel), linesIn(world, feedChannel)], label).toEqual(byRules);
        expect(timesIn(world, ids, is("💰")), label).toEqual(ids.map(() => (routes.length > 0 ? 0 : 1)));
        for (const { payload } of world.channel.messages.filter(isAlert).slice(-1)) {
          expect(JSON.stringify(payload), label).toContain("Refunded");
        }
      }
      expect(step).toBeGreaterThan(30);
    });
  },
);

describe("a process killed at any step of turning alerts on", () => {
  it("never rings for what was there before, and rings for what comes later", async () => {
    const steps = await killAtEachStep(sized(3, 1), async (killer, label) => {
      const world = await createAlertWorld();
      const before = idsOf(world.store.place(3));
      await world.turnOn(world.start(killer)).catch(() => undefined);
      const life = world.start();
      const { alerts } = await life.guilds.get(guildId);
      if (alerts) expect(await polledIn(world.storage), label).toContain(guildId);
      await world.turnOn(life);
      const after = idsOf(world.store.place(2));
      await pollFor(world, life, minute);
      expect(timesPosted(world.channel, before), label).toEqual([0, 0, 0]);
      expect(timesPosted(world.channel, after), label).toEqual([1, 1]);
    });
    expect(steps).toBeGreaterThan(3);
  });
});

describe("forgetting a server", () => {
  /** Alerts are on, beside 80 orders that were there before and are older than any reading goes back. */
  async function oldWorld() {
    const world = await createAlertWorld();
    world.store.place(80);
    for (const order of world.store.orders) order.createdAt = world.now() - 30 * 24 * 60 * 60_000;
    const life = world.start();
    await world.turnOn(life);
    await pollFor(world, life, minute);
    return { world, old: world.store.orders.map(({ id }) => id) };
  }

  /** The daily comparison finds the bot in the server; a new order comes, and what is to be polled is polled. */
  async function goOn(world: AlertWorld, life: Life) {
    await life.guilds.reconcile(new Set([guildId]));
    world.store.place(1);
    for (let poll = 0; poll < 8; poll++) {
      for (const id of await polledIn(world.storage)) await life.alerts.poll(id);
      await life.alerts.idle();
      world.pass(15_000);
    }
  }

  /** What was begun is ended by doing it once more: nothing of the server is left. */
  async function expectForgotten(world: AlertWorld, life: Life) {
    await life.alerts.forget(guildId, () => forgetServer(world.storage, guildId));
    for (const name of ["guilds", "baseline"]) {
      expect(await world.storage.table(stored(name)).get(guildId), name).toBeUndefined();
    }
    for (const name of ["orders", "open", "outbox"]) {
      for await (const [id] of world.storage.table(stored(`${name}:${guildId}`)).entries()) expect.unreachable(id);
    }
    expect(await polledIn(world.storage)).toEqual([]);
  }

  it("keeps the server's record, without its token, until all else is deleted", async () => {
    const { world } = await oldWorld();
    const life = world.start();
    const failing = life.alerts.forget(guildId, () => Promise.reject(new Error("disk full")));
    await expect(failing).rejects.toThrow("disk full");
    expect(await life.guilds.find(guildId)).toMatchObject({ id: guildId });
    expect((await life.guilds.get(guildId)).token).toBeUndefined();
    await expectForgotten(world, life);
  });

  it("leaves no notice that was under way", async () => {
    const { world } = await oldWorld();
    const life = world.start();
    fails(world, "send", "forbidden");
    const notice = holdFirst(world, "tellOwner", "after");
    world.store.place(1);
    await life.alerts.poll(guildId);
    await notice.waits;
    const idle = life.alerts.idle();
    await life.alerts.forget(guildId, () => forgetServer(world.storage, guildId));
    notice.goOn();
    await idle;

    expect(await world.storage.table(noticesTable).get(guildId)).toBeUndefined();
  });

  it("leaves nothing that another process records", async () => {
    const { world } = await oldWorld();
    const polled = world.storage.table(polledTable, String(partitionOf(guildId)));
    const [mark = absent(guildId)] = await polled.read([guildId]);
    const fence = (alsoIfRecordChanged: boolean) => (alsoIfRecordChanged ? [] : [polled.expect(mark)]);
    const life = world.start(undefined, undefined, { ...rightIn(() => 1), fence });
    world.store.place(1);
    world.commits.before = async (steps) => {
      if (steps.every(({ table }) => table !== "witnesses")) return;
      world.commits.before = () => undefined;
      const other = world.start(undefined, undefined, standby);
      await other.alerts.forget(guildId, () => forgetServer(world.storage, guildId));
    };
    await life.alerts.poll(guildId);
    await life.alerts.idle();

    for (const name of ["guilds", "witnesses"]) {
      expect(await world.storage.table(stored(name)).get(guildId), name).toBeUndefined();
    }
  });

  it("announces no old order though the process is killed", async () => {
    const steps = await killAtEachStep(sized(3, 1), async (killer, label) => {
      const { world, old } = await oldWorld();
      await world
        .start(killer)
        .alerts.forget(guildId, () => forgetServer(world.storage, guildId))
        .catch(() => undefined);
      const next = world.start();
      await goOn(world, next);
      expect(timesPosted(world.channel, old), label).toEqual(old.map(() => 0));
      await expectForgotten(world, next);
    });
    expect(steps).toBeGreaterThan(3);
  });

  it("deletes a record that cannot be read, with all else", async () => {
    const { world } = await oldWorld();
    await world.storage.table(stored("guilds")).set(guildId, { id: guildId, settings: "broken" });
    await expectForgotten(world, world.start());
  });
});
