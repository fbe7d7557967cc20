import { describe, expect, it } from "vitest";
import { ordersTable } from "../../src/orders/order-row.ts";
import { ready } from "../support/alert-lives.ts";
import { guildId, idsOf, once, pollFor, timesPosted } from "../support/alert-world.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Seven orders at once, which share messages, in a server with alerts on. */
async function posted() {
  const { world, life } = await ready();
  const orders = world.store.place(7);
  await pollFor(world, life, minute);
  const states = async () => {
    const found = await world.storage.table(ordersTable, guildId).getMany(idsOf(orders));
    return found.map((row) => row?.state);
  };
  return { world, life, orders, states };
}

describe("what is kept of an order", () => {
  it("is its content while another order of its message is followed, and then only its id", async () => {
    const { world, life, orders, states } = await posted();
    const [last, ...others] = orders;
    for (const order of others) order.status = "CANCELLED";
    await pollFor(world, life, minute);
    expect(await states()).toEqual(["open", ...others.map(() => "kept")]);

    if (last) last.status = "CANCELLED";
    await pollFor(world, life, minute);

    expect(await states()).toEqual(orders.map(() => "closed"));
  });

  it("stays for good: an order that stands in the list again after years does not ring", async () => {
    const { world, life, orders } = await posted();
    for (const order of orders) order.status = "PAID";
    await pollFor(world, life, minute);

    world.pass(3 * year);
    for (const order of orders) order.status = "PENDING";
    await pollFor(world, world.start(), 5 * minute);

    expect(timesPosted(world.channel, idsOf(orders))).toEqual(once(orders.map(({ id }) => id)));
  });

  it("is its content for 30 days, and then only its id, without an edit", async () => {
    const { world, life, states } = await posted();
    world.pass(30 * day + hour);
    await pollFor(world, life, minute);
    world.pass(hour);
    await pollFor(world, life, minute);

    expect(new Set(await states())).toEqual(new Set(["closed"]));
    expect(world.channel.messages.some(({ edits }) => edits > 0)).toBe(false);
  });

  it("is its content still when the clock was a month fast for some polls", async () => {
    const { world, states } = await posted();
    world.pass(31 * day);
    await pollFor(world, world.start(), minute);
    world.pass(-31 * day);
    await pollFor(world, world.start(), 2 * hour);

    expect(new Set(await states())).toEqual(new Set(["open"]));
  });
});
