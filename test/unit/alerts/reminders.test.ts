import { describe, expect, it } from "vitest";
import { isQuiet, quietHoursOf, quietIn } from "../../../src/guilds/quiet-hours.ts";
import { durationIn, type RemindSettings } from "../../../src/guilds/remind-settings.ts";
import { createHandling } from "../../../src/handling/takes.ts";
import { keyOf, outboxTable } from "../../../src/orders/outbox-row.ts";
import { become, contentOf, fails, orderFails, ready, storeFails } from "../../support/engine/alert-lives.ts";
import {
  type AlertWorld,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  pollFor,
} from "../../support/engine/alert-world.ts";
import { backup } from "../../support/engine/backup.ts";
import { hireIn } from "../../support/engine/crew.ts";
import { keysIn } from "../../support/stored.ts";

const minuteMs = 60_000;
const roleId = "3000000000000000003";

async function worldThatReminds(settings: RemindSettings = { afterMs: 30 * minuteMs }) {
  const scene = await ready({ statuses: ["PENDING", "PAID"], roleId });
  await scene.life.alerts.remind(guildId, () => settings);
  await scene.life.alerts.idle();
  return scene;
}

const reminders = (world: AlertWorld) => world.channel.messages.filter((message) => contentOf(message).includes("⏰"));
const handlingIn = (world: AlertWorld) =>
  createHandling({ storage: world.storage, mayKeep: async () => [], now: world.now });
const ana = { guildId, userId: "41", isManager: false };

describe("an order that nobody took", () => {
  it.each<[string, readonly ("take" | "done")[], string | undefined, boolean]>([
    ["is done", ["take", "done"], "PENDING", true],
    ["was taken and moved on", ["take"], "PAID", true],
    ["was taken and moved on, and its alert does not say so yet", ["take"], "PAID", false],
    ["expired", [], "EXPIRED", true],
    ["expired, and its alert does not say so yet", [], "EXPIRED", false],
    ["is not in the store any more", [], undefined, true],
  ])("is not reminded of where it %s", async (_, presses, status, isShown) => {
    const { world, place, poll } = await worldThatReminds();
    const [id = ""] = await place(1, 0.5);
    for (const press of presses) await handlingIn(world).press(press, ana, id);
    if (status === undefined) world.store.orders.length = 0;
    else become(world, status);
    if (isShown) await poll(1);
    else fails(world, "edit", "uncertain");
    world.pass(60 * minuteMs);
    await poll(2, world.start());
    expect(reminders(world)).toEqual([]);
  });

  it.each<[string, (world: AlertWorld, id: string) => unknown, RegExp]>([
    ["after its status changed", (world) => become(world, "PAID"), /Nobody has taken it/],
    ["by name where somebody took it", (world, id) => handlingIn(world).press("take", ana, id), /🙋 Taken by <@41>/],
    [
      "as its alert has it where the store's answer is malformed",
      (world) => orderFails(world, "malformed"),
      /Nobody has/,
    ],
  ])("is reminded of %s", async (_, happen, words) => {
    const { world, place, poll } = await worldThatReminds();
    const [id = ""] = await place(1, 0.5);
    await happen(world, id);
    await poll(1);
    world.pass(60 * minuteMs);
    await poll(1);
    expect(reminders(world).map(contentOf)).toEqual([expect.stringMatching(words)]);
  });

  it("is reminded of by the time that was set last; while reminders are off, a new alert gets none", async () => {
    const { world, life, place, poll } = await worldThatReminds({ afterMs: 120 * minuteMs });
    await place(1, 0.5);
    await life.alerts.remind(guildId, () => ({ afterMs: 5 * minuteMs }));
    world.pass(6 * minuteMs);
    await poll(1);
    expect(reminders(world)).toHaveLength(1);

    await life.alerts.remind(guildId, () => undefined);
    await place(1, 0.5);
    await life.alerts.remind(guildId, () => ({ afterMs: 5 * minuteMs }));
    world.pass(60 * minuteMs);
    await poll(2);
    expect(reminders(world)).toHaveLength(1);
  });

  it("is reminded of with its id if the alert is in another channel, because the reminder is no reply then", async () => {
    const { world, life, place, poll } = await worldThatReminds();
    const [id = ""] = await place(1, 0.5);
    await life.alerts.turnOn(guildId, life.connected, { channelId: "999" });
    world.pass(60 * minuteMs);
    await poll(1);
    expect(reminders(world).map(({ replyTo }) => replyTo)).toEqual([undefined]);
    expect(reminders(world).map(contentOf)).toEqual([expect.stringContaining(`\nID \`${id.slice(0, 8)}\``)]);
  });

  it("waits for the end of the quiet hours", async () => {
    const hour = new Date().getUTCHours();
    const quiet = { from: hour, to: (hour + 3) % 24, timeZone: "UTC" };
    const { world, place, poll } = await worldThatReminds({ afterMs: 30 * minuteMs, quiet });
    await place(1, 0.5);
    world.pass(60 * minuteMs);
    await poll(1);
    expect(reminders(world)).toEqual([]);
    world.pass(3 * 60 * minuteMs);
    await poll(2);
    expect(reminders(world)).toHaveLength(1);
  });

  it("is not reminded of where alerts were turned off and on, or reminders off", async () => {
    const { world, life, place, poll } = await worldThatReminds();
    await place(1, 0.5);
    await life.alerts.turnOff(guildId);
    world.pass(minuteMs);
    await life.alerts.turnOn(guildId, life.connected, { channelId: "999" });
    world.pass(60 * minuteMs);
    await poll(1);
    await place(1, 0.5);
    await life.alerts.remind(guildId, () => undefined);
    world.pass(60 * minuteMs);
    await poll(1);
    expect(reminders(world)).toEqual([]);
  });
});

