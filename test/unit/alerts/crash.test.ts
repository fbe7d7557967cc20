import { describe, expect, it } from "vitest";
import { forgetServer } from "../../../src/forget-server.ts";
import { noticesTable } from "../../../src/outbox/notices.ts";
import { codeOf } from "../../support/code-of.ts";
import { become, fails, holdFirst, holdPage, ready } from "../../support/engine/alert-lives.ts";
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
  timesPosted,
} from "../../support/engine/alert-world.ts";
import { hireIn } from "../../support/engine/crew.ts";
import { killAtEachStep } from "../../support/engine/killer.ts";
import { begin, feed, feedChannel, keysChannel, linesIn, rule } from "../../support/engine/rules-world.ts";
import { sized } from "../../support/sized.ts";
import { stored } from "../../support/stored.ts";

const minute = 60_000;

const paidChannel = "2000000000000000005";
const rules = [
  rule({ id: "paid", status: "PAID", channelId: paidChannel }),
  rule({ id: "all" }),
  feed({ id: "new" }),
  feed({ id: "paid-feed", status: "PAID" }),
];

/** What becomes of the orders, and the polls that follow. */
const life: readonly [status: string | undefined, afterMs: number, polls: number][] = [
  [undefined, 0, 3],
  [undefined, 31 * minute, 4],
  ["PAID", 0, 6],
  ["REFUNDED", 0, 8],
];

/** How often each order is in messages for which `fits` is true. */
const timesIn = (
  { channel }: AlertWorld,
  ids: readonly string[],
  fits: (message: Channel["messages"][number]) => boolean,
) => {
  const texts = channel.messages.filter(fits).map(({ payload }) => JSON.stringify(payload));
  return ids.map((id) => texts.filter((text) => text.includes(id)).length);
};

it.each([
  { orders: 1, nonces: true, routes: [] },
  { orders: 8, nonces: false, routes: [] },
  { orders: 7, nonces: false, routes: rules },
])(
  "a process killed at any step of the life of $orders orders has alerted, reminded of, rung for and answered each once",
  async ({ orders, nonces, routes }) => {
    const steps = await killAtEachStep(sized(orders < 8 ? 17 : 29, 1), async (killer, label) => {
      const { world, life: first } = await begin({ statuses: ["PENDING", "PAID"], roleId: "5" }, ...routes);
      world.channel.nonces = nonces;
      await first.alerts.remind(guildId, () => ({ afterMs: 30 * minute }));
      await first.alerts.idle();
      const ids = idsOf(world.store.place(orders));
      const dying = world.start(killer);
      let next: Life | undefined;
      for (const [status, afterMs, polls] of life) {
        world.pass(afterMs);
        if (status !== undefined) become(world, status);
        for (let poll = 0; poll < polls && !killer.killed; poll++) await pollFor(world, dying, 15_000);
        if (!killer.killed) continue;
        next ??= world.start();
        await pollFor(world, next, 3 * minute);
      }
      const isReply = (sign: string) => (message: Channel["messages"][number]) =>
        message.replyTo !== undefined && JSON.stringify(message.payload).includes(sign);
      const isAlert = ({ place, replyTo }: Channel["messages"][number]) =>
        replyTo === undefined && place === (routes.length > 0 ? keysChannel : channelId);
      for (const fits of [isAlert, isReply("⏰"), isReply("↩️")]) {
        expect(timesIn(world, ids, fits), label).toEqual(once(ids));
      }
      const byRules = routes.length > 0 ? [orders, 2 * orders] : [0, 0];
      expect([linesIn(world, paidChannel), linesIn(world, feedChannel)], label).toEqual(byRules);
      expect(timesIn(world, ids, isReply("💰")), label).toEqual(ids.map(() => (routes.length > 0 ? 0 : 1)));
      expect(JSON.stringify(world.channel.messages.findLast(isAlert)?.payload), label).toContain("Refunded");
    });
    expect(steps).toBeGreaterThan(30);
  },
);

