import { describe, expect, it } from "vitest";
import { MessengerError } from "../../../src/outbox/messenger.ts";
import { become, pollOnce, ready } from "../../support/engine/alert-lives.ts";
import { type AlertWorld, channelId, guildId, type Life } from "../../support/engine/alert-world.ts";
import { stored } from "../../support/stored.ts";

// Discord bans an address for 10,000 answers of 401, 403 and 429 within 10 minutes. One server must take a small part of them.

const second = 1_000;
const minute = 60 * second;

/** Refuses and counts every call to the channels. */
function close(world: AlertWorld) {
  const state = { refused: 0, isClosed: true };
  world.channel.fault = (_, when) => {
    if (!state.isClosed || when !== "before") return;
    state.refused++;
    throw new MessengerError("forbidden");
  };
  return state;
}

/** In each second, somebody changes a role. The server is polled whenever a poll asks for it, and every 15 s. */
async function toggle(world: AlertWorld, life: Life, ms: number, everySecond: () => void = () => undefined) {
  let nextPoll = world.now();
  for (const end = world.now() + ms; world.now() < end; world.pass(second)) {
    everySecond();
    life.alerts.channelChanged(guildId);
    await life.alerts.idle();
    if (world.now() < nextPoll) continue;
    const askedMs = (await pollOnce(life)) ?? 15 * second;
    nextPoll = world.now() + Math.min(Math.max(askedMs, second), 15 * second);
  }
}

it("a role toggled every second in a server whose channel takes nothing makes under 200 refused requests", async () => {
  const { world, life, place } = await ready();
  await place(5, 0.25);
  // A new alert, an edit and the message to the owner are refused.
  const closed = close(world);
  become(world, "PAID");
  let seconds = 0;
  await toggle(world, life, 10 * minute, () => {
    if (seconds++ % 30 === 0) world.store.place(1);
  });

  expect(closed.refused).toBeGreaterThan(10);
  expect(closed.refused).toBeLessThan(200);
});

it("alerts that wait for a channel are counted and dropped when alerts are turned off", async () => {
  const { world, life, place, alertsOf } = await ready();
  const closed = close(world);
  const ids = await place(3, 0.25);
  expect(await life.alerts.turnOff(guildId)).toBe(3);
  closed.isClosed = false;
  await life.alerts.turnOn(guildId, life.connected, { channelId });
  world.pass(10 * minute);
  await pollOnce(life);
  expect(alertsOf(ids)).toEqual([0, 0, 0]);
});

describe("a channel that its owner mends", () => {
  async function lost() {
    const scene = await ready();
    const state = close(scene.world);
    // Long enough that the waits between two tries are minutes.
    const ids = await scene.place(1, 30);
    const rang = () => scene.alertsOf(ids)[0] === 1;
    return { ...scene, state, rang, poll: () => pollOnce(scene.life) };
  }

  it("while the outbox is being written rings at once (before: up to 5 minutes later)", async () => {
    const { world, life, state, rang } = await lost();
    await life.alerts.remind(guildId, () => ({ afterMs: 30 * minute }));
    const reminder = { kind: "reminder", channelId, messageId: "m", orderIds: ["o"], foundAt: world.now() };
    await world.storage.table(stored<unknown>(`outbox:${guildId}`)).set("reminder/m", reminder);
    const next = world.start();
    await pollOnce(next);
    // The start of a process counts as a change, and only one change in 10 s causes a try.
    world.pass(10 * second);
    world.commits.before = (steps) => {
      if (!steps.some(({ key }) => key === "reminder/m")) return;
      state.isClosed = false;
      next.alerts.channelChanged(guildId);
    };
    // The next poll removes the reminder.
    await next.alerts.remind(guildId, () => undefined);
    await next.alerts.idle();
    expect(state.isClosed).toBe(false);
    expect(rang()).toBe(true);
  });

  it("rings at the next poll if another process tells of the change", async () => {
    const { world, life, state, rang, poll } = await lost();
    state.isClosed = false;
    world.pass(10 * second);
    life.alerts.changedElsewhere([guildId]);
    await poll();
    expect(rang()).toBe(true);
  });

  it("after many changes rings within 10 s of the last one (0.1.0: a try for each of them)", async () => {
    const { world, life, state, rang, poll } = await lost();
    for (let changes = 0; changes < 40; changes++) {
      state.isClosed = changes < 39;
      life.alerts.channelChanged(guildId);
      await life.alerts.idle();
      await poll();
      if (changes < 39) world.pass(second);
    }
    world.pass(10 * second);
    await poll();
    expect(rang()).toBe(true);
  });
});
