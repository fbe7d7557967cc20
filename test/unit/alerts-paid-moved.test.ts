import { expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { channelId, createAlertWorld, guildId } from "../support/alert-world.ts";

it("a payment that was rung for without an answer, in a channel that alerts have left since, is not rung for again", async () => {
  const world = await createAlertWorld();
  world.channel.nonces = false;
  const life = world.start();
  const poll = async () => {
    await life.alerts.poll(guildId);
    await life.alerts.idle();
    world.pass(60_000);
  };
  await world.turnOn(life, { statuses: ["PENDING", "PAID"] });
  const [order] = world.store.place(1);
  await poll();
  await life.alerts.turnOn(guildId, world.store, { channelId: "2000000000000000009" });
  world.channel.fault = (call, when) => {
    if (call === "send" && when === "after") throw new MessengerError("uncertain");
  };
  if (order) order.status = "PAID";
  await poll();
  world.channel.fault = () => undefined;
  await life.alerts.turnOn(guildId, world.store, { channelId });
  for (let polls = 0; polls < 4; polls++) await poll();

  const rings = world.channel.messages.filter(({ payload }) => JSON.stringify(payload).includes("💰 Paid order"));
  expect(rings.map(({ place }) => place)).toEqual(["2000000000000000009"]);
});
