import { describe, expect, it } from "vitest";
import { StorageError } from "../../src/storage/table.ts";
import { type AlertWorld, createAlertWorld, guildId, idsOf, type Life, timesPosted } from "../support/alert-world.ts";

/** New and paid orders ring, in one list; the first order has its alert. */
async function begin(world: AlertWorld, life: Life, poll: () => Promise<unknown>) {
  world.store.capabilities.note("several", true);
  await world.turnOn(life, { statuses: ["PENDING", "PAID"] });
  const [paid] = world.store.place(1);
  await poll();
  if (paid === undefined) throw new Error("no order");
  return paid;
}

const repliesIn = ({ channel }: AlertWorld) => channel.messages.filter(({ replyTo }) => replyTo !== undefined);

describe("a payment that a poll has seen, which was cut short while it posted a new order,", () => {
  it("is rung for by the next one, where the storage failed", async () => {
    const world = await createAlertWorld();
    let isFull = false;
    const life = world.start();
    world.commits.before = () => {
      if (isFull) throw new StorageError("commit", new Error("disk full"));
    };
    const poll = async () => {
      await life.alerts.poll(guildId);
      await life.alerts.idle();
      world.pass(15_000);
    };
    const paid = await begin(world, life, poll);

    paid.status = "PAID";
    const placed = idsOf(world.store.place(1));
    world.channel.fault = (call, when) => {
      isFull ||= call === "send" && when === "after";
    };
    await poll();
    expect(repliesIn(world)).toHaveLength(0);
    isFull = false;
    world.channel.fault = () => undefined;
    for (let polls = 0; polls < 4; polls++) await poll();

    expect(timesPosted(world.channel, placed)).toEqual([1]);
    expect(repliesIn(world)).toHaveLength(1);
  });
});
