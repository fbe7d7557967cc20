import { afterEach, describe, expect, it, vi } from "vitest";
import { createEditThrottle } from "../../../src/handling/edit-throttle.ts";
import { createHandling, type Handler, type Handling, takesTable } from "../../../src/handling/takes.ts";
import type { Storage } from "../../../src/storage/table.ts";
import { orderSchema } from "../../../src/store-api/schemas.ts";
import { type Store, StoreError } from "../../../src/store-api/store-api.ts";
import { listTaken } from "../../../src/store-queries/orders-by-handling.ts";
import { codeOf } from "../../support/code-of.ts";
import { ready } from "../../support/engine/alert-lives.ts";
import { guildId, idsOf } from "../../support/engine/alert-world.ts";
import { keysIn, stored } from "../../support/stored.ts";
import { useStorage } from "../../support/use-storage.ts";

const storage = useStorage();
const ana: Handler = { guildId, userId: "41", isManager: false };
const ben: Handler = { ...ana, userId: "42" };
const manager: Handler = { ...ana, userId: "43", isManager: true };

afterEach(() => void vi.useRealTimers());

const start = (now = () => 7, kept: Storage = storage): Handling =>
  createHandling({ storage: kept, mayKeep: async () => [], now });

const rowsOf = async (storage: Storage) => (await keysIn(storage, `takes:${guildId}`)).length;

const manyOf = (storage: Storage, count: number) => {
  const rows = Array.from({ length: count }, (_, at) => [`order ${at}`, { by: ana.userId, at }] as const);
  return storage.table(takesTable, guildId).setMany(rows);
};

it("what is kept of a server's orders has a bound, and what was pressed last stays, and what others pressed", async () => {
  let clock = -10;
  const handling = start(() => ++clock);
  await handling.press("take", ben, "first");
  clock = 6_000;
  await manyOf(storage, 5_300);
  await handling.press("done", ana, "order 400");
  for (let at = 5_300; at < 6_000; at++) await handling.press("take", ana, `order ${at}`);

  expect(await rowsOf(storage)).toBeLessThanOrEqual(5_500);
  const takes = await handling.of(guildId, ["first", "order 400", "order 401", "order 5299"]);
  expect([...takes.keys()]).toEqual(["first", "order 400", "order 5299"]);
});

describe("who has an order", () => {
  it("is theirs to be done with or to give back, and a manager's", async () => {
    const handling = start();
    const isDone = async (...args: Parameters<Handling["press"]>) => (await handling.press(...args)).isDone;
    expect(await isDone("done", ana, "a")).toBe(false);
    expect(await isDone("take", ana, "a")).toBe(true);
    for (const press of ["take", "done", "back"] as const) expect(await isDone(press, ben, "a"), press).toBe(false);
    expect(await isDone("take", manager, "a"), "a manager takes nothing away by it").toBe(false);
    expect(await isDone("done", manager, "a")).toBe(true);
    expect(await isDone("done", ana, "a")).toBe(false);
    expect(await isDone("back", ana, "a")).toBe(true);
    expect(await isDone("take", ben, "a")).toBe(true);
    expect(await handling.of(guildId, ["a", "b"])).toEqual(new Map([["a", { by: "42", at: 7 }]]));
  });

  it("is listed until it is done, the last taken first, and nobody's orders push others out", async () => {
    let clock = 0;
    const handling = start(() => ++clock);
    const ids = Array.from({ length: 602 }, (_, index) => `o${index}`);
    await handling.press("take", ben, "first");
    expect(await handling.taken(guildId)).toHaveLength(1);
    for (const id of ids) await handling.press("take", ana, id);
    await handling.press("done", ana, "o601");
    await handling.press("back", ana, "o600");
    const listed = (await handling.taken(guildId)).map(({ id }) => id);
    expect(listed).toEqual([...ids.slice(0, 600).reverse(), "first"]);
  });

  it("has the newest ten presses before that in 1 kB, however often it is pressed", async () => {
    let clock = 1_795_262_400_000;
    const handling = start(() => ++clock);
    const staff = { ...ana, userId: "2".repeat(20) };
    const entry = async () => JSON.stringify(await storage.table(stored(`takes:${guildId}`)).get("a")).length;
    await handling.press("take", staff, "a");
    await handling.press("done", staff, "a");
    expect(await entry()).toBeLessThan(140);
    for (let nth = 0; nth < 50; nth++)
      for (const press of ["back", "take", "done"] as const) await handling.press(press, staff, "a");
    const { take, past } = await handling.ofOrder(guildId, "a");
    expect(past.map(({ at }) => at)).toEqual(Array.from({ length: 10 }, (_, nth) => clock - 11 + nth));
    expect(take).toMatchObject({ at: clock - 1, done: { at: clock } });
    expect(await entry()).toBeLessThan(950);
  });

  it("is not kept where nothing may be", async () => {
    const nothingMayBeKept = createHandling({ storage, mayKeep: async () => undefined, now: () => 7 });
    expect(await codeOf(nothingMayBeKept.press("take", ana, "a"))).toBe("not_connected");
  });

  it("is one person's where two processes are pressed at the same moment, and the list names each order that is taken", async () => {
    const [one, other] = [start(), start()];
    const orders = Array.from({ length: 20 }, (_, nth) => `order ${nth}`);
    const pressed = await Promise.all(
      orders.map((id) => Promise.all([one.press("take", ana, id), other.press("take", ben, id)])),
    );
    for (const [index, both] of pressed.entries()) {
      const take = (await one.of(guildId, orders)).get(orders[index] ?? "");
      expect(both.map(({ isDone }) => isDone).toSorted()).toEqual([false, true]);
      expect(both.map((handled) => handled.take)).toEqual([take, take]);
    }
    expect((await other.taken(guildId)).map(({ id }) => id).toSorted()).toEqual(orders.toSorted());
  });
});

