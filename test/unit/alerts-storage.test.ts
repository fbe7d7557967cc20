import { expect, it } from "vitest";
import type { Backend } from "../../src/storage/backend.ts";
import { StorageError } from "../../src/storage/table.ts";
import { fails, pollOnce, ready } from "../support/alert-lives.ts";
import { createAlertWorld, guildId, idsOf, pollFor, timesPosted } from "../support/alert-world.ts";
import { sized } from "../support/sized.ts";
import { stored } from "../support/stored.ts";

/** A storage whose operations fail from the n-th one on, `times` of them: a full disk, a lock, a lost connection. */
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

it.each(sized([1, 10], [1, 3, 10]))("announces everything once though the storage fails %i times", async (times) => {
  for (let from = 0; ; from += sized(5, 1)) {
    const world = await createAlertWorld();
    world.channel.nonces = false;
    await world.turnOn(world.start());
    const [first] = world.store.place(2);
    await world.start().alerts.poll(guildId);
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

it("that fails is asked twice more at most: by what runs in the background", async () => {
  for (let from = 0; ; from += sized(5, 1)) {
    const world = await createAlertWorld();
    await world.turnOn(world.start());
    world.store.place(7);
    const storage = failing(from, Number.POSITIVE_INFINITY);
    const life = world.start(undefined, storage.wrap);

    await pollOnce(life);

    if (storage.operations() <= from) break;
    expect(storage.operations(), `operation ${from}`).toBeLessThanOrEqual(from + 3);
  }
});

it("whose row of an order is malformed while its alert waits holds up no other alert", async () => {
  const { world, life } = await ready();
  fails(world, "send", "forbidden");
  const [broken = ""] = idsOf(world.store.place(1));
  await pollFor(world, life, 15_000);
  await world.storage.table(stored<unknown>(`orders:${guildId}`)).set(broken, { state: "nonsense" });
  world.channel.fault = () => undefined;
  const later = idsOf(world.store.place(1));
  const next = world.start();
  await pollFor(world, next, 60_000);

  expect(timesPosted(world.channel, [broken, ...later])).toEqual([0, 1]);
  expect((await next.alerts.status(guildId)).planned).toBe(0);
});
