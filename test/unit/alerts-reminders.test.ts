import { describe, expect, it } from "vitest";
import { durationIn, isQuiet, quietHoursOf, quietIn, type RemindSettings } from "../../src/guilds/remind-settings.ts";
import { createHandling } from "../../src/handling/takes.ts";
import { keyOf, outboxTable } from "../../src/orders/outbox-row.ts";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { StoreError } from "../../src/store-api/store-error.ts";
import { become, contentOf, fails, ready } from "../support/alert-lives.ts";
import { type AlertWorld, channelId, guildId, pollFor } from "../support/alert-world.ts";
import { backup } from "../support/backup.ts";
import { keysIn } from "../support/stored.ts";

const minuteMs = 60_000;
const roleId = "3000000000000000003";

async function worldThatReminds(settings: RemindSettings = { afterMs: 30 * minuteMs }) {
  const { world, life } = await ready({ statuses: ["PENDING", "PAID"], roleId });
  await life.alerts.remind(guildId, settings);
  await life.alerts.idle();
  return { world, life };
}

const reminders = (world: AlertWorld) => world.channel.messages.filter((message) => contentOf(message).includes("⏰"));
const handlingIn = (world: AlertWorld) =>
  createHandling({ storage: world.storage, mayKeep: async () => [], now: world.now });
const ana = { guildId, userId: "41", isManager: false };

describe("an order that nobody took", () => {
  it("is reminded of once, in a reply to its alert, with the role", async () => {
    const { world, life } = await worldThatReminds();
    world.store.place(1);
    await pollFor(world, life, 30_000);
    const alert = world.channel.messages.at(-1);
    world.pass(28 * minuteMs);
    await pollFor(world, life, minuteMs);
    expect(reminders(world)).toEqual([]);
    world.pass(2 * minuteMs);
    await pollFor(world, life, 2 * minuteMs);
    world.pass(100 * minuteMs);
    await pollFor(world, life, 2 * minuteMs);

    expect(reminders(world).map(contentOf)).toEqual([
      `<@&${roleId}> ⏰ Order still waiting · 5 · Pix · 1 × Product 000000000001\nNobody has taken it.`,
    ]);
    expect(reminders(world)[0]?.replyTo).toBe(alert?.id);
  });

  it.each<[string, readonly ("take" | "done")[], string | undefined, boolean]>([
    ["is done", ["take", "done"], "PENDING", true],
    ["was taken and moved on", ["take"], "PAID", true],
    ["was taken and moved on, and its alert does not say so yet", ["take"], "PAID", false],
    ["expired", [], "EXPIRED", true],
    ["expired, and its alert does not say so yet", [], "EXPIRED", false],
    ["is not in the store any more", [], undefined, true],
  ])("is not reminded of where it %s", async (_, presses, status, isShown) => {
    const { world, life } = await worldThatReminds();
    const [order] = world.store.place(1);
    await pollFor(world, life, 30_000);
    for (const press of presses) await handlingIn(world).press(press, ana, order?.id ?? "");
    if (status === undefined) world.store.orders.length = 0;
    else become(world, status);
    if (isShown) await pollFor(world, life, minuteMs);
    else fails(world, "edit", "uncertain");
    world.pass(60 * minuteMs);
    await pollFor(world, world.start(), 2 * minuteMs);
    expect(reminders(world)).toEqual([]);
  });

  it("is reminded of as its alert has it where the store gives nothing that can be read", async () => {
    const { world, life } = await worldThatReminds();
    world.store.place(1);
    await pollFor(world, life, 30_000);
    world.store.fault = ({ order }) => {
      if (order !== undefined) throw new StoreError("malformed", "GET order");
    };
    world.pass(60 * minuteMs);
    await pollFor(world, life, minuteMs);
    expect(reminders(world)).toHaveLength(1);
  });

  it("is reminded of after its status changed, and is not followed any more", async () => {
    const { world, life } = await worldThatReminds();
    world.store.place(1);
    await pollFor(world, life, 30_000);
    for (const order of world.store.orders) order.status = "PAID";
    await pollFor(world, life, minuteMs);
    world.pass(60 * minuteMs);
    await pollFor(world, life, minuteMs);
    expect(reminders(world)).toHaveLength(1);
  });

  it("is reminded of by name where somebody took it and nothing happened", async () => {
    const { world, life } = await worldThatReminds();
    const [order] = world.store.place(1);
    await pollFor(world, life, 30_000);
    await handlingIn(world).press("take", ana, order?.id ?? "");
    world.pass(60 * minuteMs);
    await pollFor(world, life, minuteMs);
    expect(reminders(world).map(contentOf)).toEqual([expect.stringContaining("🙋 Taken by <@41>")]);
  });

  it("waits for the end of the quiet hours, and for a store that is down, and holds up no new alert", async () => {
    const hour = new Date().getUTCHours();
    const quiet = { from: hour, to: (hour + 3) % 24, timeZone: "UTC" };
    const { world, life } = await worldThatReminds({ afterMs: 30 * minuteMs, quiet });
    world.store.place(1);
    await pollFor(world, life, 30_000);
    world.pass(60 * minuteMs);
    await pollFor(world, life, minuteMs);
    expect(reminders(world)).toEqual([]);
    world.pass(3 * 60 * minuteMs);
    let isDown = true;
    world.channel.fault = (call, when) => {
      const isReply = call === "send" && when === "before";
      if (isDown && isReply) throw new MessengerError("uncertain");
    };
    await pollFor(world, life, minuteMs);
    isDown = false;
    const [late] = world.store.place(1);
    world.pass(10 * minuteMs);
    await pollFor(world, life, 2 * minuteMs);
    expect(reminders(world)).toHaveLength(1);
    expect(JSON.stringify(world.channel.messages)).toContain(late?.id);
  });

  it("is not reminded of where alerts were turned off and on, or reminders off", async () => {
    const { world, life } = await worldThatReminds();
    world.store.place(1);
    await pollFor(world, life, 30_000);
    await life.alerts.turnOff(guildId);
    world.pass(minuteMs);
    await life.alerts.turnOn(guildId, life.connected, { channelId: "999" });
    world.pass(60 * minuteMs);
    await pollFor(world, life, minuteMs);
    world.store.place(1);
    await pollFor(world, life, 30_000);
    await life.alerts.remind(guildId, undefined);
    world.pass(60 * minuteMs);
    await pollFor(world, life, minuteMs);
    expect(reminders(world)).toEqual([]);
  });
});

