import { describe, expect, it, vi } from "vitest";
import { become, contentOf, fails, holdFirst, ready } from "../support/alert-lives.ts";
import { guildId, idsOf, pollFor } from "../support/alert-world.ts";
import { repliesIn } from "../support/rules-world.ts";
import { keysIn } from "../support/stored.ts";

const minute = 60_000;
const role = "3000000000000000003";

/** A server with alerts for these statuses, in which so many orders were just alerted. */
async function posted(statuses = ["PENDING", "PAID"], count = 1) {
  const { world, life } = await ready({ statuses, roleId: role });
  const ids = idsOf(world.store.place(count));
  become(world, statuses[0] ?? "");
  await pollFor(world, life, 15_000);
  const move = async (status: string, some: readonly string[] = ids, ms = 2 * minute) => {
    become(world, status, some);
    await pollFor(world, life, ms);
  };
  const [, alert] = world.channel.messages;
  return { world, life, ids, move, alert, replies: () => repliesIn(world) };
}

describe("an order that is paid after its alert was posted", () => {
  it.each([
    [1, "💰 Paid order · 5 · Pix · 1 × Product 000000000001"],
    [8, "💰 8 paid orders · 40"],
  ])("gets a reply to the alert, with the role; %i of one alert share it", async (count, text) => {
    const { move, alert, replies } = await posted(undefined, count);
    await move("PAID");
    expect(replies().map((reply) => [reply.replyTo, contentOf(reply)])).toEqual([[alert?.id, `<@&${role}> ${text}`]]);
    expect([alert?.edits, JSON.stringify(alert?.payload)]).toEqual([1, expect.stringContaining("Paid")]);
  });

  it.each([
    [["PENDING"], ["PAID"], 0],
    [["PENDING", "COMPLETED"], ["PAID", "COMPLETED"], 1],
    [["NOVO", "PAGO"], ["PAGO"], 1],
    [["PENDING", "PAID"], ["EXPIRED", "PAID"], 1],
    [["PENDING", "PAID"], ["CANCELLED", "PAID"], 1],
    [["PENDENTE", "PAGO"], ["PAGO"], 1],
    [["PENDING", "PAID"], ["PROCESSING", "PAID", "PENDING", "PAID", "DELIVERED", "PAID"], 1],
  ])("alerted %j and moved to %j, in turn, gets %i replies", async (statuses, way, times) => {
    const { world, move, replies } = await posted(statuses);
    world.channel.nonces = false;
    for (const status of way) await move(status);
    expect(replies()).toHaveLength(times);
  });

  it("gets it later if Discord does not take it at first; the alert is edited in between", async () => {
    const { world, life, move, alert, replies } = await posted();
    fails(world, "send", "uncertain");
    await move("PAID");
    expect([replies(), alert?.edits]).toEqual([[], 1]);
    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);
    expect(replies()).toHaveLength(1);
  });

  it("gets it although an edit of the same alert is not taken", async () => {
    const { world, ids, move, replies } = await posted(undefined, 2);
    fails(world, "edit", "uncertain");
    await move("CANCELLED", ids.slice(0, 1), 30_000);
    await move("PAID", ids.slice(1), 30_000);
    expect(replies()).toHaveLength(1);
  });

  it.each(["the alert's channel is gone", "replies are refused"])(
    "gets a message that is no reply if %s",
    async (why) => {
      const { world, life, move, replies } = await posted();
      const isMoved = why !== "replies are refused";
      const before = world.channel.messages.length;
      if (isMoved) {
        await life.alerts.turnOn(guildId, life.connected, { channelId: "999" });
        fails(world, "edit", "channel_gone");
      } else world.channel.refusesReplies = true;
      await move("PAID");
      const paid = world.channel.messages.slice(before).filter((message) => contentOf(message).includes("💰"));
      expect(paid.map(({ place, replyTo }) => [place === "999", replyTo])).toEqual([[isMoved, undefined]]);
      expect(replies()).toEqual([]);
    },
  );

  it("is not forgotten if it is paid while the reply for another one of its alert is on its way", async () => {
    const { world, life, ids, move, replies } = await posted(undefined, 8);
    become(world, "PROCESSING", ids.slice(1));
    become(world, "PAID", ids.slice(0, 1));
    const { waits, goOn } = holdFirst(world, "send", "before");
    await life.alerts.poll(guildId);
    await waits;
    become(world, "PAID", ids.slice(1));
    await life.alerts.poll(guildId);
    goOn();
    await life.alerts.idle();
    await move("PAID");
    const marks = replies().map(({ payload }) => JSON.stringify(payload));
    expect(ids.map((id) => marks.filter((mark) => mark.includes(id)).length)).toEqual(ids.map(() => 1));
  });

  it.each([1, 8])("of %i that are cancelled while its reply is on its way is not followed any more", async (count) => {
    const { world, life, ids, alert, replies } = await posted(undefined, count);
    const { waits, goOn } = holdFirst(world, "send", "after");
    become(world, "PAID", ids.slice(0, 1));
    become(world, "REFUNDED", ids.slice(1));
    await life.alerts.poll(guildId);
    await waits;
    become(world, "CANCELLED", ids.slice(0, 1));
    await vi.waitFor(async () => {
      world.pass(15_000);
      await life.alerts.poll(guildId);
      expect(JSON.stringify(alert?.payload)).toContain("Cancelled");
      expect(await keysIn(world.storage, `outbox:${guildId}`)).not.toContainEqual(expect.stringContaining("edit"));
    });
    goOn();
    await pollFor(world, life, 5 * minute);
    expect(replies().length).toBeGreaterThan(0);
    expect(await keysIn(world.storage, `open:${guildId}`)).toEqual([]);
  });

  it("shows no customer in a channel that alerts have left", async () => {
    const { life, move, alert } = await posted();
    await life.alerts.turnOn(guildId, life.connected, { channelId: "999" });
    await life.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, privacy: "full" } }));
    await move("PAID");
    expect(alert?.edits).toBe(1);
    expect(JSON.stringify(alert?.payload)).not.toContain("ana@example.com");
  });
});

it("an order that is paid already when it is first seen is announced as paid, once", async () => {
  const { world, replies } = await posted(["PAID", "PENDING"]);
  expect(contentOf(world.channel.messages.at(-1))).toContain("💰 Paid order · 5");
  expect(replies()).toEqual([]);
});
