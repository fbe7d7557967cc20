import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { onSqlite } from "../support/bot-forms.ts";
import { allShown, timesShown } from "../support/shown-orders.ts";
import { connectStore, createWorld, setAlerts, type World } from "../support/world.ts";
import { alertSuite } from "./alert-suite.ts";

alertSuite(onSqlite);

// What follows is about one process that polls by its own clock, whatever it is that keeps its data.
let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(async () => {
  expect(world.discord.refusals).toEqual([]);
  await world[Symbol.asyncDispose]();
});

const place = (count: number) => world.store.placeOrders(count).map(({ id }) => id);

/** Waits until the bot has read the order list this often from now on. */
async function polls(count: number) {
  const lists = () => world.store.requests.filter(({ path }) => path.endsWith("/checkout/order")).length;
  const before = lists();
  await world.store.waitFor(() => lists() >= before + count, `${count} polls`);
}

describe("one process on its own", () => {
  it("rings for a new order within a poll interval and a second", async () => {
    await world.start();
    await connectStore(world);
    await setAlerts(world);
    const from = performance.now();
    await allShown(world, place(1), 8_000);
    expect(performance.now() - from).toBeLessThan(2_000);
  });
});

describe("two processes started by mistake", () => {
  it("double nothing, and the second one says so", async () => {
    const first = await world.start();
    await connectStore(world);
    await setAlerts(world);
    const second = await world.start();
    const ids = place(12);
    await allShown(world, ids, 8_000);
    await polls(2);

    expect(timesShown(world, ids)).toEqual(ids.map(() => 1));
    expect(second.output()).toContain("another process polls on this storage already");

    await first.stop();
    await allShown(world, place(1), 15_000);
  });

  it("poll, whichever of them it is, the servers whose alerts were turned on after both had started", async () => {
    const first = await world.start();
    const second = await world.start();
    await second.printed("another process polls on this storage already");
    await connectStore(world);
    await setAlerts(world);
    await allShown(world, place(1), 15_000);
    await first.kill();
    await allShown(world, place(1), 30_000);
  });
});