it.each([
  ["and they are many", 20, 15, false],
  ["and each poll is another worker's", 5, 5, true],
])(
  "orders that the store does not give %s hold up no reminder of another one",
  async (_, orders, minutes, isByTurns) => {
    const { world, life, place } = await worldThatReminds({ afterMs: minutes * minuteMs });
    const broken: string[] = [];
    for (let count = 0; count < orders; count++) broken.push(...(await place(1, 0.25)));
    world.store.place(1);
    orderFails(world, "unavailable", (id) => broken.includes(id));
    for (let polls = 0; polls < 100; polls++) {
      // As if another process had written since.
      if (isByTurns) life.alerts.forgetMemory();
      await pollFor(world, life, 15_000);
    }
    expect(reminders(world)).toHaveLength(1);
  },
);

it.each([1, 8])("%i workers that poll a server by turns remind it by the next tick", async (count) => {
  const world = await createAlertWorld();
  const hire = hireIn(world);
  const crew = Array.from({ length: count }, () => hire());
  const [first] = crew;
  if (!first) throw new Error("nobody is there");
  await world.turnOn(first);
  await first.alerts.remind(guildId, () => ({ afterMs: 5 * minuteMs }));
  world.store.place(1);
  const begun = world.now();
  for (let tick = 0; reminders(world).length === 0 && tick < 100; tick++) {
    // Other processes forget what they know when one writes.
    if (tick === 19) world.store.place(1);
    await crew[tick % count]?.turn();
  }
  expect((reminders(world)[0]?.at ?? Number.POSITIVE_INFINITY) - begun).toBeLessThan(5 * minuteMs + 30_000);
});

it("at most 1,000 reminders of a server wait, and a further alert gets none", async () => {
  const { world } = await worldThatReminds();
  const reminder = { kind: "reminder", channelId, orderIds: ["o"], attempts: [] } as const;
  const rows = Array.from({ length: 1_000 }, (_, index) => {
    const row = { ...reminder, messageId: `old${index}`, foundAt: world.now() - index };
    return [keyOf(row), row] as const;
  });
  await world.storage.table(outboxTable, guildId).setMany(rows);
  world.store.place(1);
  await pollFor(world, world.start(), 15_000);
  const waiting = await keysIn(world.storage, `${outboxTable.name}:${guildId}`);
  expect(waiting.filter((key) => key.startsWith("reminder/old"))).toHaveLength(1_000);
  expect(waiting).toHaveLength(1_000);
});

it("a storage that was restored from a backup has the channel reminded once of each order", async () => {
  const { world, place, poll } = await worldThatReminds();
  world.channel.nonces = false;
  const restore = await backup(world);
  world.pass(minuteMs);
  const ids = await place(4);
  world.pass(60 * minuteMs);
  await poll(2);
  const timesReminded = () => {
    const texts = reminders(world).map(({ payload }) => JSON.stringify(payload));
    return ids.map((id) => texts.filter((text) => text.includes(id)).length);
  };
  expect(timesReminded()).toEqual([1, 1, 1, 1]);

  await restore();
  const next = world.start();
  ids.push(...idsOf(world.store.place(1)));
  await poll(1, next);
  world.pass(60 * minuteMs);
  await poll(2, next);
  expect(timesReminded()).toEqual([1, 1, 1, 1, 1]);
});

