import { describe, expect, it } from "vitest";
import { type ApiMessage, textOf } from "../sandbox/discord/discord.ts";
import { createBotClock } from "../support/bot-clock.ts";
import { allShown } from "../support/shown-orders.ts";
import { whenLong } from "../support/sized.ts";
import { connectStore, createWorld, run, setAlerts, type World } from "../support/world.ts";

const dayMs = 24 * 60 * 60_000;

const messagesIn = ({ discord, guild }: World, channel: string): readonly ApiMessage[] =>
  discord.messages(guild.channel(channel));
const shown = (world: World, channel: string, text: string) =>
  world.discord.waitFor(
    () => messagesIn(world, channel).find((message) => textOf(message).includes(text)),
    `${text} in #${channel}`,
    90_000,
  );

describe("an order that is paid back a day after its payment", () => {
  it("is shown so and answered once, in a rule's channel and in a message of several", async () => {
    await using world = await createWorld();
    const guild = world.discord.addGuild({ channels: ["new-orders", "staff", "large"], roles: [{ name: "Staff" }] });
    const here: World = { ...world, guild };
    const clock = createBotClock(world.directory);
    const bot = await world.start(clock.environment);
    await connectStore(here);
    await setAlerts(here, { role: guild.role("Staff"), statuses: "PENDING,PAID" });
    await run(here, "alerts route add", { name: "Large", channel: guild.channel("large"), from: "1000" }).settled();
    const large = world.store.placeOrder({ pricing: { subtotal: 2_000, discount: 0, total: 2_000 } });
    const several = world.store.placeOrders(7).map(({ id }) => id);
    await allShown(here, several, 30_000);
    await shown(here, "large", large.id);
    for (const id of [large.id, ...several]) world.store.setStatus(id, "PAID");
    await shown(here, "new-orders", "7 paid orders");
    await shown(here, "large", "Paid order");

    await clock.set(bot, dayMs);
    const [back = ""] = several;
    for (const id of [large.id, back]) world.store.setStatus(id, "REFUNDED");
    const reply = await shown(here, "large", "↩️ Refunded");
    const other = await shown(here, "new-orders", "↩️ Refunded");
    const alertIn = (channel: string) =>
      world.discord.waitFor(
        () =>
          messagesIn(here, channel).find(
            (message) => message.content.includes("🔔") && textOf(message).includes("Refunded"),
          ),
        "the edit",
        60_000,
      );
    const alerts = [await alertIn("large"), await alertIn("new-orders")];

    expect([reply, other].map(({ mention_roles }) => mention_roles)).toEqual([[], []]);
    expect([reply, other].map(({ message_reference }) => message_reference?.message_id)).toEqual(
      alerts.map(({ id }) => id),
    );
    const replies = ["large", "new-orders"].flatMap((channel) =>
      messagesIn(here, channel).filter(({ content }) => content.startsWith("↩️")),
    );
    expect(replies).toHaveLength(2);
  }, 180_000);
});

whenLong(() => {
  describe("a launch: a new product in a new category", () => {
    it("has all of 200 orders in its first minute in the rule's channel, or with a line that its category is not known", async () => {
      await using world = await createWorld();
      const guild = world.discord.addGuild({ channels: ["new-orders", "staff", "keys"] });
      const here: World = { ...world, guild };
      world.store.seedProducts(300);
      await world.start();
      await connectStore(here);
      await setAlerts(here);
      const category = world.store.products[0]?.categoryId ?? "";
      await run(here, "alerts route add", { name: "Keys", channel: guild.channel("keys"), category }).settled();
      world.store.fail({ path: /catalog\/product/, delayMs: 2_000 });
      const { id: productId, info } = world.store.addProduct({ categoryId: category });
      const items = [{ productId, productTitle: info.title, quantity: 1, price: 5 }];
      const ids = world.store.placeOrders(200, () => ({ items })).map(({ id }) => id);
      const sorted = () => {
        const inKeys = messagesIn(here, "keys").map(textOf).join();
        const unsure = messagesIn(here, "new-orders")
          .map(textOf)
          .filter((text) => text.includes("The store did not say which category this is in"))
          .join();
        return ids.filter((id) => `${inKeys}${unsure}`.includes(id.slice(0, 8))).length;
      };

      await world.discord.waitFor(() => (sorted() === ids.length ? true : undefined), "all orders", 90_000);
    }, 150_000);
  });
});
