import { expect, it } from "vitest";
import type { ShowTakesOptions } from "../../../src/alerts/show-takes.ts";
import { createHandling } from "../../../src/handling/takes.ts";
import { ready } from "../../support/engine/alert-lives.ts";
import { type AlertWorld, guildId, type Life } from "../../support/engine/alert-world.ts";

/** From a card. `from`: the message that opened it. */
async function take(world: AlertWorld, { alerts, guilds }: Life, id: string, from?: ShowTakesOptions["from"]) {
  const handling = createHandling({ storage: world.storage, mayKeep: async () => [], now: world.now });
  await handling.press("take", { guildId, userId: "41", isManager: false }, id);
  await alerts.showTakes(await guilds.get(guildId), id, { from, pace: (_, edit) => edit() });
}

it("an alert without its embed shows who took the order, and gets no button without an order", async () => {
  const { world, life, poll } = await ready();
  const id = "x".repeat(80);
  for (const order of world.store.place(1)) order.id = id;
  await poll(1);
  const alert = world.channel.messages.at(-1);
  Object.assign(alert?.payload ?? {}, { embeds: [] });
  await take(world, life, id);
  expect(JSON.stringify(alert?.payload.components)).not.toContain('order:take:"');
});

it("an alert shows who took its order on a card after the order was cancelled", async () => {
  const { world, life, place, move } = await ready();
  const [id = ""] = await place();
  await move([id], "CANCELLED");
  await take(world, life, id);
  expect(world.channel.messages.at(-1)?.payload).toMatchObject({
    content: expect.stringContaining("🙋 Taken by <@41>"),
  });
});

it("an alert in Components V2, as version 0.1.0 posted it, stays as it is when a person takes its order", async () => {
  const { world, life, place } = await ready();
  const [id = ""] = await place();
  const alert = world.channel.messages.at(-1);
  Object.assign(alert?.payload ?? {}, { flags: 1 << 15 });
  await take(world, life, id);
  expect(alert?.edits).toBe(0);
});

it("a message about a refund that is no reply keeps the order's id when a person takes the order", async () => {
  const { world, life, place, move } = await ready({ statuses: ["PENDING", "PAID"] });
  const [id = ""] = await place();
  await life.alerts.turnOn(guildId, life.connected, { channelId: "999" });
  await move([id], "REFUNDED");
  const refund = world.channel.messages.at(-1);
  const told = structuredClone(refund?.payload);
  expect(told).toMatchObject({ content: expect.stringContaining(id.slice(0, 8)) });
  await take(world, life, id, { channelId: "999", messageId: refund?.id ?? "" });
  expect(refund?.payload).toEqual(told);
});
