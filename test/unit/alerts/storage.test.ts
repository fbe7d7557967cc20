import { describe, expect, it } from "vitest";
import { ordersTable } from "../../../src/orders/order-row.ts";
import type { Backend } from "../../../src/storage/backend.ts";
import { StorageError } from "../../../src/storage/table.ts";
import { become, fails, pollOnce, ready } from "../../support/engine/alert-lives.ts";
import { channelId, createAlertWorld, guildId, idsOf, once, timesPosted } from "../../support/engine/alert-world.ts";
import { sized } from "../../support/sized.ts";
import { stored, valuesOf } from "../../support/stored.ts";

/** `times` operations fail from the n-th one on, as with a full disk, a lock or a lost connection. */
function failing(from: number, times: number) {
  let operations = 0;
  const count = () => {
    const operation = operations++;
    if (operation >= from && operation < from + times) throw new StorageError("set", new Error("disk full"));
  };
  const wrap = (backend: Backend): Backend => ({
    ...backend,
    async read(table, keys) {
      count();
      return backend.read(table, keys);
    },
    async commit(steps) {
      count();
      return backend.commit(steps);
    },
  });
  return { wrap, count, operations: () => operations };
}

it("a poll is tried again soon where the server's record could not be read, and says so (0.1.0: at the next round, a day later where polls are daily)", async () => {
  const world = await createAlertWorld();
  await world.turnOn(world.start());
  const [order] = world.store.place(1);
  const storage = failing(0, 1);
  const life = world.start(undefined, storage.wrap);
  const retryMs = await life.alerts.poll(guildId);
  expect(retryMs).toBeGreaterThan(0);
  expect(retryMs).toBeLessThanOrEqual(2_000);
  expect((await life.alerts.status(guildId)).lastError?.code).toBe("storage");

  await pollOnce(life);
  expect(timesPosted(world.channel, [order?.id ?? ""])).toEqual([1]);
});

it("a poll waits longer and longer while only its digest cannot be recorded", async () => {
  const { world, life } = await ready();
  await life.alerts.setDigest(guildId, { channelId, every: "day", hour: 9, timezone: "UTC" });
  await pollOnce(life);
  world.pass(25 * 60 * 60_000);
  world.commits.before = () => {
    throw new StorageError("commit", new Error("disk full"));
  };
  const waits: number[] = [];
  for (let polls = 0; polls < 8; polls++) {
    const waitMs = (await pollOnce(life)) ?? 0;
    waits.push(waitMs);
    world.pass(waitMs);
  }
  expect(waits).toEqual([1_500, 3_000, 6_000, 12_000, 24_000, 48_000, 96_000, 192_000]);
});

it.each(sized([1, 10], [1, 3, 10]))("announces everything once though the storage fails %i times", async (times) => {
  for (let from = 0; ; from += sized(9, 1)) {
    const world = await createAlertWorld();
    world.channel.nonces = false;
    await world.turnOn(world.start());
    const [first] = world.store.place(2);
    await pollOnce(world.start());
    if (first) first.status = "PAID";
    const storage = failing(from, times);
    const life = world.start(undefined, storage.wrap);
    world.commits.before = storage.count;
    world.store.place(7);
    for (let poll = 0; poll < times + 6; poll++) {
      await pollOnce(life);
      await life.alerts.idle();
      world.pass(15_000);
    }
    const all = world.store.orders.map(({ id }) => id);
    expect(timesPosted(world.channel, all), `operation ${from}`).toEqual(all.map(() => 1));
    if (storage.operations() <= from) break;
  }
});

it("whose row of an order is malformed while its alert waits holds up no other alert", async () => {
  const { world, place, poll, mend, alertsOf } = await ready();
  fails(world, "send", "forbidden");
  const [broken = ""] = await place(1, 0.25);
  await world.storage.table(stored<unknown>(`orders:${guildId}`)).set(broken, { state: "nonsense" });
  mend();
  const later = idsOf(world.store.place(1));
  const next = world.start();
  await poll(1, next);

  expect(alertsOf([broken, ...later])).toEqual([0, 1]);
  expect((await next.alerts.status(guildId)).planned).toBe(0);
});

it("an order whose change cannot be recorded delays no other order", async () => {
  const { world, place, move, replies } = await ready({ statuses: ["PENDING", "PAID"] });
  const [stuck = ""] = await place();
  const [other = ""] = await place();
  world.commits.before = (steps) => {
    if (steps.some(({ key }) => key === stuck)) throw new StorageError("commit", new Error("disk full"));
  };
  await move([stuck, other], "REFUNDED", 1);
  expect(replies()).toHaveLength(1);
});

const hour = 60 * 60_000;
const day = 24 * hour;

/** Seven orders that share messages. */
async function posted() {
  const scene = await ready();
  const ids = await scene.place(7);
  const states = async () => {
    const found = await valuesOf(scene.world.storage.table(ordersTable, guildId), ids);
    return found.map((row) => row?.state);
  };
  return { ...scene, ids, states };
}

describe("what is kept of an order", () => {
  it("is its content while another order of its message is followed, and then only its id", async () => {
    const { ids, move, states } = await posted();
    await move(ids.slice(1), "CANCELLED", 1);
    expect(await states()).toEqual(["open", ...ids.slice(1).map(() => "kept")]);

    await move(ids.slice(0, 1), "CANCELLED", 1);
    expect(await states()).toEqual(ids.map(() => "closed"));
  });

  it("is only its id after /alerts off, even if another order of its message was still followed", async () => {
    const { life, ids, move, states } = await posted();
    await move(ids.slice(1), "CANCELLED", 1);
    await life.alerts.turnOff(guildId);
    expect(await states()).toEqual(ids.map(() => "closed"));
  });

  it("stays for good: an order that stands in the list again after years does not ring", async () => {
    const { world, ids, move, poll, alertsOf } = await posted();
    await move(ids, "PAID", 1);
    world.pass(3 * 365 * day);
    become(world, "PENDING");
    await poll(5, world.start());

    expect(alertsOf(ids)).toEqual(once(ids));
  });

  it("is its content for 30 days, and then only its id, without an edit", async () => {
    const { world, poll, states } = await posted();
    world.pass(30 * day + hour);
    await poll(1);
    world.pass(hour);
    await poll(1);

    expect(new Set(await states())).toEqual(new Set(["closed"]));
    expect(world.channel.messages.some(({ edits }) => edits > 0)).toBe(false);
  });
});