describe("what is typed", () => {
  it.each([
    ["30 minutes", 30 * minuteMs],
    ["30", undefined],
    ["2h", 120 * minuteMs],
    ["1 dia", 1_440 * minuteMs],
    ["8 days", undefined],
    ["0m", undefined],
    ["soon", undefined],
    ["45 minutos", 45 * minuteMs],
    ["3 horas", 180 * minuteMs],
    ["1 month", undefined],
    ["1h30", undefined],
  ])("%s is %s ms", (typed, ms) => expect(durationIn(typed)).toBe(ms));

  it.each([
    ["22-8", { from: 22, to: 8 }],
    ["22:00 – 8h", { from: 22, to: 8 }],
    ["8-8", undefined],
    ["24-8", undefined],
  ])("%s are %s", (typed, quiet) => expect(quietIn(typed)).toEqual(quiet));

  it("is quiet by the clock of the time zone", () => {
    const at = (hour: number) => Date.UTC(2026, 10, 22, hour);
    const quietAt = (timeZone: string | undefined, zone: string) => {
      const hours = quietHoursOf({ from: 22, to: 8, timeZone }, zone);
      return hours && [0, 1, 10, 11].map((hour) => isQuiet(hours, at(hour)));
    };
    expect(quietAt("America/Sao_Paulo", "UTC")).toEqual([false, true, true, false]);
    // Without a zone of their own, the server's zone counts.
    expect(quietAt(undefined, "America/Sao_Paulo")).toEqual([false, true, true, false]);
    expect(quietAt("Mars/Base", "UTC")).toBeUndefined();
  });
});

it("a reminder says who took the order while the store was asked about it", async () => {
  const { world, place, poll } = await worldThatReminds();
  const [id = ""] = await place(1, 0.5);
  const { getOrder } = world.store;
  world.store.getOrder = async (which, signal) => {
    const order = await getOrder(which, signal);
    world.store.getOrder = getOrder;
    await handlingIn(world).press("take", ana, id);
    return order;
  };
  world.pass(40 * minuteMs);
  await poll(2);
  expect(reminders(world).map((message) => contentOf(message).includes("<@41>"))).toEqual([true]);
});

it("an order that is done and cannot be read holds up no reminder of the others in its message", async () => {
  const { world, place, poll } = await worldThatReminds();
  const [bad = ""] = await place(8, 0.5);
  for (const press of ["take", "done"] as const) await handlingIn(world).press(press, ana, bad);
  orderFails(world, "unavailable", (id) => id === bad);
  world.pass(31 * minuteMs);
  await poll(10);
  expect(reminders(world)).toHaveLength(1);
});

it.each<[string, (world: AlertWorld, id: string) => void]>([
  ["one of its orders", (world, bad) => orderFails(world, "unavailable", (id) => id === bad)],
  ["anything", (world) => storeFails(world, "unavailable")],
])("a reminder waits for a day while the store does not give %s, and `/alerts status` says so", async (_, fail) => {
  const { world, life, place, poll } = await worldThatReminds();
  const [bad = ""] = await place(8, 0.5);
  fail(world, bad);
  world.pass(31 * minuteMs);
  await poll(5);
  expect(reminders(world)).toEqual([]);
  expect((await life.alerts.status(guildId)).lastError?.code).toBe("unavailable");
  world.pass(24 * 60 * minuteMs);
  await poll(5);
  expect(reminders(world)).toHaveLength(1);
});

it("an order that the store did not give once is read again: its alert may show an earlier status", async () => {
  const { world, place, poll } = await worldThatReminds();
  const [late = "", ...others] = await place(8, 0.5);
  become(world, "CANCELLED", [late]);
  let isFirst = true;
  orderFails(world, "unavailable", (id) => {
    const isMeant = isFirst && id === late;
    if (isMeant) isFirst = false;
    return isMeant;
  });
  world.pass(31 * minuteMs);
  await poll(1);
  const [text = ""] = reminders(world).map((message) => JSON.stringify(message.payload));
  expect([late, ...others].map((id) => text.includes(id))).toEqual([false, ...others.map(() => true)]);
});

it("a reminder asks for no other order after one without an answer: replies in its channel wait meanwhile", async () => {
  const { world, place, poll } = await worldThatReminds();
  const [first] = await place(8, 0.5);
  const asked: string[] = [];
  orderFails(world, "timeout", (id) => asked.push(id) > 0);
  world.pass(31 * minuteMs);
  await poll(0.25);
  expect(asked).toEqual([first]);
});
