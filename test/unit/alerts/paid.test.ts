import { describe, expect, it } from "vitest";
import { MessengerError } from "../../../src/outbox/messenger.ts";
import { become, contentOf, fails, holdFirst, ready } from "../../support/engine/alert-lives.ts";
import { type AlertWorld, channelId, guildId, idsOf, timesPosted } from "../../support/engine/alert-world.ts";
import { keysIn } from "../../support/stored.ts";

const role = "3000000000000000003";

/** `count` orders were just alerted. */
async function posted(statuses = ["PENDING", "PAID"], count = 1) {
  const scene = await ready({ statuses, roleId: role });
  const ids = idsOf(scene.world.store.place(count));
  await scene.move(ids, statuses[0] ?? "", 0.25);
  const move = (status: string, some: readonly string[] = ids, minutes = 2) => scene.move(some, status, minutes);
  const [, alert] = scene.world.channel.messages;
  const shown = () => JSON.stringify(alert?.payload);
  return { ...scene, ids, move, alert, shown };
}

describe("an order that is paid after its alert was posted", () => {
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

  it("gets it although an edit of the same alert is not taken", async () => {
    const { world, ids, move, replies } = await posted(undefined, 2);
    fails(world, "edit", "uncertain");
    await move("CANCELLED", ids.slice(0, 1), 0.5);
    await move("PAID", ids.slice(1), 0.5);
    expect(replies()).toHaveLength(1);
  });

  it.each([
    ["the alert's channel is gone", 1, "💰 Paid order · 5 · Pix · 1 × Product 000000000001"],
    ["replies are refused", 1, "💰 Paid order · 5 · Pix · 1 × Product 000000000001"],
    ["a person deleted the alert", 1, "💰 Paid order · 5 · Pix · 1 × Product 000000000001"],
    ["the alert's channel is gone", 8, "💰 8 paid orders · 40"],
  ])("gets a message with its id that is no reply if %s; %i of one alert share it", async (why, count, text) => {
    const { world, life, ids, move, alert, replies } = await posted(undefined, count);
    const isMoved = why === "the alert's channel is gone";
    if (isMoved) {
      await life.alerts.turnOn(guildId, life.connected, { channelId: "999" });
      fails(world, "edit", "channel_gone");
    } else if (why === "replies are refused") world.channel.refusesReplies = true;
    else Object.assign(alert ?? {}, { id: "deleted" });
    const before = world.channel.messages.length;
    await move("PAID");
    const paid = world.channel.messages.slice(before).filter((message) => contentOf(message).includes("💰"));
    expect(paid.map(({ place, replyTo }) => [place === "999", replyTo])).toEqual([[isMoved, undefined]]);
    const shown = ids.map((id) => `\`${id.slice(0, 8)}\``).join(", ");
    expect(paid.map(contentOf)).toEqual([`<@&${role}> ${text}\nID ${shown}`]);
    expect(replies()).toEqual([]);
  });

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
    const { world, life, ids, poll, shown, replies } = await posted(undefined, count);
    const { waits, goOn } = holdFirst(world, "send", "after");
    become(world, "PAID", ids.slice(0, 1));
    become(world, "REFUNDED", ids.slice(1));
    await life.alerts.poll(guildId);
    await waits;
    become(world, "CANCELLED", ids.slice(0, 1));
    const isShown = async () => {
      world.pass(15_000);
      await life.alerts.poll(guildId);
      const waiting = await keysIn(world.storage, `outbox:${guildId}`);
      return shown().includes("Cancelled") && !waiting.some((key) => key.includes("edit"));
    };
    await expect.poll(isShown).toBe(true);
    goOn();
    await poll(5);
    expect(replies().length).toBeGreaterThan(0);
    expect(await keysIn(world.storage, `open:${guildId}`)).toEqual([]);
  });

  it("shows no customer in a channel that alerts have left", async () => {
    const { life, move, alert, shown } = await posted();
    await life.alerts.turnOn(guildId, life.connected, { channelId: "999" });
    await life.guilds.update(guildId, (guild) => ({ ...guild, settings: { ...guild.settings, privacy: "full" } }));
    await move("PAID");
    expect(alert?.edits).toBe(1);
    expect(shown()).not.toContain("ana@example.com");
  });
});

it.each([true, false])(
  "orders that were known while new ones were announced are announced when they are paid, if payments alone are by then (off in between: %s)",
  async (wasOff) => {
    const { world, life, before, place, poll, move } = await ready({ before: 2 });
    const [alerted = ""] = await place();
    if (wasOff) await life.alerts.turnOff(guildId);
    await life.alerts.turnOn(guildId, life.connected, { channelId, statuses: ["PAID"] });
    await poll(1);
    await move([...before, alerted], "PAID");
    expect(world.channel.messages.filter((message) => contentOf(message).startsWith("💰"))).toHaveLength(3);
  },
);

