import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { fails, holdFirst, pollOnce, ready } from "../support/alert-lives.ts";
import { channelId, createAlertWorld, guildId, idsOf, once, pollFor, timesPosted } from "../support/alert-world.ts";
import { hireIn } from "../support/crew.ts";

// Once `/alerts set` is answered, nothing begins to leave for the channel before.

const elsewhere = "3000000000000000003";
const minute = 60_000;

async function readyToMove() {
  const { world, life } = await ready({ statuses: ["PENDING", "PAID"] });
  const move = () => life.alerts.turnOn(guildId, life.connected, { channelId: elsewhere });
  const countIn = (place: string) => world.channel.messages.filter((message) => message.place === place).length;
  return { world, life, move, countIn };
}

describe("alerts that are set to another channel while one waits for its turn at Discord", () => {
  it("are posted there, though the bot may not read the one before", async () => {
    const { world, life, move } = await readyToMove();
    const ids = idsOf(world.store.place(2));
    fails(world, "own", "forbidden", { place: channelId });
    const { waits, goOn } = holdFirst(world, "send", "before");
    await life.alerts.poll(guildId);
    await waits;
    await move();
    goOn();
    await life.alerts.idle();
    await pollFor(world, life, minute);

    expect(timesPosted(world.channel, ids, elsewhere)).toEqual(once(ids));
    expect((await life.alerts.status(guildId)).lastError).toBeUndefined();
  });

  it.each([true, false])("are posted once where that one had left (the history may be read: %s)", async (isRead) => {
    const { world, life, move } = await readyToMove();
    const ids = idsOf(world.store.place(1));
    if (!isRead) fails(world, "own", "forbidden", { place: channelId });
    const { waits, goOn } = holdFirst(world, "send", "after");
    await life.alerts.poll(guildId);
    await waits;
    await move();
    world.pass(3_000);
    await life.alerts.poll(guildId);
    goOn();
    await pollFor(world, life, 10 * minute);

    expect(timesPosted(world.channel, ids)).toEqual(once(ids));
  });

  it.each(["forbidden", "channel_gone"] as const)(
    "are not posted again if the bot may have posted them in a channel that is %s, until that is known",
    async (code) => {
      const { world, life, move } = await readyToMove();
      fails(world, "send", "uncertain", { when: "after", place: channelId });
      const ids = idsOf(world.store.place(1));
      await pollOnce(life);
      world.channel.fault = (_, __, place) => {
        if (place === channelId) throw new MessengerError(code);
      };
      await move();
      await pollFor(world, life, 10 * minute);
      const isGone = code === "channel_gone";
      expect(timesPosted(world.channel, ids, elsewhere)).toEqual([isGone ? 1 : 0]);
      expect((await life.alerts.status(guildId)).planned).toBe(isGone ? 0 : 1);

      world.channel.fault = () => undefined;
      await pollFor(world, life, 10 * minute);
      expect(timesPosted(world.channel, ids, channelId)).toEqual([1]);
      expect(timesPosted(world.channel, ids, elsewhere)).toEqual([isGone ? 1 : 0]);
      expect((await life.alerts.status(guildId)).planned).toBe(0);
    },
  );

  it("are posted there alone where another process set them, and one is sent again", async () => {
    const world = await createAlertWorld();
    const hire = hireIn(world);
    const worker = hire();
    const other = hire();
    await worker.take();
    await world.turnOn(worker);
    await worker.hear();
    world.pass(1_000);
    const ids = idsOf(world.store.place(1));
    fails(world, "send", "uncertain");
    await pollOnce(worker);
    world.channel.fault = () => undefined;
    await other.alerts.turnOn(guildId, other.connected, { channelId: elsewhere });
    // It has not heard of that yet.
    world.pass(1_999);
    await pollOnce(worker);
    for (let turns = 0; turns < 4; turns++) await worker.turn();

    expect(timesPosted(world.channel, ids, channelId)).toEqual([0]);
    expect(timesPosted(world.channel, ids, elsewhere)).toEqual([1]);
  });

  it("leave the answer to an alert that is refused as a reply where the alert stands no more", async () => {
    const { world, life, move, countIn } = await readyToMove();
    world.store.place(1);
    await pollFor(world, life, minute);
    for (const order of world.store.orders) order.status = "PAID";
    let moved: Promise<unknown> | undefined;
    world.channel.fault = async (call, when) => {
      if (call !== "send" || when !== "before" || moved) return;
      moved = move();
      await moved;
      throw new MessengerError("forbidden");
    };
    await pollOnce(life);
    await moved;
    const before = countIn(channelId);
    await pollFor(world, life, minute);

    expect(countIn(channelId)).toBe(before);
    const rings = world.channel.messages.filter(({ payload }) => JSON.stringify(payload).includes("💰"));
    expect(rings.map(({ place }) => place)).toEqual([elsewhere]);
  });
});
