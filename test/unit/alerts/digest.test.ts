import { describe, expect, it, vi } from "vitest";
import { forgetServer } from "../../../src/forget-server.ts";
import { digestStatesTable } from "../../../src/outbox/digest-due.ts";
import { createDigestSums } from "../../../src/outbox/digest-sums.ts";
import { MessengerError } from "../../../src/outbox/messenger.ts";
import { noticesTable } from "../../../src/outbox/notices.ts";
import type { Store } from "../../../src/store-api/store-api.ts";
import { StoreError } from "../../../src/store-api/store-error.ts";
import { fails, holdPage } from "../../support/engine/alert-lives.ts";
import {
  type AlertWorld,
  channelId,
  createAlertWorld,
  guildId,
  type Life,
  polledIn,
  pollFor,
} from "../../support/engine/alert-world.ts";
import { killAtEachStep } from "../../support/engine/killer.ts";
import { marksOf } from "../../support/marks-of.ts";
import { sized } from "../../support/sized.ts";

const hourMs = 60 * 60_000;

/** At 10:00 UTC, with 3 orders of the day. */
async function worldAtTen() {
  const world = await createAlertWorld();
  const midnight = Math.ceil(world.now() / (24 * hourMs)) * 24 * hourMs;
  world.pass(midnight + 10 * hourMs - world.now());
  await world.start().guilds.connect(guildId, "token-1234");
  world.store.place(3);
  return world;
}

const elsewhere = "3000000000000000003";
const daily = { channelId, every: "day", hour: 9, timezone: "UTC" } as const;

/** With a digest, at 10:00 UTC. */
async function withDigest(plan: Parameters<Life["alerts"]["setDigest"]>[1] = daily) {
  const world = await worldAtTen();
  const life = world.start();
  await life.alerts.setDigest(guildId, plan);
  return { world, life };
}

/** Waits for all work that follows. */
async function poll(life: Life) {
  const ms = await life.alerts.poll(guildId);
  await life.alerts.settled();
  return ms;
}

/** In a life that ends after this. */
async function setDaily(world: AlertWorld) {
  const life = world.start();
  await life.alerts.setDigest(guildId, daily);
  await poll(life);
}

/** By the custom ids of their buttons. */
const digests = ({ channel }: AlertWorld, place?: string) =>
  channel.messages
    .filter((message) => place === undefined || message.place === place)
    .flatMap(({ payload }) => marksOf(payload.components).filter((mark) => mark.startsWith("stats:today:")));
const textOf = ({ channel }: AlertWorld) => JSON.stringify(channel.messages.at(-1)?.payload);

/** Direct messages to the owner. */
const digestNotices = ({ channel }: AlertWorld) =>
  channel.ownerNotices.filter((notice) => JSON.stringify(notice).includes("/digest set")).length;

