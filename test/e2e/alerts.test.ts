import { expect, it } from "vitest";
import { customIdsOf, textOf } from "../sandbox/discord/discord.ts";
import { onPostgres, onRedis, onSqlite } from "../support/bot-forms.ts";
import { morePolls } from "../support/polls.ts";
import { alertOf, timesShown } from "../support/shown-orders.ts";
import { sized } from "../support/sized.ts";
import { connectStore, createWorld, setAlerts } from "../support/world.ts";

// `workers-commands.test.ts` has workers by a queue, with their data in Redis.
const forms = [onSqlite, onPostgres, ...sized([], [onRedis])];
it.each(forms.filter(({ isInstalled }) => isInstalled))(
  "a new order is in the channel once, is edited when it leaves PENDING, and mentions nothing that a customer wrote: $name",
  async (kind) => {
    await using form = await kind.open();
    await using world = await createWorld();
    await form.start(world);
    const before = world.store.placeOrders(3).map(({ id }) => id);
    await connectStore(world);
    const role = world.guild.role("Staff");
    expect(await setAlerts(world, { role })).toContain("3");
    const order = world.store.placeOrder({
      items: [{ productId: crypto.randomUUID(), productTitle: "@everyone <@&1> **free**", quantity: 1, price: 1 }],
    });
    const alert = await alertOf(world, order.id);
    expect(textOf(alert)).toContain(order.id);
    expect(textOf(alert)).not.toContain(order.customer.email);
    expect(customIdsOf(alert).join()).toContain(order.id);
    expect(alert.mention_roles).toEqual([role]);
    expect(alert.mention_everyone).toBe(false);

    world.store.setStatus(order.id, "PAID");
    await alertOf(world, order.id, (text) => text.includes("Paid"));
    await morePolls(world, 2);
    expect(timesShown(world, [...before, order.id])).toEqual([0, 0, 0, 1]);
  },
);
