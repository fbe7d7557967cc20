import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { ready } from "../support/alert-lives.ts";
import { type AlertWorld, guildId, idsOf, type Life, once, pollFor, timesPosted } from "../support/alert-world.ts";

const second = 1_000;
const minute = 60 * second;

/** No message with one of these texts gets a clear answer. */
function keepOut(world: AlertWorld, texts: readonly string[]) {
  const { messages } = world.channel;
  const push = messages.push.bind(messages);
  messages.push = (...some) => {
    const shown = JSON.stringify(some.map(({ payload }) => payload));
    if (texts.some((text) => shown.includes(text))) throw new MessengerError("uncertain");
    return push(...some);
  };
}

/** Polls until this is so; gives the ms that passed. */
async function pollUntil(world: AlertWorld, life: Life, isSo: () => boolean, mostMs: number) {
  const begun = world.now();
  while (!isSo() && world.now() - begun < mostMs) await pollFor(world, life, 15 * second);
  return world.now() - begun;
}

describe("a message that never gets a clear answer", () => {
  it("holds up no alert of its channel", async () => {
    const { world, life } = await ready({ statuses: ["PENDING", "PAID"] });
    keepOut(world, idsOf(world.store.place(1)));
    await pollFor(world, life, 20 * minute);
    for (const count of [1, 7]) {
      const others = idsOf(world.store.place(count));
      await pollFor(world, life, 30 * second);
      expect(timesPosted(world.channel, others)).toEqual(once(others));
    }
  });

  it("holds up the alerts of its channel for 5 minutes at most together with many such", async () => {
    const { world, life } = await ready({ statuses: ["PENDING", "PAID"] });
    const bad: string[] = [];
    keepOut(world, bad);
    for (let round = 0; round < 5; round++) {
      bad.push(...idsOf(world.store.place(1)));
      await pollFor(world, life, 10 * minute);
    }
    for (let round = 0; round < 3; round++) {
      const [id = ""] = idsOf(world.store.place(1));
      const isPosted = () => timesPosted(world.channel, [id])[0] === 1;
      expect(await pollUntil(world, life, isPosted, 60 * minute)).toBeLessThanOrEqual(5.5 * minute);
    }
  });
});

describe("Discord, while nothing gets a clear answer", () => {
  it.each([1, 40])("gets few requests for %i orders within an hour, and all orders soon after", async (count) => {
    const { world, life } = await ready({ statuses: ["PENDING", "PAID"] });
    const requests = { send: 0, own: 0 };
    let isDown = true;
    world.channel.fault = (call, when) => {
      if (when === "before" && (call === "send" || call === "own")) requests[call]++;
      if (isDown && call === "send") throw new MessengerError("uncertain");
    };
    const placed: string[] = [];
    for (let round = 0; round < 40; round++) {
      if (round < count) placed.push(...idsOf(world.store.place(1)));
      await pollFor(world, life, 1.5 * minute);
    }
    // The waits double from 2 s to 5 minutes.
    expect(requests.send).toBeLessThan(30 * Math.min(count, 2));
    expect(requests.own).toBeLessThan(30 * Math.min(count, 2));

    isDown = false;
    const isAll = () => timesPosted(world.channel, placed).every((times) => times === 1);
    expect(await pollUntil(world, life, isAll, 60 * minute)).toBeLessThanOrEqual(5.5 * minute);
    expect((await life.alerts.status(guildId)).planned).toBe(0);
  });
});