it.each([true, false])(
  "orders that wait are not announced if new ones are announced again before the next poll (on before: %s)",
  async (wasOn) => {
    const { world, life, before, place, poll } = await ready({ before: 2 });
    const [alerted = ""] = await place();
    if (!wasOn) await life.alerts.turnOff(guildId);
    const turnOn = (statuses: string[]) => life.alerts.turnOn(guildId, life.connected, { channelId, statuses });
    await Promise.all([turnOn(["PAID"]), turnOn(["PENDING", "PAID"])]);
    world.channel.nonces = false;
    await poll(2);
    expect(timesPosted(world.channel, [...before, alerted])).toEqual([0, 0, 1]);
  },
);

it("the second alert of an order, about its payment, is posted although Discord does not answer at first", async () => {
  const { world, life, place, poll, move } = await ready();
  const [alerted = ""] = await place();
  await poll(20);
  await life.alerts.turnOff(guildId);
  await life.alerts.turnOn(guildId, life.connected, { channelId, statuses: ["PAID"] });
  await poll(1);
  let isDown = true;
  world.channel.fault = (call, when) => {
    if (call !== "send" || when !== "before" || !isDown) return;
    isDown = false;
    throw new MessengerError("uncertain");
  };
  await move([alerted], "PAID", 5);
  expect(isDown).toBe(false);
  expect(timesPosted(world.channel, [alerted])).toEqual([2]);
});

describe("the headline of an alert", () => {
  it.each([
    [["PAID"], 1, ["COMPLETED", "REFUNDED"], "💰 Paid order · 5 · Pix"],
    [["PAID"], 8, ["COMPLETED"], "🔔 8 paid orders · 40"],
    [["PENDING", "PAID"], 1, ["PAID", "COMPLETED"], "🔔 New order · 5 · Pix"],
  ])("says why it was posted; first %j, %i orders, moved to %j: %s", async (statuses, count, way, headline) => {
    const { move, alert } = await posted(statuses, count);
    for (const status of way) await move(status);
    expect(alert?.edits).toBeGreaterThanOrEqual(way.length);
    expect(alert && contentOf(alert)).toContain(headline);
  });
});

const refunds = ({ channel }: AlertWorld) => channel.messages.filter((message) => contentOf(message).startsWith("↩️"));

/** Ids of single orders that the store is asked for. */
function asked(world: AlertWorld): string[] {
  const ids: string[] = [];
  world.store.fault = ({ order }) => void (order !== undefined && ids.push(order));
  return ids;
}

describe("an order that is paid back", () => {
  it.each<[string, string[], string[], RegExp[]]>([
    ["not answered where only new orders are announced", ["PENDING"], ["PAID", "REFUNDED"], []],
    [
      "answered once, however the dispute about it goes",
      ["PENDING", "PAID"],
      ["PAID", "DELIVERED", "CHARGEBACK", "PAID", "DISPUTED", "REFUNDED"],
      [/^↩️ Disputed/],
    ],
  ])("is shown as refunded, and %s", async (_, statuses, changes, answers) => {
    const { world, move, shown } = await posted(statuses);
    // Otherwise Discord would take a second answer with the same nonce for the first one.
    world.channel.nonces = false;
    for (const status of changes) await move(status);

    expect(refunds(world).map(contentOf)).toEqual(answers.map((answer) => expect.stringMatching(answer)));
    expect(shown()).toContain("Refunded");
  });

  it("is answered once, with those of the same message that wait as well", async () => {
    const { world, ids, move, mend, poll } = await posted(undefined, 8);
    await move("PAID");
    world.channel.fault = () => {
      throw new MessengerError("forbidden");
    };
    await move("REFUNDED", ids.slice(0, 3), 4);
    mend();
    await poll(10);

    expect(refunds(world).map(contentOf)).toEqual(["↩️ 3 refunded orders · 15"]);
  });

  it("is not answered where the dispute about it was won before that could be said", async () => {
    const { world, move, mend, poll, replies } = await posted();
    await move("PAID");
    fails(world, "send", "forbidden");
    for (const status of ["CHARGEBACK", "PAID"]) await move(status, undefined, 5);
    mend();
    await poll(15);

    expect(replies().map(contentOf)).toEqual([expect.stringContaining("Paid order")]);
  });

  it("is not followed any further", async () => {
    const { world, ids, move, poll } = await posted(undefined, 2);
    await move("PAID", ids.slice(0, 1));
    become(world, "REFUNDED", ids.slice(0, 1));
    await move("CANCELLED", ids.slice(1));
    const asking = asked(world);
    await poll(10);

    expect(asking).toEqual([]);
  });
});

describe("what has left the statuses that are polled", () => {
  it("is looked at by the next polls where it has left them by `/alerts set`, after an hour with nothing to look at", async () => {
    const { world, life, poll } = await posted(["PENDING"]);
    await poll(2);
    await life.alerts.turnOn(guildId, life.connected, { channelId, statuses: ["PAID"] });
    const asking = asked(world);
    await poll(2);

    expect(asking).not.toEqual([]);
  });

  it("is let go where the store says twice that it has no such order", async () => {
    const { world, move, poll } = await posted(["PENDING"]);
    await move("PAID");
    world.store.orders.length = 0;
    const asking = asked(world);
    await poll(10);

    expect(asking).toHaveLength(2);
  });
});
