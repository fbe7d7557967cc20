import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLog } from "../../src/operations/log.ts";
import { ConflictError } from "../../src/orders/conflict-error.ts";
import { type Change, closed, Ledger } from "../../src/orders/ledger.ts";
import type { RowOf } from "../../src/orders/outbox-row.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import type { Storage } from "../../src/storage/table.ts";
import { turnsDuring } from "../support/event-loop-turns.ts";
import { dealtWith, openRow, recordOrders } from "../support/order-rows.ts";

let directory: string;
let storage: Storage;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "shopbell-ledger-"));
  const log = createLog("silent");
  storage = await openStorage(`sqlite://${join(directory, "ledger.sqlite")}`, log);
});
afterEach(async () => {
  await storage.close();
  await rm(directory, { recursive: true, force: true });
});

const idOf = (index: number) => `0f8fad5b-d9cb-469f-a165-${String(index).padStart(12, "0")}`;
const factsAt = (index: number) => ({
  id: idOf(index),
  status: "PENDING",
  items: Array.from({ length: 3 }, () => ({ title: "A product with a name", quantity: 1 })),
  total: 5,
  paymentMethod: "PIX",
  createdAt: 1,
});
const alertOf = (orderId: string): RowOf<"alert"> => ({ kind: "alert", orderId, foundAt: 1, attempts: [] });
const plannedAt = (index: number): Change => ({
  orders: [[idOf(index), { state: "planned", facts: factsAt(index), foundAt: 1 }]],
  put: [alertOf(idOf(index))],
});
const all = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const plan = (ledger: Ledger, ...indexes: readonly number[]) =>
  ledger.write(indexes.map(idOf), (_, __, some) => some.map((id) => plannedAt(Number(id.slice(-12)))));
const openAt = (indexes: readonly number[]) => new Map(indexes.map((index) => [idOf(index), openRow(factsAt(index))]));

describe("a ledger of a server with thousands of orders", () => {
  it.each<[string, (ledger: Ledger) => Promise<unknown>]>([
    ["is left behind for another store", (ledger) => ledger.startOver()],
    ["ends", (ledger) => ledger.end()],
    ["reads its entries", (ledger) => ledger.entries(all(4_000, idOf))],
    ["takes orders as seen", (ledger) => recordOrders(ledger, new Map(all(4_000, (n) => [`${n}`, dealtWith])))],
    ["is read anew", async () => new Ledger(storage, "1").outbox()],
  ])("%s without holding the event loop", async (_, work) => {
    const ledger = new Ledger(storage, "1");
    await recordOrders(ledger, openAt(all(700, (index) => index)));
    await plan(ledger, ...all(700, (index) => 2_000 + index));
    const { turns } = await turnsDuring(() => work(ledger));

    expect(turns).toBeGreaterThan(7);
  });

  it("keeps what is to be sent, and nothing else, when it starts over", async () => {
    const ledger = new Ledger(storage, "1");
    await recordOrders(ledger, openAt(all(150, (index) => index)));
    await recordOrders(ledger, new Map([[idOf(500), dealtWith]]));
    await plan(ledger, 900, 901);
    await ledger.startOver();

    expect([...(await ledger.entries(all(1_000, idOf))).keys()]).toEqual([idOf(900), idOf(901)]);
    expect([...(await new Ledger(storage, "1").outbox()).keys()]).toEqual([`alert/${idOf(900)}`, `alert/${idOf(901)}`]);
    expect(await ledger.openIds()).toEqual([]);
  });

  it("sends and follows nothing any more once it has ended, and knows every order", async () => {
    const ledger = new Ledger(storage, "1");
    await recordOrders(ledger, openAt([1, 2]));
    await plan(ledger, 3);
    await ledger.end();

    expect((await ledger.outbox()).size).toBe(0);
    expect(await ledger.openIds()).toEqual([]);
    expect([...(await ledger.entries([1, 2, 3].map(idOf))).values()]).toEqual([dealtWith, dealtWith, dealtWith]);
  });
});

describe("a change", () => {
  it("of 1,500 orders is committed in parts, each of them whole", async () => {
    const ledger = new Ledger(storage, "1");
    await plan(ledger, ...all(1_500, (index) => index));
    const known = new Ledger(storage, "1");

    expect((await known.outbox()).size).toBe(1_500);
    expect((await known.entries(all(1_500, idOf))).size).toBe(1_500);
  });

  it("moves an order into the index of those that are open, and out of it", async () => {
    const ledger = new Ledger(storage, "1");
    await recordOrders(ledger, openAt([1, 2, 3]));
    await ledger.write([idOf(2)], (orders) => [...orders].map(([id, row]) => ({ orders: [[id, closed(row)]] })));

    expect(await ledger.openIds()).toEqual([idOf(1), idOf(3)]);
  });

  it("is refused where somebody else has written meanwhile, and nothing of it is done", async () => {
    const [one, other] = [new Ledger(storage, "1"), new Ledger(storage, "1")];
    await plan(one, 1);
    await one.outbox();
    await other.write([idOf(1)], (orders) => [
      { orders: [...orders].map(([id, row]) => [id, closed(row)]), drop: [`alert/${idOf(1)}`] },
    ]);
    const attempted = { ...alertOf(idOf(1)), attempts: [{ channelId: "c", members: [], shown: [], at: 1 }] };

    await expect(one.write([], () => [{ put: [attempted, alertOf(idOf(2))] }])).rejects.toThrow(ConflictError);
    expect((await one.outbox()).size).toBe(0);
  });

  it("that the storage could not keep is not in memory either", async () => {
    const ledger = new Ledger(
      {
        ...storage,
        table: (shape, part) => storage.table(shape, part),
        commit: async (steps) => {
          await storage.commit(steps);
          throw new Error("no answer");
        },
      },
      "1",
    );
    await ledger.outbox();
    await expect(plan(ledger, 1)).rejects.toThrow("no answer");

    expect([...(await ledger.outbox()).keys()]).toEqual([`alert/${idOf(1)}`]);
  });
});