it("at most 1,000 reminders of a server wait, and the oldest is left out", async () => {
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
  expect(waiting).toHaveLength(1_000);
  expect(waiting).not.toContain("reminder/old999");
});

describe("a storage that was restored from a backup", () => {
  it("has the channel reminded once of each order", async () => {
    const { world, life } = await worldThatReminds();
    world.channel.nonces = false;
    const restore = await backup(world);
    world.pass(minuteMs);
    const ids = world.store.place(4).map(({ id }) => id);
    await pollFor(world, life, minuteMs);
    world.pass(60 * minuteMs);
    await pollFor(world, life, 2 * minuteMs);
    const timesReminded = (of: readonly string[]) => {
      const texts = reminders(world).map(({ payload }) => JSON.stringify(payload));
      return of.map((id) => texts.filter((text) => text.includes(id)).length);
    };
    expect(timesReminded(ids)).toEqual(ids.map(() => 1));

    await restore();
    const next = world.start();
    const later = world.store.place(1).map(({ id }) => id);
    await pollFor(world, next, minuteMs);
    world.pass(60 * minuteMs);
    await pollFor(world, next, 2 * minuteMs);

    expect(timesReminded([...ids, ...later])).toEqual([...ids, ...later].map(() => 1));
  });
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
      const hours = quietHoursOf({ afterMs: minuteMs, quiet: { from: 22, to: 8, timeZone } }, zone);
      return hours && [0, 1, 10, 11].map((hour) => isQuiet(hours, at(hour)));
    };
    expect(quietAt("America/Sao_Paulo", "UTC")).toEqual([false, true, true, false]);
    // Where none was chosen for them, by the server's.
    expect(quietAt(undefined, "America/Sao_Paulo")).toEqual([false, true, true, false]);
    expect(quietAt("Mars/Base", "UTC")).toBeUndefined();
  });
});
