import { expect, it } from "vitest";
import { openOrdersTable } from "../../src/alerts/ledger.ts";
import { MessengerError } from "../../src/alerts/messenger.ts";
import { createAlertWorld, guildId, idsOf, timesPosted } from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";
import { storedBefore } from "../support/stored.ts";

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

it("a gateway says how much 0.1.0 left to be posted and to be edited before any worker has taken it over", async () => {
  const { world, hire } = await crew(true);
  const [gateway, worker] = [hire(), hire()];
  const order = { id: "", status: "PENDING", items: [], total: 5, paymentMethod: "PIX" };
  const owed = (id: string) => ({ state: "owed", order: { ...order, id }, channelIds: ["c"], foundAt: 1 });
  const posted = (id: string) => ({ ...owed(id), state: "posted", channelId: "c", messageId: "m", batch: [id] });
  const left = { a: owed("a"), b: posted("b"), c: posted("c") };
  const entries = world.storage.table(storedBefore(`ledger:${guildId}`));
  for (const [id, entry] of Object.entries(left)) await entries.set(id, entry);
  await world.storage.table(storedBefore(openOrdersTable.name)).set(guildId, [...Object.keys(left), "gone"]);

  for (let looks = 0; looks < 2; looks++) {
    expect(await gateway.alerts.status(guildId)).toMatchObject({ owed: 1, followed: 2 });
  }

  world.channel.fault = () => {
    throw new MessengerError("refused");
  };
  await worker.turn();
  expect(await world.storage.table(openOrdersTable).get(guildId)).toBeUndefined();
  expect(await gateway.alerts.status(guildId)).toMatchObject({ owed: 1, followed: 2 });
});
