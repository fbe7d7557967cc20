import { describe, expect, test } from "vitest";
import { baselineSchema, isOfBaseline, newListBaseline } from "../../src/orders/baseline-state.ts";
import { StoreError } from "../../src/store-api/store-api.ts";
import { createOrderList, readBacklogPage } from "../support/scan-model.ts";

/** A store with 100 orders a page, and the reader of its baseline. */
function createReader(stock: number) {
  const list = createOrderList({ sorting: "newest first", pageSize: 100, filter: "PENDING" });
  for (let count = 0; count < stock; count += 1) list.arrive("PENDING", 0.5);
  const ledger = new Set<string>();
  const asked: number[] = [];
  const reader = { state: newListBaseline(["PENDING"], list.clock()) };
  const takeAsSeen = async (ids: readonly string[]) => {
    const before = ledger.size;
    for (const id of ids) ledger.add(id);
    return ledger.size - before;
  };
  const read = async (between: (page: number) => void = () => {}) => {
    reader.state = await readBacklogPage({
      state: reader.state,
      readPage: async (page) => {
        asked.push(page);
        between(page);
        return list.page(page);
      },
      takeAsSeen,
    });
  };
  const readAll = async () => {
    while (!reader.state.done) await read();
  };
  return { list, ledger, asked, takeAsSeen, read, readAll, reader };
}

describe("the reading of a baseline", () => {
  test("takes one page as seen with one request", async () => {
    const { asked, ledger, read, reader } = createReader(40);
    await read();
    await read();
    expect(reader.state).toMatchObject({ done: true, counted: 40 });
    expect(asked).toEqual([1]);
    expect(ledger.size).toBe(40);
  });

  test("goes from the first page to the last and back", async () => {
    const { asked, ledger, readAll, reader } = createReader(350);
    await readAll();

    expect(asked).toEqual([1, 2, 3, 4, 4, 3, 2, 1]);
    expect(ledger.size).toBe(350);
    expect(reader.state.counted).toBe(350);
  });

  test("finds on the way back an order that a departure of another hid on the way there", async () => {
    const { list, ledger, read, readAll } = createReader(350);
    const old = list.ids("PENDING");

    await read();
    await read((page) => {
      if (page === 2) list.remove(old.at(-1) ?? "");
    });
    await readAll();

    expect(old.slice(0, -1).every((id) => ledger.has(id))).toBe(true);
  });

  test("reads back even when the way there found nothing", async () => {
    const { list, ledger, read, readAll, reader } = createReader(1);
    const [old] = list.ids("PENDING");
    const late = Array.from({ length: 100 }, () => list.arrive("PENDING", 0.5));

    await read();
    list.remove(late[0] ?? "");
    await readAll();

    expect([...ledger]).toEqual([old]);
    expect(reader.state.counted).toBe(1);
  });

  test("gives up after 4 passes that all found something", async () => {
    const { list, asked, read, reader } = createReader(250);
    for (let turns = 0; !reader.state.done && turns < 50; turns += 1) {
      reader.state = { ...reader.state, since: list.clock() };
      await read(() => list.arrive("PENDING", 0.5));
    }

    expect(reader.state.done).toBe(true);
    expect(asked.length).toBe(12);
  });

  test.each(["readPage", "takeAsSeen"])("keeps its place when %s fails", async (part) => {
    const { list, reader, takeAsSeen } = createReader(350);
    const fail = async (): Promise<never> => {
      throw new StoreError("timeout", "orders");
    };
    const input = { state: reader.state, readPage: async (page: number) => list.page(page), takeAsSeen, [part]: fail };
    await expect(readBacklogPage(input)).rejects.toMatchObject({ code: "timeout" });
  });
});

describe("an order of the baseline", () => {
  const pending = newListBaseline(["PENDING"], 100);
  const order = { id: "a", status: "PENDING", createdAt: 99 };

  test("was created before its own status began to be alerted", () => {
    const lists = [pending, newListBaseline(["PAID"], 200)];
    const isOld = (createdAt: number, status: string) => isOfBaseline({ id: "a", createdAt, status }, { lists });
    expect([99, 100].map((at) => isOld(at, "pending"))).toEqual([true, false]);
    expect([199, 200].map((at) => isOld(at, "PAID"))).toEqual([true, false]);
    expect(isOld(1, "SHIPPED")).toBe(false);
  });

  test("is in a list that is not read to its end, and was not unpaid before", () => {
    expect(isOfBaseline(order, { lists: [{ ...pending, done: true }] })).toBe(false);
    expect(isOfBaseline(order, { lists: [pending], unpaid: ["a"] })).toBe(false);
  });

  test("without a time is old only until the list was read forwards and backwards", () => {
    const timeless = { ...order, createdAt: undefined };
    const passes = [1, 2, 3].map((pass) => isOfBaseline(timeless, { lists: [{ ...pending, pass }] }));
    expect(passes).toEqual([true, true, false]);
  });

  test("is old by the state that 1.0.0 stored", () => {
    const state = baselineSchema.parse({
      statuses: ["PAID", "PENDING"],
      since: 50,
      beginnings: [
        { statuses: ["PENDING"], since: 100 },
        { statuses: ["PAID"], since: 50 },
      ],
      page: 3,
      pass: 2,
      clean: true,
      done: false,
      counted: 7,
    });
    expect(state.lists).toMatchObject([
      { statuses: ["PAID"], since: 50, page: 1, counted: 7 },
      { statuses: ["PENDING"], since: 100, page: 1, counted: 0 },
    ]);
  });
});
