import { describe, expect, it } from "vitest";
import { outboxTable } from "../../src/orders/outbox-row.ts";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { noticesTable } from "../../src/outbox/notices.ts";
import { type AlertWorld, channelId, guildId, pollFor } from "../support/alert-world.ts";
import { begin, feed, feedChannel, keysChannel, linesIn, rule, setRoutes, setStatus } from "../support/routes-world.ts";

const minute = 60_000;

async function waiting({ storage }: AlertWorld): Promise<number> {
  let count = 0;
  for await (const _ of storage.table(outboxTable, guildId).entries()) count += 1;
  return count;
}
const close = (world: AlertWorld) => {
  world.channel.fault = (call, when) => {
    if (call === "send" && when === "before") throw new MessengerError("forbidden");
  };
};

describe("rings by rules that cannot be posted", () => {
  it("pile up no further than alerts, and all are posted in the end", async () => {
    const { world, life } = await begin({}, rule({ status: "PAID" }));
    close(world);
    world.store.place(9_000);
    for (const [index, order] of world.store.orders.entries()) world.store.orders[index] = { ...order, status: "PAID" };
    await pollFor(world, life, 3 * minute);
    expect(await waiting(world)).toBeGreaterThanOrEqual(5_000);
    expect(await waiting(world)).toBeLessThan(7_500);

    world.channel.fault = () => undefined;
    life.alerts.channelChanged(guildId);
    await pollFor(world, life, 10 * minute);
    expect(linesIn(world, keysChannel)).toBe(9_000);
  }, 60_000);

  it("wait up to 1,000 for each feed, and hold up neither reading nor another feed", async () => {
    const { world, life } = await begin({}, feed({ status: "PAID" }), feed({ id: "sound", status: "PAID", channelId }));
    world.channel.fault = (call, when, place) => {
      if (call === "send" && when === "before" && place === feedChannel) throw new MessengerError("forbidden");
    };
    for (let round = 0; round < 2; round += 1) {
      for (const order of world.store.place(600)) order.status = "PAID";
      await pollFor(world, life, 3 * minute);
    }
    expect(await waiting(world)).toBe(1_000);
    expect(linesIn(world, channelId)).toBe(1_200);
  });

  it("go when alerts are turned off, and no table is walked for it but the index of what is open", async () => {
    const { world } = await begin({}, rule({ status: "PAID" }), feed({ status: "PAID" }));
    const walked: string[] = [];
    const life = world.start(undefined, (table, name) => ({
      ...table,
      entries() {
        walked.push(name);
        return table.entries();
      },
      clear() {
        walked.push(name);
        return table.clear();
      },
    }));
    await pollFor(world, life, minute);
    close(world);
    const [order] = world.store.place(1);
    setStatus(world, order?.id ?? "", "PAID");
    await pollFor(world, life, minute);
    expect(await waiting(world)).toBe(2);
    walked.length = 0;
    await life.alerts.turnOff(guildId);
    expect(walked).toEqual([`open:${guildId}`]);
    expect(await waiting(world)).toBe(0);
  });
});

it("what is wrong with a rule's channel is forgotten with the rule", async () => {
  const { world, life } = await begin({}, feed({ id: "first" }));
  world.channel.fault = (call, when, place) => {
    if (call === "send" && when === "before" && place === feedChannel) throw new MessengerError("forbidden");
  };
  for (const id of ["second", "third", "fourth"]) {
    world.store.place(1);
    await pollFor(world, life, minute);
    await setRoutes(world, life, feed({ id }));
    await pollFor(world, life, 10 * minute);
  }
  world.store.place(1);
  await pollFor(world, life, minute);
  const notices = await world.storage.table(noticesTable).get(guildId);
  expect(Object.keys(notices?.routes ?? {})).toEqual(["fourth"]);
});