describe("a daily digest", () => {
  it("comes at its hour, once, with the figures of the day before, though alerts are off", async () => {
    const { world, life } = await withDigest();
    expect(await polledIn(world.storage)).toEqual([guildId]);
    // Without other polls at that time, the polls of all servers are spread over 20 s after the hour.
    const spread = ((await poll(life)) ?? 0) - 23 * hourMs;
    expect(spread).toBeGreaterThanOrEqual(0);
    expect(spread).toBeLessThan(20_000);
    world.pass(23 * hourMs - 1);
    expect(await poll(life)).toBe(spread + 1);
    expect(digests(world)).toEqual([]);
    world.pass(1);
    await pollFor(world, life, 5 * 60_000);
    await poll(life);
    expect(digests(world)).toHaveLength(1);
    expect(textOf(world)).toContain("**Orders:** 3 · previous day: 0");
    expect(textOf(world)).not.toContain("late");
    world.pass(24 * hourMs);
    await poll(life);
    expect(new Set(digests(world)).size).toBe(2);
  });

  it.each(["turned off", "moved"])("that was %s during the reading is not in its old channel", async (what) => {
    const { world, life } = await withDigest();
    await poll(life);
    world.pass(23 * hourMs);
    const { waits, goOn } = holdPage(world);
    await life.alerts.poll(guildId);
    await waits;
    if (what === "moved") await life.alerts.setDigest(guildId, { ...daily, channelId: elsewhere });
    else await life.alerts.turnDigestOff(guildId);
    goOn();
    await life.alerts.settled();
    await poll(life);

    expect(digests(world, channelId)).toEqual([]);
  });

  it("says when the next one really comes where its hour is put off after today's", async () => {
    const { world, life } = await withDigest();
    await poll(life);
    world.pass(23 * hourMs);
    await poll(life);
    expect(digests(world)).toHaveLength(1);

    expect(await life.alerts.setDigest(guildId, { ...daily, hour: 20 })).toBe(world.now() + 35 * hourMs);
  });

  it("that was missed is posted once, the latest alone, and says so", async () => {
    const world = await worldAtTen();
    await setDaily(world);
    world.pass(3 * 24 * hourMs);
    const life = world.start();
    await poll(life);
    await poll(life);
    expect(digests(world)).toHaveLength(1);
    expect(textOf(world)).toContain("This digest is late");
    expect(textOf(world)).toContain("could not post: 2.");
  });

  it.each(["posted", "chosen"])("comes at its hour after it was %s while the clock was ten days fast", async (what) => {
    const world = await worldAtTen();
    const aheadMs = 10 * 24 * hourMs;
    if (what === "posted") await setDaily(world);
    world.pass(aheadMs);
    if (what === "chosen") await setDaily(world);
    else await poll(world.start());
    const before = digests(world).length;
    world.pass(-aheadMs);
    const life = world.start();
    await poll(life);
    for (const day of [1, 2]) {
      world.pass(day === 1 ? 23 * hourMs : 24 * hourMs);
      await poll(life);
      await poll(life);
    }
    expect(JSON.stringify(world.channel.messages.slice(before))).not.toContain("Earlier digests");
    const since = digests(world).slice(before);
    // A digest that is due at once may have been posted before the clock was known to be wrong.
    expect(new Set(since).size).toBe(since.length);
    const days = [0, 1].map((later) => new Date(world.now() - later * 24 * hourMs).toISOString().slice(0, 10));
    for (const day of days) expect(since.filter((mark) => mark.endsWith(`day.${day}`))).toHaveLength(1);
  });

  it("that may have been posted while the clock was an hour fast comes no second time", async () => {
    const { world, life } = await withDigest();
    world.channel.nonces = false;
    await poll(life);
    world.pass(23 * hourMs);
    fails(world, "send", "uncertain", { when: "after" });
    await poll(life);
    world.pass(-hourMs);
    await poll(life);
    world.channel.fault = () => undefined;
    await pollFor(world, life, 2 * hourMs, 60_000);
    expect(digests(world)).toHaveLength(1);
  });

  it("waits with timers that do not overflow after a clock was a month fast", async () => {
    const world = await worldAtTen();
    await setDaily(world);
    fails(world, "send", "forbidden");
    world.pass(30 * 24 * hourMs);
    await poll(world.start());
    world.pass(-30 * 24 * hourMs);
    const timers = vi.spyOn(globalThis, "setTimeout");
    await poll(world.start());
    const waits = timers.mock.calls.flatMap(([, ms]) => ms ?? []);
    timers.mockRestore();
    expect(waits).not.toEqual([]);
    expect(Math.max(...waits)).toBe(24 * hourMs);
  });

  it("goes by the server's time zone, also after that was changed, where none was chosen for it", async () => {
    const world = await worldAtTen();
    const life = world.start();
    const { timezone: _, ...place } = daily;
    const polls = vi.spyOn(life.alerts, "poll");
    const setZone = async (timezone: string) => {
      await life.alerts.changeSettings(guildId, (settings) => ({ ...settings, timezone }));
      return (await Promise.all(polls.mock.results.map(({ value }) => value))).at(-1);
    };
    await setZone("America/Sao_Paulo");
    // 07:00 in São Paulo.
    expect(await life.alerts.setDigest(guildId, place)).toBe(world.now() + 2 * hourMs);
    expect(await life.alerts.setDigest(guildId, daily)).toBe(world.now() + 23 * hourMs);
    await life.alerts.setDigest(guildId, place);
    await poll(life);
    // 10:00 UTC is 19:00 in Tokyo. However rare polls are, the next one is then.
    expect(Math.floor((await setZone("Asia/Tokyo")) / hourMs)).toBe(14);
    world.pass(14 * hourMs);
    await poll(life);
    expect(digests(world)).toHaveLength(1);
    expect(textOf(world)).toContain("Tokyo");
  });

  it("is not late for an hour that is over in the server's new time zone, and comes at the next one", async () => {
    const world = await worldAtTen();
    const life = world.start();
    const { timezone: _, ...place } = daily;
    await life.alerts.setDigest(guildId, { ...place, hour: 0 });
    world.pass(14 * hourMs);
    await poll(life);
    // In Tokyo midnight was an hour ago.
    world.pass(16 * hourMs);
    await life.alerts.changeSettings(guildId, (settings) => ({ ...settings, timezone: "Asia/Tokyo" }));
    await poll(life);
    expect(digests(world)).toHaveLength(1);
    world.pass(23 * hourMs);
    await poll(life);
    expect(digests(world)).toHaveLength(2);
    expect(textOf(world)).not.toContain("late");
  });

  it("ends with /digest off, and with the server", async () => {
    const { world, life } = await withDigest({ ...daily, timezone: "America/Sao_Paulo" });
    await life.alerts.turnDigestOff(guildId);
    expect(await polledIn(world.storage)).toEqual([]);
    expect((await life.guilds.get(guildId)).digest).toEqual({ timezone: "America/Sao_Paulo" });
    world.pass(48 * hourMs);
    await poll(life);
    expect(digests(world)).toEqual([]);
    await life.alerts.forget(guildId, () => forgetServer(world.storage, guildId));
    expect(await life.guilds.find(guildId)).toBeUndefined();
    expect(await world.storage.table(digestStatesTable).get(guildId)).toBeUndefined();
  });

  it("that waited when digests were turned off is not posted weeks later", async () => {
    const { world, life } = await withDigest();
    fails(world, "send", "forbidden", { place: channelId });
    world.pass(23 * hourMs);
    await poll(life);
    await life.alerts.turnDigestOff(guildId);
    world.channel.fault = () => undefined;
    world.pass(14 * 24 * hourMs);
    await life.alerts.setDigest(guildId, daily);
    await poll(life);
    await poll(life);
    expect(digests(world)).toEqual([]);
  });

  it("waits for a store that is down, and holds no alert up", async () => {
    const world = await worldAtTen();
    const life = world.start();
    await world.turnOn(life);
    await life.alerts.setDigest(guildId, daily);
    world.pass(23 * hourMs);
    // Only the reading of a digest asks for no status.
    let isDown = true;
    world.store.fault = ({ statuses, order }) => {
      if (isDown && statuses === undefined && order === undefined) throw new Error("down");
    };
    const [order] = world.store.place(1);
    await poll(life);
    expect(digests(world)).toEqual([]);
    expect(JSON.stringify(world.channel.messages)).toContain(order?.id);
    isDown = false;
    world.pass(60_000);
    await poll(life);
    expect(digests(world)).toHaveLength(1);
  });
});

