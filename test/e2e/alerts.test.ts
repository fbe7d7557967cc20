import { expect, it } from "vitest";
import { onSqlite } from "../support/bot-forms.ts";
import { allShown, timesShown } from "../support/shown-orders.ts";
import { connectStore, createWorld, setAlerts } from "../support/world.ts";
import { alertSuite } from "./alert-suite.ts";

alertSuite(onSqlite);

it("two processes started by mistake: the second one says so, nothing is doubled, and the one that is left goes on", async () => {
  await using world = await createWorld();
  const first = await world.start();
  const second = await world.start();
  await second.printed("another process polls on this storage already");
  await connectStore(world);
  await setAlerts(world);
  const place = (count: number) => world.store.placeOrders(count).map(({ id }) => id);
  const from = performance.now();
  const ids = place(1);
  await allShown(world, ids, 8_000);
  expect(performance.now() - from, "within a poll interval and a second").toBeLessThan(2_000);
  ids.push(...place(12));
  await allShown(world, ids, 8_000);
  await first.kill();
  ids.push(...place(1));
  await allShown(world, ids, 30_000);
  expect(timesShown(world, ids)).toEqual(ids.map(() => 1));
});
