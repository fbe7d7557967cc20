import { describe, expect, it, vi } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { become, contentOf, fails, ready } from "../support/alert-lives.ts";
import { type AlertWorld, guildId, pollFor } from "../support/alert-world.ts";
import { keysIn } from "../support/stored.ts";

const minute = 60_000;

const both = { statuses: ["PENDING", "PAID"], roleId: "3000000000000000003" };

const worldThatRings = (settings: { statuses: string[]; roleId?: string } = both) => ready(settings);

const replies = (world: AlertWorld) => world.channel.messages.filter(({ replyTo }) => replyTo !== undefined);

describe("an order that is paid after its alert was posted", () => {
  it("rings once more: a reply to the alert, with the role (0.1.0: an edit, which nobody hears)", async () => {
    const { world, life } = await worldThatRings();
    world.store.place(1);
    await pollFor(world, life, 15_000);
    const [alert] = world.channel.messages.slice(-1);
    become(world, "PAID");
    await pollFor(world, life, minute);
    const [reply, ...others] = replies(world);

    expect(others).toEqual([]);
    expect(reply?.replyTo).toBe(alert?.id);
    expect(contentOf(reply)).toBe("<@&3000000000000000003> 💰 Paid order · 5 · Pix · 1 × Product 000000000001");
    expect(JSON.stringify(alert?.payload)).toContain("Paid");
  });

  it("does not ring where only new orders do", async () => {
    const { world, life } = await worldThatRings({ statuses: ["PENDING"] });
    world.store.place(1);
    await pollFor(world, life, 15_000);
    become(world, "PAID");
    await pollFor(world, life, minute);

    expect(replies(world)).toEqual([]);
    expect(world.channel.messages.at(-1)?.edits).toBe(1);
  });

  it("rings in one reply with others of the same alert", async () => {
    const { world, life } = await worldThatRings();
    world.store.place(8);
    await pollFor(world, life, 15_000);
    become(world, "PAID");
    await pollFor(world, life, minute);

    expect(replies(world).map(contentOf)).toEqual(["<@&3000000000000000003> 💰 8 paid orders · 40"]);
  });

  it("rings although the reply is not taken at first, and the alert is edited when it could be sent", async () => {
    const { world, life } = await worldThatRings();
    world.store.place(1);
    await pollFor(world, life, 15_000);
    become(world, "PAID");
    let isDown = true;
    world.channel.fault = (call, when) => {
      if (isDown && call === "send" && when === "before") throw new MessengerError("uncertain");
    };
    await pollFor(world, life, minute);
    expect(replies(world)).toEqual([]);

    isDown = false;
    world.pass(10 * 60_000);
    await pollFor(world, life, minute);
    expect(replies(world)).toHaveLength(1);
    expect(world.channel.messages[1]?.edits).toBe(1);
  });
});

