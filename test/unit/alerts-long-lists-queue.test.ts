import { expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import { createAlertWorld, idsOf, once, timesPosted } from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";

/** Two workers that take turns with a list of seven pages, which is sorted by nothing. */
async function crew() {
  const world = await createAlertWorld();
  const hire = hireIn(world);
  world.store.place(620);
  world.pass(60_000);
  world.store.capabilities.note("several", true);
  await world.turnOn(hire(), { statuses: ["PENDING", "PAID"] });
  const workers = [hire(), hire()];
  /** So many turns, the workers one after the other. */
  async function turns(count: number, before: () => void = () => undefined) {
    for (let turn = 0; turn < count; turn++) {
      before();
      await workers[turn % workers.length]?.turn();
    }
  }
  return { world, turns };
}

/** Its newest order goes to the middle of the list. */
function intoTheMiddle(orders: Order[]) {
  const [order] = orders.splice(0, 1);
  if (order === undefined) throw new Error("no order");
  orders.splice(350, 0, order);
  return order;
}

it("workers go round a long list together while an alert cannot be brought up to date, and know that it is to be", async () => {
  const { world, turns } = await crew();
  const [stale] = world.store.place(1);
  if (stale === undefined) throw new Error("no order");
  await turns(16);
  world.channel.fault = (call) => {
    if (call === "edit") throw new MessengerError("forbidden");
  };
  stale.status = "PAID";
  await turns(4);
  world.store.place(1);
  const { id } = intoTheMiddle(world.store.orders);
  const placed: string[] = [];
  await turns(12, () => placed.push(...idsOf(world.store.place(1))));

  expect(timesPosted(world.channel, [id])).toEqual([1]);
  expect(timesPosted(world.channel, placed)).toEqual(once(placed));
  world.channel.fault = () => undefined;
  world.pass(10 * 60_000);
  await turns(4);
  const alert = world.channel.messages.find(({ payload }) => JSON.stringify(payload).includes(stale.id));
  expect(alert?.edits).toBe(1);
});