it("digests that are stopped at once delay no other", async () => {
  const world = await worldAtTen();
  const { storage, now } = world;
  const sums = createDigestSums({ storage, guilds: { mayKeep: async () => undefined }, now });
  const read = vi.fn(() => Promise.reject(new StoreError("unavailable", "GET orders")));
  const store = { listOrders: read } as unknown as Store;
  const guild = await world.start().guilds.get(guildId);
  const of = (signal: AbortSignal) =>
    sums(guild, { every: "day", day: "2026-05-03" }, { store, throttle: async () => undefined, signal });
  for (let digest = 0; digest < 8; digest++) {
    const stop = new AbortController();
    const stopped = of(stop.signal);
    stop.abort();
    await expect(stopped).rejects.toThrow();
  }
  await expect(of(new AbortController().signal)).rejects.toThrow(StoreError);
});

it("a channel that cannot be posted in is told to the owner once, also if alerts are turned off in between", async () => {
  const { world, life } = await withDigest();
  await world.turnOn(life, { statuses: ["PENDING"] });
  let isLost = true;
  world.channel.fault = (call) => {
    if (isLost && call !== "tellOwner") throw new MessengerError("forbidden");
  };
  world.pass(23 * hourMs);
  await pollFor(world, life, 5 * 60_000);
  expect(digestNotices(world)).toBe(1);
  await life.alerts.turnOff(guildId);
  world.pass(10 * 60_000);
  await poll(life);
  expect(digestNotices(world)).toBe(1);
  isLost = false;
  life.alerts.channelChanged(guildId);
  world.pass(60_000);
  await poll(life);
  expect(digests(world)).toHaveLength(1);
  expect(await world.storage.table(noticesTable).get(guildId)).toMatchObject({ problems: {} });
});

it("a process killed at any step of a digest leaves it in the channel exactly once after a restart", async () => {
  const steps = await killAtEachStep(sized(3, 1), async (killer, label) => {
    const world = await worldAtTen();
    world.channel.nonces = false;
    await setDaily(world);
    world.pass(23 * hourMs);
    const dying = world.start(killer);
    for (let count = 0; count < 3 && !killer.killed; count++) await poll(dying);
    const next = world.start();
    for (let count = 0; count < 3; count++) {
      world.pass(60_000);
      await poll(next);
    }
    expect(digests(world), label).toHaveLength(1);
  });
  expect(steps).toBeGreaterThanOrEqual(6);
});

it("a row of an order that a later version wrote does not hold up the digest", async () => {
  const world = await worldAtTen();
  const life = world.start();
  await world.turnOn(life);
  await life.alerts.setDigest(guildId, daily);
  await poll(life);
  const [order] = world.store.place(1);
  await world.storage.writeRaw([{ table: `orders:${guildId}`, key: order?.id ?? "", raw: '{"value":{},"v":9}' }]);
  for (let polls = 0; polls < 25; polls++) {
    world.pass(hourMs);
    await poll(life);
  }
  expect((await life.alerts.status(guildId)).lastError?.code).toBe("storage");
  expect(digests(world)).toHaveLength(1);
});
