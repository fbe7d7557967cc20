import { describe, expect, it } from "vitest";
import { MessengerError } from "../../src/outbox/messenger.ts";
import { fails } from "../support/alert-lives.ts";
import {
  type AlertWorld,
  type Channel,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  type Life,
  once,
  pollFor,
  timesPosted,
} from "../support/alert-world.ts";
import { createKiller } from "../support/killer.ts";
import { begin, keysChannel, rule } from "../support/rules-world.ts";

// The process is killed while a message is on its way. Discord shows the message only after the next process has searched for it.

const minute = 60_000;

/** Polls with a process that is killed while its first message to this channel is on its way. Returns that message. */
async function killedWhileSending(world: AlertWorld, place: string) {
  const { fault } = world.channel;
  const killer = createKiller();
  world.channel.fault = (call, when, where) => {
    if (call === "send" && when === "after" && where === place) killer.kill();
    return fault(call, when, where);
  };
  await pollFor(world, world.start(killer), 1);
  world.channel.fault = fault;
  const late = world.channel.messages.pop();
  if (!killer.killed || late === undefined) throw new Error("no message was on its way");
  return late;
}

/** Shows this message in the channel once the channel was read. Calls `read` right before it is read. */
function showAfterSearch({ channel }: AlertWorld, late: Channel["messages"][number], read: () => Promise<void>) {
  const { fault } = channel;
  let isRead = false;
  channel.fault = async (call, when, where) => {
    if (isRead && !channel.messages.includes(late)) channel.messages.push(late);
    if (call === "own" && !isRead) {
      await read();
      isRead = true;
    }
    return fault(call, when, where);
  };
}

async function next(world: AlertWorld, late: Channel["messages"][number], read = async (_: Life) => {}) {
  const life = world.start();
  showAfterSearch(world, late, () => read(life));
  await pollFor(world, life, 5 * minute);
  expect(world.channel.messages).toContain(late);
}

describe("a message that was on its way when the process was killed", () => {
  it.each([
    [30, 0, "first"],
    [30, 0, "last"],
    [5, 1, "first"],
    [5, 1, "last"],
  ])("is known by its nonce: of %i orders, %i more during the search, and its own %s", async (count, more, end) => {
    const world = await createAlertWorld();
    await world.turnOn(world.start());
    const ids = idsOf(world.store.place(count));
    if (end === "last") world.store.orders.reverse();
    const late = await killedWhileSending(world, channelId);
    await next(world, late, async (life) => {
      ids.push(...idsOf(world.store.place(more)));
      await life.alerts.poll(guildId);
    });
    expect(timesPosted(world.channel, ids)).toEqual(once(ids));
  });

  it("is searched for again where Discord refuses its repeat", async () => {
    const { world } = await begin({}, rule({}));
    const ids = idsOf(world.store.place(1));
    const late = await killedWhileSending(world, keysChannel);
    fails(world, "send", "forbidden", { place: keysChannel });
    await next(world, late);

    expect(timesPosted(world.channel, ids)).toEqual(once(ids));
  });

  it("is found in the alert channel while the channel of its rule may not be seen", async () => {
    const { world } = await begin({}, rule({}));
    world.channel.fault = (_, __, place) => {
      if (place === keysChannel) throw new MessengerError("forbidden");
    };
    const ids = idsOf(world.store.place(1));
    world.channel.messages.push(await killedWhileSending(world, channelId));
    const life = world.start();
    await pollFor(world, life, minute);

    expect((await life.alerts.status(guildId)).planned).toBe(0);
    expect(timesPosted(world.channel, ids)).toEqual(once(ids));
  });
});
