import { describe, expect, test } from "vitest";
import { type BaselineState, newBaseline } from "../../src/orders/baseline.ts";
import { StoreError } from "../../src/store-api/store-api.ts";
import { createOrderList, readBacklogPage } from "../support/scan-model.ts";

/** A store with 100 orders a page, and the reader of its baseline. */
function createReader(stock: number) {
  const list = createOrderList({ sorting: "newest first", pageSize: 100, filter: "PENDING" });
  for (let count = 0; count < stock; count += 1) list.arrive("PENDING", 0.5);
  const ledger = new Set<string>();
  const asked: number[] = [];
  const reader = { state: newBaseline([{ since: list.clock(), statuses: ["PENDING"] }]) };
  const read = async (between: (page: number) => void = () => {}) => {
    const result = await readBacklogPage({
      state: reader.state,
      readPage: async (page) => {
        asked.push(page);
        between(page);
        return list.page(page);
      },
      known: async (ids) => new Set(ids.filter((id) => ledger.has(id))),
      markSeen: async (ids) => {
        for (const id of ids) ledger.add(id);
      },
    });
    reader.state = JSON.parse(JSON.stringify(result.state));
    return result.seen;
  };
  const readAll = async () => {
    while (!reader.state.done) await read();
  };
  return { list, ledger, asked, read, readAll, reader };
}

describe("the reading of a backlog", () => {
  test("takes one page as seen with one request", async () => {
    const { asked, ledger, read, reader } = createReader(40);
    expect(await read()).toBe(40);
    expect(reader.state).toMatchObject({ done: true, counted: 40 });
    expect(asked).toEqual([1]);
    expect(ledger.size).toBe(40);
    expect(await read()).toBe(0);
    expect(asked).toEqual([1]);
  });

  test("goes from the first page to the last and back", async () => {
    const { asked, ledger, readAll, reader } = createReader(350);
    await readAll();

    expect(asked).toEqual([1, 2, 3, 4, 4, 3, 2, 1]);
    expect(ledger.size).toBe(350);
    expect(reader.state.counted).toBe(350);
  });

  test("goes on where it was after a restart", async () => {
    const { asked, read, reader, readAll, ledger } = createReader(350);
    await read();
    await read();
    const kept: BaselineState = JSON.parse(JSON.stringify(reader.state));

    reader.state = kept;
    await readAll();

    expect(asked.slice(0, 4)).toEqual([1, 2, 3, 4]);
    expect(ledger.size).toBe(350);
  });

  test("leaves orders created since its beginning to the scan, and takes those without a time as seen", async () => {
    const { list, ledger, reader } = createReader(0);
    const state = newBaseline([{ since: list.clock(), statuses: ["PENDING"] }]);
    const late = list.arrive("PENDING", 0.5);
    const order = list.page(1).items[0];
    const timeless = order && { ...order, id: "timeless", createdAt: undefined };

    reader.state = (
      await readBacklogPage({
        state,
        readPage: async () => ({ items: order && timeless ? [order, timeless] : [], lastPage: 1, skipped: 0 }),
        known: async () => new Set(),
        markSeen: async (ids) => {
          for (const id of ids) ledger.add(id);
        },
      })
    ).state;

    expect([...ledger]).toEqual(["timeless"]);
    expect(ledger.has(late)).toBe(false);
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
    const since = reader.state.since;
    let turns = 0;

    while (!reader.state.done) {
      turns += 1;
      expect(turns).toBeLessThan(50);
      reader.state = { ...reader.state, since: list.clock() };
      await read(() => list.arrive("PENDING", 0.5));
      reader.state = { ...reader.state, since: list.clock() };
    }

    expect(reader.state.since).toBeGreaterThan(since);
    expect(asked.length).toBe(12);
  });

  test("keeps its place when a page, the ledger or the marking fails", async () => {
    const { list, reader, readAll, ledger } = createReader(350);
    const fail = async (): Promise<never> => {
      throw new StoreError("timeout", "orders");
    };
    const input = {
      state: reader.state,
      readPage: async (page: number) => list.page(page),
      known: async () => new Set<string>(),
      markSeen: async () => {},
    };

    for (const part of ["readPage", "known", "markSeen"]) {
      await expect(readBacklogPage({ ...input, [part]: fail })).rejects.toMatchObject({ code: "timeout" });
    }

    await readAll();
    expect(ledger.size).toBe(350);
  });
});
