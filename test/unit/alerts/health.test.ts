import { describe, expect, it } from "vitest";
import { type Metrics, noMetrics } from "../../../src/basics/metrics.ts";
import { forgetServer } from "../../../src/forget-server.ts";
import type { ServerContext } from "../../../src/outbox/context.ts";
import { MessengerError } from "../../../src/outbox/messenger.ts";
import { Notices, noticesTable } from "../../../src/outbox/notices.ts";
import type { Commit } from "../../../src/storage/table.ts";
import { fails, pollOnce, ready, said, storeFails } from "../../support/engine/alert-lives.ts";
import {
  type AlertWorld,
  channelId,
  createAlertWorld,
  guildId,
  idsOf,
  type Life,
  once,
  pollFor,
  standby,
} from "../../support/engine/alert-world.ts";
import { createCrew } from "../../support/engine/crew.ts";
import { createKiller } from "../../support/engine/killer.ts";
import { withTable } from "../../support/with-table.ts";

const minute = 60_000;

function expectInSequence({ channel }: AlertWorld, ids: readonly string[]) {
  const shown = channel.messages.map(({ payload }) => JSON.stringify(payload)).join();
  const places = ids.map((id) => shown.indexOf(id));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
}

describe("a store that is down", () => {
  it("is said once after 10 minutes, and once when it answers again, with the orders that came meanwhile, in their sequence", async () => {
    const { world, poll, alertsOf } = await ready();
    storeFails(world, "unavailable");
    await poll(2);
    world.store.fault = () => undefined;
    await poll(10);
    expect(said(world, "answer"), "a short outage is not worth a notice").toBe(0);

    storeFails(world, "unavailable");
    await poll(9);
    expect(said(world, "has given no usable answer since")).toBe(0);

    const restarted = world.start();
    for (const life of [undefined, restarted]) {
      await poll(12, life);
      expect(said(world, "has given no usable answer since")).toBe(1);
    }

    const placed: string[] = [];
    for (let second = 0; second < 60; second++) {
      placed.push(...idsOf(world.store.place(2)));
      world.pass(1_000);
    }
    world.store.fault = () => undefined;
    await poll(6, restarted);
    expect(said(world, "120 orders arrived meanwhile")).toBe(1);
    expect(said(world, "The store is answering again")).toBe(1);
    expect(alertsOf(placed)).toEqual(once(placed));
    expectInSequence(world, placed);
  });

  it("is not said to give no answer at all where it answers that it gets too many requests", async () => {
    const { world, poll } = await ready();
    storeFails(world, "rate_limited");
    await poll(12);
    expect([said(world, "has given no usable answer since"), said(world, "has not answered")]).toEqual([1, 0]);
  });

  it("answers again in the status of other processes, also where the process that saw it fail was restarted", async () => {
    const { world, poll } = await ready();
    storeFails(world, "unavailable");
    await poll(1);
    const elsewhere = () => world.start(undefined, undefined, standby).alerts.status(guildId);
    const { lastError: failed, lastGoodAt: before = 0 } = await elsewhere();
    expect(failed?.at).toBeGreaterThan(before);

    world.store.fault = () => undefined;
    await poll(1, world.start());
    const { lastError, lastGoodAt } = await elsewhere();
    expect(lastError).toEqual(failed);
    expect(lastGoodAt).toBeGreaterThan(failed?.at ?? Number.POSITIVE_INFINITY);
  });

  it("is said once to answer again by a process that is killed right after it said so", async () => {
    const { world, poll, mend } = await ready();
    // Discord may have forgotten the nonce before a restart.
    world.channel.nonces = false;
    storeFails(world, "unavailable");
    await poll(12);
    world.store.fault = () => undefined;
    world.store.place(3);
    const killer = createKiller();
    world.channel.fault = (call, when) => {
      if (call === "send" && when === "after" && said(world, "answering again") > 0) killer.kill();
    };
    await poll(6, world.start(killer));
    expect(killer.killed).toBe(true);
    mend();
    await poll(6, world.start());

    expect(said(world, "answering again")).toBe(1);
  });

  it("is said to answer again each time, also twice within the minutes in which Discord takes a repeat for the same", async () => {
    const { world, life, poll } = await ready();
    for (const times of [1, 2]) {
      storeFails(world, "unauthorized");
      await poll(0.25);
      world.store.fault = () => undefined;
      await life.alerts.connect(guildId, world.store, `token-${times}`);
      await poll(2);
      expect(said(world, "The store is answering again")).toBe(times);
    }
  });

  it.each(["/alerts off", "/store disconnect"])(
    "is not reported again after %s in another process",
    async (command) => {
      const { world, worker, gateway } = await createCrew();
      await worker.take();
      await world.turnOn(worker);
      await worker.hear();
      storeFails(world, "unavailable");
      await pollFor(world, worker, 12 * minute);
      expect(said(world, "has given no usable answer since")).toBe(1);
      await gateway.alerts[command === "/alerts off" ? "turnOff" : "forget"](guildId, () =>
        forgetServer(world.storage, guildId),
      );
      world.pass(6 * minute);
      // The worker has not heard of the command yet.
      await pollOnce(worker);
      expect(await world.storage.table(noticesTable).get(guildId)).toBeUndefined();

      world.store.fault = () => undefined;
      await gateway.guilds.connect(guildId, "token-1234");
      await world.turnOn(gateway);
      await worker.hear();
      await pollFor(world, worker, minute);
      expect(said(world, "answering again")).toBe(0);
    },
  );
});

