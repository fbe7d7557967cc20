import { describe, expect, it } from "vitest";
import { noMetrics } from "../../../src/basics/metrics.ts";
import { alertKey } from "../../../src/orders/outbox-row.ts";
import { MessengerError, nonceFor } from "../../../src/outbox/messenger.ts";
import type { MessagePayload } from "../../../src/views/parts/payload.ts";
import { fails, pollOnce, ready, storeFails } from "../../support/engine/alert-lives.ts";
import {
  type AlertWorld,
  type Channel,
  channelId,
  guildId,
  idsOf,
  type Life,
  once,
  pollFor,
} from "../../support/engine/alert-world.ts";
import { createKiller } from "../../support/engine/killer.ts";
import { begin, keysChannel, rule } from "../../support/engine/rules-world.ts";

// Everything is sent once, whatever became of an earlier send, and whichever process recorded it.

const minute = 60_000;

/** Messages with one of these texts get no clear answer. */
function keepOut(world: AlertWorld, texts: readonly string[]) {
  const { messages } = world.channel;
  const push = messages.push.bind(messages);
  messages.push = (...some) => {
    const shown = JSON.stringify(some.map(({ payload }) => payload));
    if (texts.some((text) => shown.includes(text))) throw new MessengerError("uncertain");
    return push(...some);
  };
}

/** Polls for at most an hour. Returns the ms that passed. */
async function pollUntil(world: AlertWorld, life: Life, isSo: () => boolean) {
  const begun = world.now();
  while (!isSo() && world.now() - begun < 60 * minute) await pollFor(world, life, 15_000);
  return world.now() - begun;
}

describe("a message that never gets a clear answer", () => {
  it("holds up the alerts of its channel for 5 minutes at most together with many such", async () => {
    const { world, life, poll, alertsOf } = await ready();
    const bad: string[] = [];
    keepOut(world, bad);
    for (let round = 0; round < 5; round++) {
      bad.push(...idsOf(world.store.place(1)));
      await poll(10);
    }
    for (let round = 0; round < 3; round++) {
      const ids = idsOf(world.store.place(1));
      const isPosted = () => alertsOf(ids)[0] === 1;
      expect(await pollUntil(world, life, isPosted)).toBeLessThanOrEqual(5.5 * minute);
    }
  });
});

it.each([1, 40])(
  "Discord gets few requests for %i orders within an hour while nothing gets a clear answer, and all orders soon after",
  async (count) => {
    const { world, life, poll, alertsOf, planned } = await ready();
    const requests = { send: 0, postedSince: 0 };
    let isDown = true;
    world.channel.fault = (call, when) => {
      if (when === "before" && (call === "send" || call === "postedSince")) requests[call]++;
      if (isDown && call === "send") throw new MessengerError("uncertain");
    };
    const placed: string[] = [];
    for (let round = 0; round < 40; round++) {
      if (round < count) placed.push(...idsOf(world.store.place(1)));
      await poll(1.5);
    }
    // The waits double from 2 s to 5 minutes.
    expect(requests.send).toBeLessThan(30 * Math.min(count, 2));
    expect(requests.postedSince).toBeLessThan(30 * Math.min(count, 2));

    isDown = false;
    const isAll = () => alertsOf(placed).every((times) => times === 1);
    expect(await pollUntil(world, life, isAll)).toBeLessThanOrEqual(5.5 * minute);
    expect(await planned()).toBe(0);
  },
);

it("an order that was sent alone without a clear answer is sent alone again beside others, as the same message", async () => {
  const { world, life, poll, alertsOf, planned } = await ready();
  const [id = ""] = idsOf(world.store.place(1));
  const row = { type: 1, components: [{ type: 2, style: 2, custom_id: `order:open:${id}`, label: "Order" }] };
  const late = {
    id: "late",
    place: channelId,
    at: world.now(),
    nonce: nonceFor(guildId, channelId, [alertKey(id), String(world.now())]),
    payload: { components: [row] } as unknown as MessagePayload,
    edits: 0,
  };
  let sends = 0;
  world.channel.fault = (call, when) => {
    if (call !== "send" || when !== "before") return;
    sends++;
    if (sends === 1) throw new MessengerError("uncertain");
    // The message was under way all the time. It arrives when the bot no longer looks into the channel.
    if (sends === 3) world.channel.messages.push(late);
  };
  await pollOnce(life);
  const others = idsOf(world.store.place(6));
  // These orders do not wait for the late message.
  world.pass(1_000);
  await pollOnce(life);
  expect(await planned()).toBe(1);

  world.pass(3_000);
  await poll(1);
  expect(alertsOf([id, ...others])).toEqual(once([id, ...others]));
});

it("a message in doubt is searched for once, although polls read the record again while the store refuses the token", async () => {
  const { world, life, place, poll, mend, alertsOf } = await ready();
  fails(world, "send", "uncertain");
  const ids = await place(1);
  storeFails(world, "unauthorized");
  await poll(1);
  mend();
  let looks = 0;
  world.channel.fault = async (call, when) => {
    // The search lasts longer than the time between two polls.
    if (call === "postedSince" && when === "before" && ++looks < 5) await life.alerts.poll(guildId);
  };
  await poll(10);

  expect(alertsOf(ids)).toEqual([1]);
  expect(looks).toBe(1);
});

