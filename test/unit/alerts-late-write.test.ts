import { expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { createAlertWorld, idsOf, once, timesPosted } from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";

it("a worker that was suspended in mid-write, and writes when others have gone on, takes no order off what they owe", async () => {
  const world = await createAlertWorld();
  const hire = hireIn(world);
  await world.turnOn(hire());
  const sleeps = Promise.withResolvers<void>();
  const wakes = Promise.withResolvers<void>();
  const suspended = hire();
  const second = hire();
  await second.turn();
  // What is found stays owed.
  world.channel.fault = (call) => {
    if (call === "send") throw new MessengerError("forbidden");
  };
  const placed = idsOf(world.store.place(1));
  world.commits.before = () => {
    world.commits.before = () => undefined;
    sleeps.resolve();
    return wakes.promise;
  };
  const cutShort = suspended.turn();
  await sleeps.promise;
  await second.turn();
  placed.push(...idsOf(world.store.place(2)));
  await second.turn();
  wakes.resolve();
  await cutShort;
  // The second one dies, and the channel is mended.
  world.channel.fault = () => undefined;
  const third = hire();
  for (let turns = 0; turns < 4; turns++) await third.turn();

  expect(timesPosted(world.channel, placed)).toEqual(once(placed));
});