describe("edits of one message", () => {
  it("are one a second at most, one at a time, and the last press is shown", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const throttle = createEditThrottle();
    const edits: number[] = [];
    const first = Promise.withResolvers<void>();
    for (let press = 1; press <= 60; press++) {
      void throttle("m", async () => {
        edits.push(press);
        if (press === 1) await first.promise;
      });
      await vi.advanceTimersByTimeAsync(30);
    }
    // The first edit has taken 1.8 s.
    expect(edits).toEqual([1]);
    void throttle("m", async () => void edits.push(61));
    first.resolve();
    await vi.advanceTimersByTimeAsync(1);
    expect(edits).toEqual([1, 61]);
    void throttle("m", async () => void edits.push(62));
    await vi.advanceTimersByTimeAsync(998);
    expect(edits).toEqual([1, 61]);
    await vi.advanceTimersByTimeAsync(2);
    expect(edits).toEqual([1, 61, 62]);
  });

  it("go on after one that Discord did not take, which its own press hears of", async () => {
    const throttle = createEditThrottle();
    await expect(throttle("m", () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
    await expect(throttle("other", async () => undefined)).resolves.toBeUndefined();
  });
});

it.each(["before", "after"] as const)(
  "an alert that is edited for a status while somebody takes its order says both in the end (taken %s the edit arrived)",
  async (moment) => {
    const { world, place, move } = await ready();
    const ids = await place();
    const handling = start(undefined, world.storage);
    world.channel.fault = async (call, when) => {
      if (call === "edit" && when === moment) await handling.press("take", ana, ids[0] ?? "");
    };
    await move(ids, "PAID", 1);
    const shown = JSON.stringify(world.channel.messages.at(-1)?.payload);
    expect(shown).toContain("Paid");
    expect(shown).toContain("🙋 Taken by <@41>");
    expect(world.channel.messages.at(-1)?.edits).toBe(2);
  },
);

it.each([1, 8])("%i orders that were taken before their alert was posted: the alert says so", async (count) => {
  const { world, poll } = await ready();
  const ids = idsOf(world.store.place(count));
  await start(undefined, world.storage).press("take", ana, ids[0] ?? "");
  await poll(1);
  const shown = JSON.stringify(world.channel.messages.at(-1)?.payload);
  expect(shown).toMatch(/🙋 .*<@41>/);
  if (count === 1) expect(shown).toMatch(/Done.*Give back/);
});

it.each([
  ["whose answer cannot be used", "malformed"],
  ["that the store refuses to show (403)", "unauthorized"],
] as const)("taken orders are listed without one %s (before: an error)", async (_, code) => {
  const getOrder = async (id: string) => {
    if (id === "o2") throw new StoreError(code, "GET order");
    return orderSchema.parse({ id, status: "PENDING" });
  };
  const { items, notes } = await listTaken({ getOrder } as Partial<Store> as Store, ["o1", "o2", "o3"], {}, 1, "en");
  expect(items.map(({ id }) => id)).toEqual(["o1", "o3"]);
  expect(notes).toEqual(["Unreadable entries left out: 1."]);
  // Before: "No orders found."
  expect(await codeOf(listTaken({ getOrder } as Partial<Store> as Store, ["o2"], {}, 1, "en"))).toBe(code);
});

it("taken orders that the store does not have are counted below the list (before: left out without a word)", async () => {
  const getOrder = async (id: string) => {
    if (id !== "o1") throw new StoreError("not_found", "GET order");
    return orderSchema.parse({ id, status: "PENDING" });
  };
  const list = (filter: object) =>
    listTaken({ getOrder } as Partial<Store> as Store, ["o1", "o2", "o3"], filter, 1, "en");
  for (const filter of [{}, { statuses: ["PENDING"] }]) {
    const { items, notes } = await list(filter);
    expect(items.map(({ id }) => id)).toEqual(["o1"]);
    expect(notes).toEqual(["Taken orders that the store does not have: 2."]);
  }
});