it("a channel of which the bot may not read the history has the one in doubt looked for now and then, which delays no later order (0.1.0: by up to 5 minutes)", async () => {
  const { world, life, place, poll, mend, alertsOf, planned } = await ready();
  let isLost = true;
  let looks = 0;
  world.channel.fault = (call, when) => {
    if (call === "postedSince") {
      looks++;
      throw new MessengerError("forbidden");
    }
    if (call !== "send" || when !== "after" || !isLost) return;
    isLost = false;
    throw new MessengerError("uncertain");
  };
  const doubtful = await place(1, 20);
  for (let round = 0; round < 4; round++) {
    const placed = idsOf(world.store.place(1));
    await pollFor(world, life, 1_000, 1_000);
    expect(alertsOf(placed), `round ${round}`).toEqual([1]);
    await poll(20);
  }
  // The waits grow from 8 s to 5 minutes. Half of each is random.
  expect(looks).toBeGreaterThan(100 / 5);
  expect(looks).toBeLessThan(100 / 2.5);
  expect(await planned()).toBe(1);

  mend();
  await poll(6);
  expect([alertsOf(doubtful), await planned()]).toEqual([[1], 0]);
});

it.each([
  ["an hour later, of an order that says no time", 1, () => undefined],
  ["five hours later", 5, (time?: number) => time],
])(
  "a send whose answer is lost while the clock is three hours fast is found once it is right, %s",
  async (_, hours, timeOf) => {
    const { world, life, poll, mend, alertsOf } = await ready();
    world.channel.nonces = false;
    const orders = world.store.place(1);
    for (const order of orders) order.createdAt = timeOf(order.createdAt);
    const at = world.now();
    fails(world, "send", "uncertain", { when: "after" });
    world.pass(3 * 60 * minute);
    await pollOnce(life);
    // Discord's own clock is right.
    for (const [index, message] of world.channel.messages.entries()) world.channel.messages[index] = { ...message, at };
    mend();
    world.pass((hours - 3) * 60 * minute);

    await poll(2, world.start());

    expect(alertsOf(idsOf(orders))).toEqual([1]);
  },
);

// A process is killed while it sends a message. Discord shows the message only after the next process has searched for it.

/** Returns the message that was on its way to this channel when its process was killed. */
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

/** Shows the message only after the channel was read. Calls `read` right before that. */
function showAfterSearch({ channel }: AlertWorld, late: Channel["messages"][number], read: () => Promise<void>) {
  const { fault } = channel;
  let isRead = false;
  channel.fault = async (call, when, where) => {
    if (isRead && !channel.messages.includes(late)) channel.messages.push(late);
    if (call === "postedSince" && !isRead) {
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

it("an alert is counted once, after it was recorded; its delay is counted unless a search found it", async () => {
  const { world } = await ready();
  const counted: unknown[] = [];
  let isRefused = false;
  const life = world.start(undefined, undefined, undefined, {
    metrics: { ...noMetrics, alertPosted: (lag) => void counted.push(lag) },
    commits: {
      before() {
        if (!isRefused) return;
        isRefused = false;
        throw new Error("the disk is full");
      },
    },
  });
  world.channel.fault = (call, when) => {
    isRefused = call === "send" && when === "after";
  };
  world.store.place(1);
  await pollFor(world, life, 5 * minute);
  expect(counted).toEqual([undefined]);

  world.channel.fault = () => undefined;
  world.store.place(1);
  world.pass(10_000);
  await pollOnce(life);
  expect(counted.slice(1)).toEqual([{ sinceCreatedMs: 10_000, sinceSeenMs: 0 }]);
});

describe("a message that was on its way when the process was killed", () => {
  it.each([
    [30, 0, "first"],
    [30, 0, "last"],
    [5, 1, "first"],
    [5, 1, "last"],
  ])("is known by its nonce: of %i orders, %i more during the search, and its own %s", async (count, more, end) => {
    const { world, alertsOf } = await ready();
    const ids = idsOf(world.store.place(count));
    if (end === "last") world.store.orders.reverse();
    const late = await killedWhileSending(world, channelId);
    await next(world, late, async (life) => {
      ids.push(...idsOf(world.store.place(more)));
      await life.alerts.poll(guildId);
    });
    expect(alertsOf(ids)).toEqual(once(ids));
  });

  it("is searched for again where Discord refuses its repeat", async () => {
    const { world, alertsOf } = await begin({}, rule({}));
    const ids = idsOf(world.store.place(1));
    const late = await killedWhileSending(world, keysChannel);
    fails(world, "send", "forbidden", { place: keysChannel });
    await next(world, late);
    expect(alertsOf(ids)).toEqual([1]);
  });

  it("is found in the alert channel while the channel of its rule may not be seen", async () => {
    const { world, poll, alertsOf } = await begin({}, rule({}));
    world.channel.fault = (_, __, place) => {
      if (place === keysChannel) throw new MessengerError("forbidden");
    };
    const ids = idsOf(world.store.place(1));
    world.channel.messages.push(await killedWhileSending(world, channelId));
    const life = world.start();
    await poll(1, life);
    expect([alertsOf(ids), (await life.alerts.status(guildId)).planned]).toEqual([[1], 0]);
  });
});