function countOwed() {
  let counted = () => 0;
  const metrics: Metrics = {
    ...noMetrics,
    alertsOwed(count) {
      counted = count;
    },
  };
  return { metrics, counted: () => counted() };
}

it("alerts that wait are still counted after a command that failed, although no poll follows", async () => {
  const { world, place } = await ready();
  const { metrics, counted } = countOwed();
  const life = world.start(undefined, undefined, undefined, { metrics });
  fails(world, "send", "forbidden");
  await place(2);
  await pollOnce(life);
  expect(counted()).toBe(2);

  await expect(life.alerts.turnOn(guildId, life.connected, { channelId })).rejects.toThrow("forbidden");
  await life.alerts.idle();

  expect(counted()).toBe(2);
});

it("alerts that wait are counted by the process that polls: a gateway went on counting what a status had shown", async () => {
  const { world, place, planned } = await ready();
  const { metrics, counted } = countOwed();
  const gateway = world.start(undefined, undefined, standby, { metrics });
  fails(world, "send", "forbidden");
  await place(2);
  expect(await planned()).toBe(2);
  expect((await gateway.alerts.status(guildId)).planned).toBe(2);
  expect(counted()).toBe(0);
});

describe("an outage of the alert channel", () => {
  const closed = (call: string) => {
    if (call === "send") throw new MessengerError("forbidden");
  };
  const isBlocked = async ({ alerts }: Life) => (await alerts.status(guildId)).blockedSince !== undefined;

  it.each([1, 2])("is made up for in the sequence of the orders, of which %i came at a time", async (count) => {
    const { world, poll, mend, alertsOf } = await ready();
    world.channel.fault = closed;
    const ids: string[] = [];
    for (let round = 0; round < 4; round++) {
      for (let order = 0; order < count; order++) {
        ids.push(...idsOf(world.store.place(1)));
        world.pass(1_000);
      }
      await poll(0.25);
    }
    mend();
    await poll(10);
    expect(alertsOf(ids)).toEqual(once(ids));
    expectInSequence(world, ids);
  });

  it("is over with a message whose answer was lost, and the next one is told", async () => {
    const { world, life, place, poll } = await ready();
    world.channel.fault = closed;
    await place(1, 2);
    expect(world.channel.ownerNotices).toHaveLength(1);

    fails(world, "send", "uncertain", { when: "after" });
    await poll(10);
    expect(await isBlocked(life)).toBe(false);

    world.channel.fault = closed;
    await place(1, 2);
    expect(world.channel.ownerNotices).toHaveLength(2);
  });

  it("is not over with an edit that is taken while messages are refused", async () => {
    const { world, life, place, move, poll } = await ready();
    const ids = await place();
    world.channel.fault = (call) => {
      if (call === "send" || call === "edit") throw new MessengerError("forbidden");
    };
    await place(1, 2);
    await move(ids, "PAID");
    world.channel.fault = closed;
    await poll(9);
    expect(world.channel.messages.at(-1)?.edits).toBe(1);
    expect([await isBlocked(life), world.channel.ownerNotices.length]).toEqual([true, 1]);
  });

  it("is not over with a reminder that needs not be sent any more", async () => {
    const { world, life, place, move } = await ready();
    await life.alerts.remind(guildId, () => ({ afterMs: 30 * minute }));
    const ids = await place();
    world.channel.fault = closed;
    await place(1, 2);
    expect(await isBlocked(life)).toBe(true);

    await move(ids, "EXPIRED", 40);
    expect(await isBlocked(life)).toBe(true);
    expect(world.channel.ownerNotices).toHaveLength(1);
  });
});

