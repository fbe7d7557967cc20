import { describe, expect, it } from "vitest";
import { createAlertWorld, guildId, idsOf, timesPosted } from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";
import { sized } from "../support/sized.ts";

// One gateway and workers by a queue: something happens at each step of another one's work.

const minute = 60_000;
/** Steps from one run to the next; a run takes a second. */
const stride = sized(11, 1);

async function crew() {
  const world = await createAlertWorld();
  world.channel.nonces = false;
  const hire = hireIn(world);
  const other = async (letter: string) => {
    const away = await createAlertWorld();
    away.pass(world.now() - minute - away.now());
    for (const order of away.store.place(4)) order.id = letter.repeat(8) + order.id.slice(8);
    world.stores.set(`of ${letter}`, away.store);
    return away.store;
  };
  world.store.place(3);
  world.pass(minute);
  const gateway = hire();
  await world.turnOn(gateway);
  const first = hire();
  await first.turn();
  return { world, hire, other, gateway };
}

/** Does something after each read of one row, and before each commit. */
const around = (meanwhile: (op: string) => Promise<void>): Parameters<ReturnType<typeof hireIn>> => [
  (table, name) => ({
    ...table,
    get: async (...args) => {
      const got = await table.get(...args);
      await meanwhile(`after get ${name}`);
      return got;
    },
  }),
  { before: (steps) => meanwhile(`before commit ${steps.map(({ table }) => table).join()}`) },
];

describe("by a queue: while a worker takes another store's orders as seen", () => {
  it.each(["a third store is connected", "alerts are turned off", "privacy is changed"])("%s", async (what) => {
    const bad: string[] = [];
    for (let step = 0; step < 80; step += stride) {
      const { world, hire, other, gateway } = await crew();
      const b = await other("b");
      const c = await other("c");
      world.pass(minute);
      await gateway.alerts.connect(guildId, b, "token of b");
      let steps = 0;
      let isArmed = true;
      let at = "";
      const worker = hire(
        ...around(async (op) => {
          if (!isArmed || steps++ !== step) return;
          at = op;
          if (what === "a third store is connected") await gateway.alerts.connect(guildId, c, "token of c");
          else if (what === "alerts are turned off") await gateway.alerts.turnOff(guildId);
          else
            await gateway.guilds.update(guildId, (guild) => ({
              ...guild,
              settings: { ...guild.settings, privacy: "full" },
            }));
        }),
      );
      await worker.turn();
      isArmed = false;
      const isOver = steps <= step;
      if (isOver) break;
      await worker.turn();
      await worker.turn();
      await worker.turn();
      const guild = await gateway.guilds.get(guildId);
      const old = [...idsOf(b.orders), ...idsOf(c.orders)];
      const rung = timesPosted(world.channel, old);
      const isKept =
        what === "a third store is connected"
          ? guild.token?.last4 === "of c"
          : what === "alerts are turned off"
            ? !guild.alerts
            : guild.settings.privacy === "full";
      if (rung.some((n) => n > 0) || !isKept)
        bad.push(
          `step ${step}, ${at}: old ${rung.join()}, token ${guild.token?.last4}, alerts ${!!guild.alerts}, privacy ${guild.settings.privacy}`,
        );
    }
    expect(bad).toEqual([]);
  });
});

describe("by a queue: /alerts set in a gateway while a worker takes another store's orders as seen", () => {
  it.each([
    ["another channel", {}],
    ["a status more", { statuses: ["PENDING", "PAID"] }],
  ])("(%s)", async (_, more) => {
    const bad: string[] = [];
    for (let step = 0; step < 60; step += stride) {
      const { world, hire, other } = await crew();
      const b = await other("b");
      const old = idsOf(b.orders);
      const worker = hire();
      world.pass(minute);
      await hire().alerts.connect(guildId, b, "token of b");
      const fresh: string[] = [];
      const order = () => {
        for (const one of b.place(1)) {
          one.id = `f${one.id.slice(1)}`;
          one.createdAt = world.now();
          fresh.push(one.id);
        }
      };
      let steps = 0;
      const gateway = hire(
        ...around(async () => {
          if (steps++ !== step) return;
          await worker.turn();
          order();
          await worker.turn();
        }),
      );
      await gateway.alerts.turnOn(guildId, b, { channelId: "3000000000000000003", ...more });
      const isOver = steps <= step;
      await worker.turn();
      world.pass(minute);
      order();
      await worker.turn();
      await worker.turn();
      const olds = timesPosted(world.channel, old);
      const news = timesPosted(world.channel, fresh);
      if (olds.some((n) => n > 0) || news.some((n) => n !== 1))
        bad.push(`step ${step}: old ${olds.join()} new ${news.join()}`);
      if (isOver) break;
    }
    expect(bad).toEqual([]);
  });
});

describe("by a queue: the wrong store and the right one again while no worker polls", () => {
  it("rings for nothing that stood there", async () => {
    const { world, hire, other, gateway } = await crew();
    const before = idsOf(world.store.orders);
    const b = await other("b");
    world.pass(minute);
    await gateway.alerts.connect(guildId, b, "token of b");
    world.pass(15_000);
    await gateway.alerts.connect(guildId, world.store, "token of a");
    const worker = hire();
    await worker.turn();
    await worker.turn();
    expect(timesPosted(world.channel, before)).toEqual(before.map(() => 0));
  });
});

describe("by a queue: a worker suspended while it takes another store's orders as seen, and another one takes the slot", () => {
  it("rings once for what is new", async () => {
    const bad: string[] = [];
    for (let step = 0; step < 60; step += stride) {
      const { world, hire, other, gateway } = await crew();
      const b = await other("b");
      const old = idsOf(b.orders);
      world.pass(minute);
      await gateway.alerts.connect(guildId, b, "token of b");
      const second = hire();
      const fresh: string[] = [];
      const order = () => {
        for (const one of b.place(1)) {
          one.id = `f${one.id.slice(1)}`;
          one.createdAt = world.now();
          fresh.push(one.id);
        }
      };
      let steps = 0;
      let at = "";
      const first = hire(
        ...around(async (op) => {
          if (steps++ !== step) return;
          at = op;
          world.pass(30_000);
          await second.turn();
          order();
          await second.turn();
        }),
      );
      await first.turn();
      const isOver = steps <= step;
      order();
      for (const worker of [second, first, second]) await worker.turn();
      const olds = timesPosted(world.channel, old);
      const news = timesPosted(world.channel, fresh);
      if (olds.some((n) => n > 0) || news.some((n) => n !== 1))
        bad.push(`step ${step}, ${at}: old ${olds.join()} new ${news.join()}`);
      if (isOver) break;
    }
    expect(bad).toEqual([]);
  });
});
