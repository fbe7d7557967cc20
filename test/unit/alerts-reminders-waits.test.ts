import { queryObjects } from "node:v8";
import { expect, it } from "vitest";
import { Backoff } from "../../src/basics/limits/backoff.ts";
import { StoreError } from "../../src/store-api/store-api.ts";
import { fails } from "../support/alert-lives.ts";
import { type AlertWorld, guildId, type Life, pollFor } from "../support/alert-world.ts";
import { begin, repliesIn } from "../support/rules-world.ts";
import { whenLong } from "../support/sized.ts";

const minute = 60_000;
const remind = { afterMs: 5 * minute };

it.each<[string, { orders: number; afterMs: number }, (world: AlertWorld, life: Life) => Promise<void>]>([
  ["for an hour", { orders: 5, afterMs: 5 * minute }, (world, life) => pollFor(world, life, 60 * minute)],
  [
    "and polls are rare",
    { orders: 5, afterMs: 5 * minute },
    (world, life) => pollFor(world, life, 24 * 60 * minute, 10 * minute),
  ],
  ["and they are many", { orders: 120, afterMs: 60 * minute }, (world, life) => pollFor(world, life, 180 * minute)],
  [
    "and each poll is another worker's",
    { orders: 5, afterMs: 5 * minute },
    async (world, life) => {
      for (let polls = 0; polls < 240; polls++) {
        // Another one has written since.
        life.alerts.forgetMemory();
        await pollFor(world, life, 15_000);
      }
    },
  ],
])("orders that the store does not give %s hold no reminder of another one up", async (_, given, pollOn) => {
  const { world, life } = await begin({});
  await life.alerts.remind(guildId, {
    afterMs: given.afterMs,
  });
  const broken = new Set<string>();
  for (let count = 0; count < given.orders; count++) {
    for (const { id } of world.store.place(1)) broken.add(id);
    await pollFor(world, life, 15_000);
  }
  world.store.place(1);
  world.store.fault = ({ order }) => {
    if (order !== undefined && broken.has(order)) throw new StoreError("unavailable", "GET order");
  };
  await pollOn(world, life);
  expect(repliesIn(world)).toHaveLength(1);
});

it("a reminder does not wait on where its channel was mended", async () => {
  const { world, life } = await begin({});
  await life.alerts.remind(guildId, remind);
  world.store.place(1);
  await pollFor(world, life, minute);
  fails(world, "send", "forbidden");
  // The longest wait has just begun.
  let tries = 0;
  const fault = world.channel.fault;
  world.channel.fault = (call, when, place) => {
    if (call === "send") tries++;
    return fault(call, when, place);
  };
  await pollFor(world, life, 20 * minute);
  for (const before = tries; tries === before; ) await pollFor(world, life, 15_000);

  world.channel.fault = () => undefined;
  life.alerts.channelChanged(guildId);
  await pollFor(world, life, minute);
  expect(repliesIn(world)).toHaveLength(1);
});

whenLong(() => {
  it("orders that the store could not give leave nothing behind once nobody is to be reminded of them", async () => {
    const { world, life } = await begin({});
    world.store.fault = ({ order }) => {
      if (order !== undefined) throw new StoreError("unavailable", "GET order");
    };
    /** Reminders of four alerts wait, and are not wanted any more. */
    async function turnedOff() {
      await life.alerts.remind(guildId, remind);
      for (let count = 0; count < 4; count++) {
        world.store.place(1);
        await pollFor(world, life, 15_000);
      }
      await pollFor(world, life, 10 * minute);
      await life.alerts.remind(guildId, undefined);
      await pollFor(world, life, 2 * minute);
      return Number(queryObjects(Backoff));
    }
    const waits = await turnedOff();
    await turnedOff();
    expect(await turnedOff()).toBeLessThanOrEqual(waits);
  });
});
