import { expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { createAlertWorld, idsOf, timesPosted } from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";

/** Workers by a queue; `nonces`: whether Discord drops a repeat. */
async function crew(nonces: boolean) {
  const world = await createAlertWorld();
  world.channel.nonces = nonces;
  const hire = hireIn(world);
  world.store.place(3);
  world.pass(60_000);
  const gateway = hire();
  await world.turnOn(gateway);
  return { world, hire };
}

it.each([
  ["alone", 0, false],
  ["with others, in one message", 6, true],
])("an order that another worker sent without an answer is not sent again (%s)", async (_, more, nonces) => {
  const { world, hire } = await crew(nonces);
  const [first, second] = [hire(), hire()];
  await first.turn();
  // Discord is away: the first worker finds one order, and another one while it waits.
  world.channel.fault = (call) => {
    if (call === "send") throw new MessengerError("uncertain");
  };
  world.store.place(1);
  await first.turn(100);
  const [order = ""] = idsOf(world.store.place(1));
  await first.turn(100);
  // The second one: the first order is refused, and of the other one the message arrives, but its answer does not.
  let sends = 0;
  world.channel.fault = (call, when) => {
    if (call !== "send") return;
    if (when === "before" && ++sends <= 2) throw new MessengerError("refused");
    if (when === "after") throw new MessengerError("uncertain");
  };
  await second.turn(100);
  expect(timesPosted(world.channel, [order])).toEqual([1]);
  world.channel.fault = () => undefined;
  world.store.place(more);
  await first.turn(60_000);
  await first.turn();
  await first.turn();
  expect(timesPosted(world.channel, [order])).toEqual([1]);
});
