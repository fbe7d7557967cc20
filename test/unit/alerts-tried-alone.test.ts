import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { createAlertWorld, guildId, idsOf, once, timesPosted } from "../support/alert-world.ts";

describe.each([true, false])("orders that Discord refused together (nonces %s)", (nonces) => {
  it("ring once where the first one, tried alone, gets no clear answer", async () => {
    const world = await createAlertWorld();
    world.channel.nonces = nonces;
    const life = world.start();
    await world.turnOn(life);
    const placed = idsOf(world.store.place(8));
    let sends = 0;
    world.channel.fault = (call, when) => {
      if (call !== "send" || when !== "before") return;
      sends++;
      if (sends === 1) throw new MessengerError("refused");
      if (sends === 2) throw new MessengerError("uncertain");
    };
    for (let polls = 0; polls < 6; polls++) {
      await life.alerts.poll(guildId);
      await life.alerts.idle();
      world.pass(60_000);
    }
    expect(timesPosted(world.channel, placed)).toEqual(once(placed));
  });

  it("ring once where each alone is refused as well, until the channel is mended", async () => {
    const world = await createAlertWorld();
    world.channel.nonces = nonces;
    const life = world.start();
    await world.turnOn(life);
    const placed = idsOf(world.store.place(8));
    let isRefused = true;
    world.channel.fault = (call, when) => {
      if (call === "send" && when === "before" && isRefused) throw new MessengerError("refused");
    };
    for (let polls = 0; polls < 6; polls++) {
      await life.alerts.poll(guildId);
      await life.alerts.idle();
      world.pass(60_000);
      if (polls !== 2) continue;
      isRefused = false;
      life.alerts.channelChanged(guildId);
    }
    expect(timesPosted(world.channel, placed)).toEqual(once(placed));
  });
});