it("a process killed at any step of turning alerts on never rings for what was there before, and rings for what comes later", async () => {
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

describe("forgetting a server", () => {
  const forget = ({ storage }: AlertWorld, { alerts }: Pick<Life, "alerts">) =>
    alerts.forget(guildId, () => forgetServer(storage, guildId));

  /** Forgetting a second time ends what was begun. Nothing of the server is left. */
  async function expectForgotten(world: AlertWorld, life: Life) {
    await forget(world, life);
    for (const name of ["guilds", "baseline"]) {
      expect(await world.storage.table(stored(name)).get(guildId), name).toBeUndefined();
    }
    for (const name of ["orders", "open", "outbox"]) {
      for await (const { key: id } of world.storage.table(stored(`${name}:${guildId}`)).rows()) expect.unreachable(id);
    }
    expect(await polledIn(world.storage)).toEqual([]);
  }

  it("keeps the server's record, without its token, until all else is deleted", async () => {
    const { world } = await ready({ before: 3 });
    const life = world.start();
    const failing = life.alerts.forget(guildId, () => Promise.reject(new Error("disk full")));
    await expect(failing).rejects.toThrow("disk full");
    expect(await life.guilds.find(guildId)).toMatchObject({ id: guildId });
    expect((await life.guilds.get(guildId)).token).toBeUndefined();
    await expectForgotten(world, life);
  });

  it("begins only if the same store is connected when no poll runs any more", async () => {
    const { world } = await ready({ before: 3 });
    const life = world.start();
    const page = holdPage(world);
    const polled = life.alerts.poll(guildId);
    await page.waits;
    const forgotten = life.alerts.forget(
      guildId,
      () => forgetServer(world.storage, guildId),
      async () => expect((await life.guilds.get(guildId)).token?.last4).not.toBe("5678"),
    );
    await life.guilds.connect(guildId, "token-5678");
    page.goOn();
    await polled;
    await expect(forgotten).rejects.toThrow();
    expect((await life.guilds.get(guildId)).token?.last4).toBe("5678");
  });

  it("leaves no notice that was under way", async () => {
    const { world } = await ready({ before: 3 });
    const life = world.start();
    fails(world, "send", "forbidden");
    const notice = holdFirst(world, "tellOwner", "after");
    world.store.place(1);
    await life.alerts.poll(guildId);
    await notice.waits;
    const idle = life.alerts.idle();
    await forget(world, life);
    notice.goOn();
    await idle;

    expect(await world.storage.table(noticesTable).get(guildId)).toBeUndefined();
  });

  it("leaves nothing that another process records", async () => {
    const { world } = await ready({ before: 3 });
    const hire = hireIn(world);
    const gateway = hire();
    let isArmed = true;
    const worker = hire({
      async before(steps) {
        if (!isArmed || steps.every(({ table }) => table !== "witnesses")) return;
        isArmed = false;
        await forget(world, gateway);
      },
    });
    world.store.place(1);
    await worker.turn();

    expect(isArmed).toBe(false);
    for (const name of ["guilds", "witnesses"]) {
      expect(await world.storage.table(stored(name)).get(guildId), name).toBeUndefined();
    }
  });

  it.each<[string, (life: Life) => Promise<unknown>]>([
    ["/alerts off", ({ alerts }) => alerts.turnOff(guildId)],
    ["/digest off", ({ alerts }) => alerts.turnDigestOff(guildId)],
    ["/digest set", async ({ alerts }) => codeOf(alerts.setDigest(guildId, { channelId, every: "day", hour: 9 }))],
  ])("leaves nothing if %s waits for it", async (_, command) => {
    const { world } = await ready({ before: 3 });
    const life = world.start();
    await Promise.all([forget(world, life), command(life)]);

    expect(await world.storage.table(stored("guilds")).get(guildId)).toBeUndefined();
    expect(await polledIn(world.storage)).toEqual([]);
  });

  it("leaves nothing for `/alerts remind`, which says that no store is connected", async () => {
    const { world } = await ready({ before: 3 });
    const life = world.start();
    await forget(world, life);
    expect(await codeOf(life.alerts.remind(guildId, () => ({ afterMs: minute })))).toBe("not_connected");
    expect(await world.storage.table(stored("guilds")).get(guildId)).toBeUndefined();
  });

  it.each(["guilds", "baseline"])("deletes a row of `%s` that cannot be read, with all else", async (name) => {
    const { world } = await ready({ before: 3 });
    await world.storage.table(stored(name)).set(guildId, { id: guildId, settings: "broken" });
    await expectForgotten(world, world.start());
  });
});
