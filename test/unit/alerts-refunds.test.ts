import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { become, contentOf, fails, ready } from "../support/alert-lives.ts";
import { type AlertWorld, channelId, guildId, pollFor } from "../support/alert-world.ts";

const both = { statuses: ["PENDING", "PAID"], roleId: "3000000000000000003" };
const minute = 60_000;
const day = 24 * 60 * minute;

async function worldWith(count: number, settings: { statuses: string[]; roleId?: string } = both) {
  const { world, life } = await ready(settings);
  const ids = world.store.place(count).map(({ id }) => id);
  await pollFor(world, life, 15_000);
  return { world, life, ids };
}

const refunds = ({ channel }: AlertWorld) => channel.messages.filter((message) => contentOf(message).startsWith("↩️"));
const alertOf = ({ channel }: AlertWorld) =>
  JSON.stringify(channel.messages.find(({ replyTo, edits }) => !replyTo && edits > 0)?.payload);

/** Ids of single orders that the store is asked for. */
function asked(world: AlertWorld): string[] {
  const ids: string[] = [];
  world.store.fault = ({ order }) => void (order !== undefined && ids.push(order));
  return ids;
}

describe("an order that is paid back", () => {
  it("is answered once, below its alert, without the role", async () => {
    const { world, life } = await worldWith(1);
    become(world, "PAID");
    await pollFor(world, life, minute);
    world.pass(day);
    become(world, "REFUNDED");
    await pollFor(world, life, 2 * minute);

    expect(refunds(world).map(contentOf)).toEqual(["↩️ Refunded · 5 · Pix · 1 × Product 000000000001"]);
    expect(refunds(world)[0]?.replyTo).toBe("m1");
    expect(refunds(world)[0]?.payload).toMatchObject({ allowed_mentions: { roles: [] } });
  });

  it.each<[string, string[], string[], RegExp[]]>([
    ["not answered where only new orders are announced", ["PENDING"], ["PAID", "REFUNDED"], []],
    [
      "answered once, however the dispute about it goes",
      both.statuses,
      ["PAID", "DELIVERED", "CHARGEBACK", "PAID", "DISPUTED", "REFUNDED"],
      [/^↩️ Disputed/],
    ],
  ])("is shown as refunded, and %s", async (_, statuses, changes, answers) => {
    const { world, life } = await worldWith(1, { statuses });
    // Discord would take a second answer with the same nonce for the first one.
    world.channel.nonces = false;
    for (const status of changes) {
      become(world, status);
      await pollFor(world, life, 2 * minute);
    }

    expect(refunds(world).map(contentOf)).toEqual(answers.map((answer) => expect.stringMatching(answer)));
    expect(alertOf(world)).toContain("Refunded");
  });

  it("is answered once, with those of the same message that wait as well", async () => {
    const { world, life, ids } = await worldWith(8);
    become(world, "PAID");
    await pollFor(world, life, minute);
    become(world, "REFUNDED", ids.slice(0, 3));
    world.channel.fault = () => {
      throw new MessengerError("forbidden");
    };
    await pollFor(world, life, 4 * minute);
    world.channel.fault = () => undefined;
    await pollFor(world, life, 10 * minute);

    expect(refunds(world).map(contentOf)).toEqual(["↩️ 3 refunded orders · 15"]);
  });

  it("is not answered where the dispute about it was won before that could be said", async () => {
    const { world, life } = await worldWith(1);
    become(world, "PAID");
    await pollFor(world, life, minute);
    fails(world, "send", "forbidden");
    for (const status of ["CHARGEBACK", "PAID"]) {
      become(world, status);
      await pollFor(world, life, 5 * minute);
    }
    world.channel.fault = () => undefined;
    await pollFor(world, life, 15 * minute);

    expect(world.channel.messages.filter(({ replyTo }) => replyTo).map(contentOf)).toEqual([
      expect.stringContaining("Paid order"),
    ]);
  });

  it("is not followed any further", async () => {
    const { world, life } = await worldWith(2);
    const [first = "", second = ""] = world.store.orders.map(({ id }) => id);
    become(world, "PAID", [first]);
    await pollFor(world, life, minute);
    become(world, "REFUNDED", [first]);
    become(world, "CANCELLED", [second]);
    await pollFor(world, life, 2 * minute);
    const ids = asked(world);
    await pollFor(world, life, 10 * minute);

    expect(ids).toEqual([]);
  });
});

describe("what has left the statuses that are polled", () => {
  it("is looked at by the next polls where it has left them by `/alerts set`, after an hour with nothing to look at", async () => {
    const { world, life } = await worldWith(1, { statuses: ["PENDING"] });
    await pollFor(world, life, 2 * minute);
    await life.alerts.turnOn(guildId, life.connected, { channelId, statuses: ["PAID"] });
    const ids = asked(world);
    await pollFor(world, life, 2 * minute);

    expect(ids).not.toEqual([]);
  });

  it("is looked at as often where polls are rare", async () => {
    const { world, life } = await worldWith(60, { statuses: ["PENDING"] });
    become(world, "PAID");
    await pollFor(world, life, 10 * minute);
    const ids = asked(world);
    world.pass(60 * minute);
    await pollFor(world, life, 15_000);

    expect(new Set(ids).size).toBe(60);
    expect(ids).toHaveLength(60);
  });

  it("is let go where the store says twice that it has no such order", async () => {
    const { world, life } = await worldWith(1, { statuses: ["PENDING"] });
    become(world, "PAID");
    await pollFor(world, life, minute);
    world.store.orders.length = 0;
    const ids = asked(world);
    await pollFor(world, life, 10 * minute);

    expect(ids).toHaveLength(2);
  });

  it("adds one request in 15 s, however many are followed", async () => {
    const { world, life, ids } = await worldWith(300, { statuses: ["PENDING"] });
    become(world, "PAID");
    await pollFor(world, life, 30 * minute);
    let requests = 0;
    world.store.fault = () => void requests++;
    await pollFor(world, life, 10 * minute);
    const perPoll = requests / 40;
    become(world, "REFUNDED", ids.slice(0, 1));
    await pollFor(world, life, 80 * minute);
    const shown = world.channel.messages.map(({ payload }) => JSON.stringify(payload));

    expect(perPoll).toBe(2);
    expect(shown.find((text) => text.includes(ids[0] ?? "none"))).toContain("Refunded");
  });
});
