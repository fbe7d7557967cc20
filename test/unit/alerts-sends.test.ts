import { describe, expect, it } from "vitest";
import { alertKey } from "../../src/orders/outbox-row.ts";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { nonceFor } from "../../src/outbox/nonce.ts";
import type { MessagePayload } from "../../src/views/parts/payload.ts";
import { fails, pollOnce, ready } from "../support/alert-lives.ts";
import { channelId, guildId, idsOf, once, pollFor, timesPosted } from "../support/alert-world.ts";

// What is owed is sent once, whatever became of an earlier send, and by whomever it was recorded.

const minute = 60_000;

describe("an order that was sent alone without a clear answer", () => {
  it("is sent alone again beside others, as the same message", async () => {
    const { world, life } = await ready();
    const [order] = world.store.place(1);
    const id = order?.id ?? "";
    const row = { type: 1, components: [{ type: 2, style: 2, custom_id: `order:open:${id}`, label: "Order" }] };
    const late = {
      id: "late",
      place: channelId,
      at: world.now(),
      nonce: nonceFor(guildId, channelId, [alertKey(id)]),
      payload: { components: [row] } as unknown as MessagePayload,
      edits: 0,
    };
    let sends = 0;
    world.channel.fault = (call, when) => {
      if (call !== "send" || when !== "before") return;
      sends++;
      if (sends === 1) throw new MessengerError("uncertain");
      // It was under way all the time, and arrives when nobody looks into the channel any more.
      if (sends === 3) world.channel.messages.push(late);
    };
    await pollOnce(life);
    const others = idsOf(world.store.place(6));
    // They do not wait for it.
    world.pass(1_000);
    await pollOnce(life);
    expect((await life.alerts.status(guildId)).planned).toBe(1);

    world.pass(3_000);
    await pollFor(world, life, minute);
    expect(timesPosted(world.channel, [id, ...others])).toEqual(once([id, ...others]));
  });
});

describe("a channel of which the bot may not read the history", () => {
  const forbidden = (call: string) => {
    if (call === "own") throw new MessengerError("forbidden");
  };

  it("has the one in doubt looked for now and then, which delays no later order (0.1.0: by up to 5 minutes)", async () => {
    const { world, life } = await ready();
    let isLost = true;
    let looks = 0;
    world.channel.fault = (call, when) => {
      if (call === "own") looks++;
      forbidden(call);
      if (call !== "send" || when !== "after" || !isLost) return;
      isLost = false;
      throw new MessengerError("uncertain");
    };
    const doubtful = idsOf(world.store.place(1));
    await pollFor(world, life, 20 * minute);
    for (let round = 0; round < 4; round++) {
      const placed = idsOf(world.store.place(1));
      await pollFor(world, life, 1_000, 1_000);
      expect(timesPosted(world.channel, placed), `round ${round}`).toEqual([1]);
      await pollFor(world, life, 20 * minute);
    }
    // 8 s at first, and 5 minutes at most, of which a half by chance.
    expect(looks).toBeGreaterThan(100 / 5);
    expect(looks).toBeLessThan(100 / 2.5);
    expect((await life.alerts.status(guildId)).planned).toBe(1);

    world.channel.fault = () => undefined;
    await pollFor(world, life, 6 * minute);
    expect(timesPosted(world.channel, doubtful)).toEqual([1]);
    expect((await life.alerts.status(guildId)).planned).toBe(0);
  });
});

describe("a send whose answer is lost", () => {
  it.each([
    ["an hour later, of an order that says no time", 1, () => undefined],
    ["five hours later", 5, (time?: number) => time],
  ])("while the clock is three hours fast is found once it is right, %s", async (_, hours, timeOf) => {
    const { world, life } = await ready();
    world.channel.nonces = false;
    const [order] = world.store.place(1);
    if (!order) throw new Error("no order");
    order.createdAt = timeOf(order.createdAt);
    const at = world.now();
    fails(world, "send", "uncertain", { when: "after" });
    world.pass(3 * 60 * minute);
    await pollOnce(life);
    // Discord's own clock is right.
    for (const [index, message] of world.channel.messages.entries()) world.channel.messages[index] = { ...message, at };
    world.channel.fault = () => undefined;
    world.pass((hours - 3) * 60 * minute);

    await pollFor(world, world.start(), 2 * minute);

    expect(timesPosted(world.channel, [order.id])).toEqual([1]);
  });
});
