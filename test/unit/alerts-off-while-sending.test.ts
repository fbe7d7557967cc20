import { expect, it, vi } from "vitest";
import { createAlertWorld, guildId, idsOf, once, timesPosted } from "../support/alert-world.ts";
import { createPretendNotes } from "../support/pretend-notes.ts";
import { newProcess } from "../support/sharing-process.ts";

it.each([
  ["/alerts off calls it off", "off"],
  ["another setting has it sent by the next poll", "setting"],
])("an alert that waits for Discord's limit in a worker: %s", async (_, what) => {
  const world = await createAlertWorld();
  const redis = createPretendNotes();
  const hire = () => {
    const wire = redis.connect();
    const { rights, right, turn } = newProcess(wire);
    const life = world.start(undefined, undefined, right);
    life.guilds.onChanging((id) => rights.changed(id));
    life.guilds.onChange((id) => void rights.changed(id).catch(() => undefined));
    return { ...life, wire, turn };
  };
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
  await worker.turn();
  const poll = worker.alerts.poll(guildId);
  await waits.promise;
  if (what === "off") await gateway.alerts.turnOff(guildId);
  else {
    await gateway.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, privacy: "full" } }));
  }
  // It is looked at each second whether the send is still wanted.
  const commands = worker.wire.sent.length;
  await vi.waitFor(() => expect(worker.wire.sent.length).toBeGreaterThan(commands), 5_000);
  for (let moment = 0; moment < 5; moment++) await new Promise(setImmediate);
  mayGo.resolve();
  await poll;
  expect(timesPosted(world.channel, orders)).toEqual([0]);
  await worker.turn();
  world.pass(15_000);
  await worker.alerts.poll(guildId);
  expect(timesPosted(world.channel, orders)).toEqual(what === "off" ? [0] : once(orders));
});
