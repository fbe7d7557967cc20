import { expect, it } from "vitest";
import { StoreError } from "../../src/store-api/store-api.ts";
import { type AlertWorld, guildId, type Life, pollFor } from "../support/alert-world.ts";
import { begin, repliesIn } from "../support/rules-world.ts";

const minute = 60_000;

it.each<[string, { orders: number; afterMs: number }, (world: AlertWorld, life: Life) => Promise<void>]>([
  ["and they are many", { orders: 60, afterMs: 30 * minute }, (world, life) => pollFor(world, life, 90 * minute)],
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
  await life.alerts.remind(guildId, { afterMs: given.afterMs });
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
