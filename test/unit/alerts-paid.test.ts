import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/alerts/messenger.ts";
import { type AlertWorld, createAlertWorld, guildId, killAt, type Life } from "../support/alert-world.ts";

const both = { statuses: ["PENDING", "PAID"], roleId: "3000000000000000003" };

async function pollOften(world: AlertWorld, life: Life, isOver = () => false, times = 4) {
  for (let poll = 0; poll < times && !isOver(); poll++) {
    await life.alerts.poll(guildId);
    await life.alerts.idle();
    world.pass(15_000);
  }
}

async function worldThatRings(settings: { statuses: string[]; roleId?: string } = both) {
  const world = await createAlertWorld();
  const life = world.start();
  await world.turnOn(life, settings);
  return { world, life };
}

function become(world: AlertWorld, status: string, ids = world.store.orders.map(({ id }) => id)) {
  for (const order of world.store.orders) if (ids.includes(order.id)) order.status = status;
}

const replies = (world: AlertWorld) => world.channel.messages.filter(({ replyTo }) => replyTo !== undefined);
const contentOf = (message: { payload: object } | undefined) =>
  message && "content" in message.payload ? message.payload.content : undefined;

describe("an order that is paid after its alert was posted", () => {
  it("rings once more: a reply to the alert, with the role (0.1.0: an edit, which nobody hears)", async () => {
    const { world, life } = await worldThatRings();
    world.store.place(1);
    await pollOften(world, life, undefined, 1);
    const [alert] = world.channel.messages.slice(-1);
    become(world, "PAID");
    await pollOften(world, life);
    const [reply, ...others] = replies(world);
    expect(others).toEqual([]);
    expect(reply?.replyTo).toBe(alert?.id);
    expect(contentOf(reply)).toBe("<@&3000000000000000003> 💰 Paid order · 5 · Pix · 1 × Product 000000000001");
    expect(JSON.stringify(alert?.payload)).toContain("Paid");
  });

  it("rings however it came to it, once", async () => {
    const { world, life } = await worldThatRings();
    world.store.place(1);
    await pollOften(world, life, undefined, 2);
    for (const status of ["PROCESSING", "PAID", "DELIVERED", "PAID"]) {
      become(world, status);
      await pollOften(world, life, undefined, 8);
    }
    expect(replies(world)).toHaveLength(1);
  });

  it("does not ring where only new orders do", async () => {
    const { world, life } = await worldThatRings({ statuses: ["PENDING"] });
    world.store.place(1);
    await pollOften(world, life, undefined, 1);
    become(world, "PAID");
    await pollOften(world, life);
    expect(replies(world)).toEqual([]);
    expect(world.channel.messages.at(-1)?.edits).toBe(1);
  });

  it("rings in one reply with others of the same alert", async () => {
    const { world, life } = await worldThatRings();
    world.store.place(8);
    await pollOften(world, life, undefined, 1);
    become(world, "PAID");
    await pollOften(world, life);
    expect(replies(world).map(contentOf)).toEqual(["<@&3000000000000000003> 💰 8 paid orders · 40"]);
  });

  it("rings although the reply is not taken at first, and the alert is edited when it could be sent", async () => {
    const { world, life } = await worldThatRings();
    world.store.place(1);
    await pollOften(world, life, undefined, 1);
    become(world, "PAID");
    let isDown = true;
    world.channel.fault = (call, when) => {
      if (isDown && call === "send" && when === "before") throw new MessengerError("uncertain");
    };
    await pollOften(world, life);
    expect(replies(world)).toEqual([]);
    isDown = false;
    world.pass(10 * 60_000);
    await pollOften(world, life);
    expect(replies(world)).toHaveLength(1);
    expect(world.channel.messages[1]?.edits).toBe(1);
  });
});

describe("an order that is paid already when it is first seen", () => {
  it("rings as paid, once", async () => {
    const { world, life } = await worldThatRings();
    world.store.place(1);
    become(world, "PAID");
    await pollOften(world, life);
    expect(contentOf(world.channel.messages.at(-1))).toContain("💰 Paid order · 5");
    expect(replies(world)).toEqual([]);
  });
});

describe.each([{ nonces: true }, { nonces: false }])(
  "a process killed at any step of a payment (Discord knows nonces: $nonces)",
  ({ nonces }) => {
    it.each([1, 8])("of %i orders rings once for each, and edits the alert", async (count) => {
      let step = 0;
      for (; ; step++) {
        const { world, life } = await worldThatRings();
        world.channel.nonces = nonces;
        const ids = world.store.place(count).map(({ id }) => id);
        await pollOften(world, life, undefined, 1);
        become(world, "PAID");
        const killer = killAt(step);
        await pollOften(world, world.start(killer), () => killer.killed);
        if (!killer.killed) break;
        await pollOften(world, world.start());
        const marks = replies(world).flatMap(({ payload }) => JSON.stringify(payload));
        const rung = ids.map((id) => marks.filter((mark) => mark.includes(id)).length);
        expect(rung, `killed at step ${step}`).toEqual(ids.map(() => 1));
        expect(JSON.stringify(world.channel.messages[1]?.payload), `killed at step ${step}`).toContain("Paid");
      }
      expect(step).toBeGreaterThan(8);
    });
  },
);
