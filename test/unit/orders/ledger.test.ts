import { describe, expect, it } from "vitest";
import { ConflictError } from "../../../src/orders/guild-lease.ts";
import { type Change, Ledger } from "../../../src/orders/ledger.ts";
import { closed } from "../../../src/orders/order-row.ts";
import type { RowOf } from "../../../src/orders/outbox-row.ts";
import type { Storage } from "../../../src/storage/table.ts";
import { dealtWith, openRow, recordOrders } from "../../support/engine/order-rows.ts";
import { turnsDuring } from "../../support/event-loop-turns.ts";
import { useStorage } from "../../support/use-storage.ts";

const storage = useStorage();

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

/** `planned`: orders whose alerts wait. */
async function filled({ open = [], planned = [] }: { open?: readonly number[]; planned?: readonly number[] }) {
  const ledger = new Ledger(storage, "1");
  await recordOrders(ledger, new Map(open.map((index) => [idOf(index), openRow(factsAt(index))])));
  await plan(ledger, ...planned);
  return ledger;
}

describe("a ledger", () => {
  it.each<[string, (ledger: Ledger) => Promise<unknown>]>([
    ["is left for another store", (ledger) => ledger.startOver()],
    ["ends", (ledger) => ledger.end()],
    ["reads its orders", (ledger) => ledger.entries(all(20_000, idOf))],
    ["records orders", (ledger) => recordOrders(ledger, new Map(all(4_000, (n) => [`${n}`, dealtWith])))],
    ["reads its outbox", async () => new Ledger(storage, "1").outbox()],
  ])("of thousands of orders %s without blocking the event loop", async (_, work) => {
    const ledger = await filled({ open: all(700, (index) => index), planned: all(700, (index) => 2_000 + index) });
    const { turns } = await turnsDuring(() => work(ledger));
    expect(turns).toBeGreaterThan(3);
  });

  it("does not remember an outbox that it was reading when the storage changed", async () => {
    const other = await filled({ planned: [1] });
    const [wasRead, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow: Pick<Storage, "table" | "commit"> = {
      commit: storage.commit,
      table(shape, part) {
        const table = storage.table(shape, part);
        return {
          ...table,
          async *rows() {
            yield* table.rows();
            wasRead.resolve();
            await goesOn.promise;
          },
        };
      },
    };
    const ledger = new Ledger(slow, "1");
    const reading = ledger.outbox();
    await wasRead.promise;
    await other.end();
    ledger.forgetMemory();
    goesOn.resolve();
    await reading;

    expect((await ledger.outbox()).size).toBe(0);
  });

  it("commits changes of more rows than one commit takes in parts", async () => {
    const rulesOf = (id: string) =>
      all(
        11,
        (index): RowOf<"rule"> => ({
          kind: "rule",
          route: `${index}`,
          facts: { ...factsAt(0), id },
          foundAt: 1,
          attempts: [],
        }),
      );
    const ids = all(150, idOf);
    await new Ledger(storage, "1").write(ids, (_, __, some) => some.map((id) => ({ put: rulesOf(id) })));
    expect((await new Ledger(storage, "1").outbox()).size).toBe(150 * 11);
  });

  it("commits nothing of a change if another process has written in between", async () => {
    const one = await filled({ planned: [1] });
    await one.outbox();
    await new Ledger(storage, "1").write([idOf(1)], (orders) => [
      { orders: [...orders].map(([id, row]) => [id, closed(row)]), drop: [`alert/${idOf(1)}`] },
    ]);
    const attempted = { ...alertOf(idOf(1)), attempts: [{ channelId: "c", members: [], shown: [], at: 1 }] };
    await expect(one.write([], () => [{ put: [attempted, alertOf(idOf(2))] }])).rejects.toThrow(ConflictError);
    expect((await one.outbox()).size).toBe(0);
  });

  it("removes a message with what it records, also if its memory is dropped during the write", async () => {
    const ledger = await filled({ planned: [1] });
    await ledger.outbox();
    const recording = ledger.write([idOf(1)], (orders) => [
      { orders: [...orders].map(([id, row]) => [id, closed(row)]), drop: [`alert/${idOf(1)}`] },
    ]);
    ledger.forgetMemory();
    await recording;
    expect((await ledger.outbox()).size).toBe(0);
  });

  it("reads its outbox again after a commit without an answer", async () => {
    const ledger = new Ledger(storage, "1", async (steps) => {
      await storage.commit(steps);
      throw new Error("no answer");
    });
    await ledger.outbox();
    await expect(plan(ledger, 1)).rejects.toThrow("no answer");
    expect([...(await ledger.outbox()).keys()]).toEqual([`alert/${idOf(1)}`]);
  });
});