it("a poll of a store with nothing new costs 3 requests with 700 orders pending, and neither reads nor writes the storage", async () => {
  const world = await createAlertWorld();
  world.store.place(700);
  const touched: string[] = [];
  const noting =
    <Given extends unknown[], Result>(what: string, work: (...given: Given) => Result) =>
    (...given: Given) => {
      touched.push(what);
      return work(...given);
    };
  const life = world.start(undefined, (backend) => ({
    ...backend,
    read: noting("read", backend.read),
    entries: noting("entries", backend.entries),
    commit: noting("commit", backend.commit),
  }));
  world.commits.before = () => void touched.push("commit");
  await world.turnOn(life);
  await pollOnce(life);
  await life.alerts.settled();
  await pollOnce(life);
  let requests = 0;
  world.store.fault = () => {
    requests++;
  };
  expect(touched).toContain("commit");
  touched.length = 0;
  for (let poll = 1; poll <= 25; poll++) {
    await pollOnce(life);
    expect(requests).toBeLessThanOrEqual(poll * 3);
  }

  expect(touched).toEqual([]);
});

it("says each time that alerts are on, also twice within the minutes in which Discord takes a repeat for the same", async () => {
  const { world, life } = await ready();
  await life.alerts.turnOff(guildId);
  world.pass(1_000);
  await world.turnOn(life);
  expect(said(world, "Order alerts come to this channel")).toBe(2);
});

it("what was written of notices is remembered, although a read that began before the write ended after it", async () => {
  const { storage } = await createAlertWorld();
  const before = { problems: { refused: { since: 1, told: true } } };
  await storage.table(noticesTable).set(guildId, before);
  const [begun, goesOn, written] = [
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
    Promise.withResolvers<void>(),
  ];
  let isWritten = false;
  const slow = withTable(storage, (table) => ({
    async get(key) {
      if (isWritten) return table.get(key);
      await written.promise;
      return before;
    },
  }));
  const commit: Commit = async (steps) => {
    begun.resolve();
    await goesOn.promise;
    isWritten = true;
    return storage.commit(steps);
  };
  const server = { guildId, storage: slow, commitHappened: commit, guilds: { mayKeep: async () => [] } };
  const notices = new Notices(server as unknown as ServerContext);
  const write = notices.alertsOff();
  await begun.promise;
  const read = notices.record();
  goesOn.resolve();
  await write;
  written.resolve();
  await read;
  expect(await notices.record()).toEqual({ problems: {} });
});

it("notices that were being read when a command changed them are read again", async () => {
  const { storage } = await createAlertWorld();
  const [wasRead, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = withTable(storage, (table) => ({
    async get(key) {
      const value = await table.get(key);
      wasRead.resolve();
      await goesOn.promise;
      return value;
    },
  }));
  const notices = new Notices({ guildId, storage: slow } as ServerContext);
  const early = notices.record();
  await wasRead.promise;
  const problems = { blocked: { since: 1, told: true } };
  await storage.table(noticesTable).set(guildId, { problems });
  notices.forgetMemory();
  goesOn.resolve();
  await early;
  expect(await notices.record()).toEqual({ problems });
});