describe("a payment", () => {
  async function posted(statuses: string[], count = 1) {
    const { world, life } = await worldThatRings({ ...both, statuses });
    world.store.place(count);
    await pollFor(world, life, 15_000);
    return { world, life };
  }

  it.each([
    [
      ["PENDING", "COMPLETED"],
      ["PAID", "COMPLETED"],
    ],
    [["NOVO", "PAGO"], ["PAGO"]],
    [
      ["PENDING", "PAID"],
      ["EXPIRED", "PAID"],
    ],
    [["PENDENTE", "PAGO"], ["PAGO"]],
    [
      ["PENDING", "PAID"],
      ["PROCESSING", "PAID", "PENDING", "PAID", "DELIVERED", "PAID"],
    ],
  ])("rings once where %j ring and the order goes through %j", async (statuses, way) => {
    const { world, life } = await worldThatRings({ ...both, statuses });
    world.channel.nonces = false;
    for (const order of world.store.place(1)) order.status = statuses[0] ?? "";
    await pollFor(world, life, 15_000);
    for (const status of way) {
      become(world, status);
      await pollFor(world, life, 2 * minute);
    }

    expect(replies(world)).toHaveLength(1);
  });

  it("rings where alerts are now, whatever became of the old channel", async () => {
    const { world, life } = await posted(both.statuses);
    const before = world.channel.messages.length;
    await life.alerts.turnOn(guildId, world.store, { channelId: "999" });
    fails(world, "edit", "channel_gone");
    become(world, "PAID");
    await pollFor(world, life, minute);
    const rings = world.channel.messages.slice(before).filter((message) => contentOf(message)?.includes("💰"));

    expect(rings.map(({ place }) => place)).toEqual(["999"]);
  });

  it("waits for no edit that Discord does not take", async () => {
    const { world, life } = await posted(both.statuses, 2);
    fails(world, "edit", "uncertain");
    const [late, early] = world.store.orders;
    become(world, "CANCELLED", [early?.id ?? ""]);
    await pollFor(world, life, 30_000);
    become(world, "PAID", [late?.id ?? ""]);
    await pollFor(world, life, 30_000);

    expect(replies(world)).toHaveLength(1);
  });

  it("rings without being a reply where the history may not be read", async () => {
    const { world, life } = await posted(both.statuses);
    world.channel.refusesReplies = true;
    become(world, "PAID");
    await pollFor(world, life, minute);

    expect(world.channel.messages.filter((message) => contentOf(message)?.includes("💰"))).toHaveLength(1);
    expect(replies(world)).toEqual([]);
  });

  it("that comes while another one of the same alert is on its way is not forgotten", async () => {
    const { world, life } = await posted(both.statuses, 8);
    const [first, ...others] = world.store.orders.map(({ id }) => id);
    become(world, "PROCESSING", others);
    become(world, "PAID", [first ?? ""]);
    let isHeld = true;
    const { promise, resolve } = Promise.withResolvers<void>();
    world.channel.fault = async (call, when) => {
      if (isHeld && (call === "edit" || call === "send") && when === "before") await promise;
    };
    const under = life.alerts.poll(guildId);
    await under;
    become(world, "PAID", others);
    await life.alerts.poll(guildId);
    isHeld = false;
    resolve();
    await life.alerts.idle();
    await pollFor(world, life, 90_000);
    const marks = replies(world).map(({ payload }) => JSON.stringify(payload));
    const rung = [first ?? "", ...others].map((id) => marks.filter((mark) => mark.includes(id)).length);

    expect(rung).toEqual(rung.map(() => 1));
  });

  it.each([1, 8])("during a cancellation leaves none of the %i orders of the alert open", async (count) => {
    const { world, life } = await posted(both.statuses, count);
    const [paid = "", ...others] = world.store.orders.map(({ id }) => id);
    const { promise, resolve } = Promise.withResolvers<void>();
    world.channel.fault = async (call, when) => {
      if (call === "send" && when === "after") await promise;
    };
    become(world, "PAID", [paid]);
    become(world, "REFUNDED", others);
    await life.alerts.poll(guildId);
    await vi.waitFor(() => expect(replies(world)).not.toEqual([]));
    become(world, "CANCELLED", [paid]);
    await vi.waitFor(async () => {
      world.pass(15_000);
      await life.alerts.poll(guildId);
      expect(JSON.stringify(world.channel.messages[1]?.payload)).toContain("Cancelled");
      expect(await keysIn(world.storage, `outbox:${guildId}`)).not.toContainEqual(expect.stringContaining("edit"));
    });
    resolve();
    await pollFor(world, life, 5 * minute);

    expect(replies(world).length).toBeGreaterThan(0);
    expect(await keysIn(world.storage, `open:${guildId}`)).toEqual([]);
  });

  it("shows no customer in a channel that alerts have left", async () => {
    const { world, life } = await posted(both.statuses);
    await life.alerts.turnOn(guildId, world.store, { channelId: "999" });
    await life.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, privacy: "full" } }));
    become(world, "PAID");
    await pollFor(world, life, minute);
    const [, alert] = world.channel.messages;

    expect(alert?.edits).toBe(1);
    expect(JSON.stringify(alert?.payload)).not.toContain("ana@example.com");
  });
});

describe("an order that is paid already when it is first seen", () => {
  it("rings as paid, once", async () => {
    const { world, life } = await worldThatRings();
    world.store.place(1);
    become(world, "PAID");
    await pollFor(world, life, minute);

    expect(contentOf(world.channel.messages.at(-1))).toContain("💰 Paid order · 5");
    expect(replies(world)).toEqual([]);
  });
});
