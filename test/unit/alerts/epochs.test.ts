import { describe, expect, it } from "vitest";
import { forgetServer } from "../../../src/forget-server.ts";
import { ordersTable } from "../../../src/orders/order-row.ts";
import { fails, holdFirst, holdPage } from "../../support/engine/alert-lives.ts";
import {
  type CommitHooks,
  createAlertWorld,
  guildId,
  idsOf,
  once,
  pollFor,
  timesPosted,
} from "../../support/engine/alert-world.ts";
import { createCrew, hireIn } from "../../support/engine/crew.ts";
import { atEachStep } from "../../support/engine/killer.ts";
import { rule, setRoutes } from "../../support/engine/rules-world.ts";
import { sized } from "../../support/sized.ts";

// Several processes on one storage. One of them has the lease of the server at a time.

const minute = 60_000;

/** A polls, and B may take over. Minutes have passed, so Discord has forgotten nonces. */
async function twoProcesses(commitsOfA?: CommitHooks) {
  const { world, worker: a, gateway: b } = await createCrew(commitsOfA);
  world.channel.nonces = false;
  await a.take();
  await world.turnOn(a);
  await pollFor(world, a, minute);
  return { world, a, b };
}

describe("the lease", () => {
  it("that was lost and came back while the channel was searched: what the search has not found may be there", async () => {
    const { world, a, b } = await twoProcesses();
    const { channel } = world;
    fails(world, "send", "uncertain");
    const ids = idsOf(world.store.place(1));
    await a.alerts.poll(guildId);
    await a.alerts.idle();
    channel.fault = () => undefined;
    const { waits, goOn } = holdFirst(world, "postedSince", "after");
    world.pass(minute);
    await a.alerts.poll(guildId);
    await waits;

    fails(world, "send", "uncertain", { when: "after" });
    await b.take();
    await b.alerts.poll(guildId);
    await b.alerts.idle();
    await a.take();
    await a.alerts.poll(guildId);
    channel.fault = () => undefined;
    goOn();
    await pollFor(world, a, 10 * minute);
    expect(timesPosted(channel, ids)).toEqual(once(ids));
  });

  it("that was lost at any step of an alert is not used any more (0.1.0: sent twice)", async () => {
    const goOn = async () => undefined;
    const steps = await atEachStep(sized(3, 1), async (isNow, label) => {
      let step: () => Promise<unknown> = goOn;
      /** A's request ends when B takes over, so A goes on before B is ready. */
      let workOfB: Promise<unknown> = Promise.resolve();
      const { world, a, b } = await twoProcesses({ before: async () => void (await step()) });
      world.channel.fault = async (call) => void (call === "send" && (await step()));
      // A is suspended, B takes over and works everything off, and A goes on.
      const takeOver = async () => {
        await b.take();
        world.pass(30 * minute);
        await pollFor(world, b, minute);
      };
      step = async () => {
        if (!isNow()) return;
        step = goOn;
        workOfB = takeOver();
        await workOfB;
      };
      const ids = idsOf(world.store.place(7));
      await pollFor(world, a, 2 * minute);
      step = goOn;
      await workOfB;
      await b.take();
      ids.push(...idsOf(world.store.place(1)));
      await pollFor(world, b, 2 * minute);
      expect(timesPosted(world.channel, ids), label).toEqual(once(ids));
    });
    expect(steps).toBeGreaterThan(4);
  });
});

it("`/alerts off` in a gateway ends all, although the worker records a message that was under way", async () => {
  const world = await createAlertWorld();
  const hire = hireIn(world);
  const worker = hire();
  let record = async () => {};
  const gateway = hire({
    before: async (steps) => {
      if (steps.some(({ table }) => table.startsWith("outbox:"))) await record();
    },
  });
  await worker.take();
  await world.turnOn(worker);
  await pollFor(world, worker, minute);
  const { waits, goOn } = holdFirst(world, "send", "after");
  world.store.place(1);
  await worker.alerts.poll(guildId);
  await waits;
  record = async () => {
    record = async () => {};
    goOn();
    await worker.alerts.idle();
  };
  await gateway.alerts.turnOff(guildId);
  expect((await gateway.alerts.status(guildId)).followed).toBe(0);
  expect((await gateway.alerts.status(guildId)).planned).toBe(0);
});

it("a message that was under way as the worker heard of a change is recorded before the next poll", async () => {
  const { world, gateway, worker } = await createCrew();
  await worker.take();
  await world.turnOn(worker);
  await pollFor(world, worker, minute);
  const send = holdFirst(world, "send", "after");
  const [order] = world.store.place(1);
  await worker.alerts.poll(guildId);
  await send.waits;
  const page = holdPage(world);
  const polling = worker.alerts.poll(guildId);
  await page.waits;
  await gateway.alerts.remind(guildId, () => ({ afterMs: minute }));
  await worker.hear();
  send.goOn();
  const stateOf = async () => (await world.storage.table(ordersTable, guildId).get(order?.id ?? ""))?.state;
  await expect.poll(stateOf).toBe("open");
  page.goOn();
  await polling;
});

it("a poll that looks up a product while another process forgets its server leaves nothing behind", async () => {
  const { world, gateway, worker } = await createCrew();
  const { storage, store } = world;
  await worker.take();
  await world.turnOn(worker);
  await setRoutes(worker, rule({ category: { id: "c", name: "Keys" } }));
  await pollFor(world, worker, minute);
  const [asked, answers] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  store.listProducts = async () => {
    asked.resolve();
    await answers.promise;
    return { items: [], lastPage: 1, skipped: 0 };
  };
  store.place(1);
  const polling = worker.alerts.poll(guildId);
  await asked.promise;
  await gateway.alerts.forget(guildId, () => forgetServer(storage, guildId));
  await worker.hear();
  answers.resolve();
  await polling;
  await worker.alerts.idle();
  const left: string[] = [];
  for await (const page of storage.rawEntries()) left.push(...page.map(({ table, key }) => `${table} ${key}`));
  expect(left.filter((row) => row.includes(guildId))).toEqual([]);
});
