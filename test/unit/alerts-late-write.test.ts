import { expect, it } from "vitest";
import { MessengerError } from "../../src/alerts/messenger.ts";
import type { SlotHold } from "../../src/poll-queue/slot-hold.ts";
import { createAlertWorld, guildId, idsOf, once, timesPosted } from "../support/alert-world.ts";
import { createPretendNotes } from "../support/pretend-notes.ts";
import { newProcess } from "../support/sharing-process.ts";

it("a worker that was suspended in mid-write, and writes when others have gone on, takes no order off what they owe", async () => {
  const world = await createAlertWorld();
  const redis = createPretendNotes();
  let holder: SlotHold | undefined;
  const hire = (wrap?: Parameters<typeof world.start>[1]) => {
    const { rights, right, turn } = newProcess(redis.connect());
    const life = world.start(undefined, wrap, right);
    life.guilds.onChanging((id) => rights.changed(id));
    life.guilds.onChange((id) => void rights.changed(id).catch(() => undefined));
    return {
      ...life,
      async turn() {
        holder?.end();
        const hold = await turn((begun) => {
          holder = begun;
        });
        await life.alerts.poll(guildId);
        await life.alerts.settled(guildId);
        hold.end();
        world.pass(15_000);
      },
    };
  };
  await world.turnOn(hire());
  const sleeps = Promise.withResolvers<void>();
  const wakes = Promise.withResolvers<void>();
  const suspended = hire((table, name) => ({
    ...table,
    async setMany(entries) {
      if (name === "id-list-parts") {
        sleeps.resolve();
        await wakes.promise;
      }
      await table.setMany(entries);
    },
  }));
  const second = hire();
  await second.turn();
  // What is found stays owed.
  world.channel.fault = (call) => {
    if (call === "send") throw new MessengerError("forbidden");
  };
  const placed = idsOf(world.store.place(1));
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
