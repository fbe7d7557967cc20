import { expect, it } from "vitest";
import { createAlertWorld, guildId, idsOf, once, timesPosted } from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";

it.each([
  ["/alerts off calls it off", "off"],
  ["another setting has it sent by the next poll", "setting"],
])("an alert that waits for Discord's limit in a worker: %s", async (_, what) => {
  const world = await createAlertWorld();
  const hire = hireIn(world);
  const [gateway, worker] = [hire(), hire()];
  await world.turnOn(gateway);
  const waits = Promise.withResolvers<void>();
  const mayGo = Promise.withResolvers<void>();
  world.channel.fault = async (call, when) => {
    if (call !== "send" || when !== "before") return;
    waits.resolve();
    await mayGo.promise;
  };
  const orders = idsOf(world.store.place(1));
  await worker.take();
  await worker.hear();
  const poll = worker.alerts.poll(guildId);
  await waits.promise;
  if (what === "off") await gateway.alerts.turnOff(guildId);
  else {
    await gateway.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, privacy: "full" } }));
  }
  // Every second it hears of what others have changed.
  await worker.hear();
  for (let moment = 0; moment < 5; moment++) await new Promise(setImmediate);
  mayGo.resolve();
  await poll;
  expect(timesPosted(world.channel, orders)).toEqual([0]);
  await worker.turn();
  await worker.turn();
  expect(timesPosted(world.channel, orders)).toEqual(what === "off" ? [0] : once(orders));
});
