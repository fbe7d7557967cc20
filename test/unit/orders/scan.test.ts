import { expect, test } from "vitest";
import { isOfBaseline, newListBaseline } from "../../../src/baseline/baseline-rules.ts";
import { ListMemory } from "../../../src/orders/list-memory.ts";
import type { OrderRow } from "../../../src/orders/order-row.ts";
import { readList } from "../../../src/orders/read-list.ts";
import { type OrderPage, StoreError } from "../../../src/store-api/store-api.ts";
import { dealtWith } from "../../support/engine/order-rows.ts";
import {
  asPage,
  changed,
  createOrderList,
  ledgerOf,
  type OrderList,
  readBacklogPage,
  type Sorting,
} from "../../support/engine/scan-model.ts";

// Which pages of a list a poll and a baseline read. test/unit/orders/scan-property.test.ts shows that no order is overlooked.

const arrive = (list: OrderList, count: number) => Array.from({ length: count }, () => list.arrive("PENDING", 0.5));

/** The orders in `stock` are known. */
function createPoller({
  stock,
  sorting = "newest first",
  pageSize = 100,
}: Partial<Record<"stock" | "pageSize", number>> & { sorting?: Sorting }) {
  const list = createOrderList({ sorting, pageSize, filter: "PENDING" });
  const rows = new Map<string, OrderRow>();
  for (const id of arrive(list, stock ?? 0)) rows.set(id, dealtWith);
  const memory = new ListMemory(["PENDING"]);

  const poll = async (fails: (page: number) => StoreError["code"] | undefined = () => undefined) => {
    const asked: number[] = [];
    /** Ids of new orders by page, in the sequence in which the pages were recorded. */
    const pages: string[][] = [];
    const { failures, missing } = await readList(memory, {
      ledger: ledgerOf(rows),
      async readPage(page, fingerprint): Promise<OrderPage | undefined> {
        asked.push(page);
        const code = fails(page);
        if (code === "not_found") return { ...asPage([], page - 1), isGone: true };
        if (code) throw new StoreError(code, "orders");
        return changed(list.page(page), fingerprint);
      },
      async inspect({ items }) {
        const fresh = items.filter(({ id }) => !rows.has(id)).map(({ id }) => id);
        return {
          leadsOn: fresh.length > 0,
          isAllNew: fresh.length > 0 && fresh.length === items.length,
          async record() {
            for (const id of fresh) rows.set(id, dealtWith);
            pages.push(fresh);
            return items.flatMap(({ id }) => (rows.get(id)?.state === "open" ? [id] : []));
          },
        };
      },
    });
    return { failed: failures.map(({ page }) => page), missing, asked, pages, ids: pages.flat().sort() };
  };
  const polls = async (count: number) => {
    for (let left = count; left > 0; left--) await poll();
  };
  return { list, rows, arrive: (count: number) => arrive(list, count), poll, polls, memory };
}

const down = () => "unavailable" as const;

test.each<Sorting>(["newest first", "oldest first"])(
  "the next poll finds 1,000 new orders with the %s, and records the oldest page first",
  async (sorting) => {
    const { arrive, poll } = createPoller({ sorting, stock: 5000 });
    await poll();
    const arrived = arrive(1_000);
    expect((await poll()).pages.flatMap((page) => page.toSorted())).toEqual(arrived);
    expect((await poll()).asked).toHaveLength(3);
  },
);

test.each([650, 150])(
  "new orders are found by the next poll if the store lists them last and names no last page; %i of 650 are left",
  async (left) => {
    const { list, rows, arrive, poll, polls } = createPoller({ sorting: "oldest first", stock: 650 });
    const { page } = list;
    list.page = (number) => {
      const { items } = page(number);
      const mayHaveMore = items.length === 100;
      return { ...asPage(items, mayHaveMore ? number + 1 : number), mayHaveMore };
    };
    await polls(8);
    for (const id of [...rows.keys()].slice(left)) list.remove(id);
    await polls(2);
    for (const count of [1, 1, 300]) {
      const arrived = arrive(count);
      expect((await poll()).ids).toEqual(arrived);
    }
  },
);

test("a page next to new orders that is unchanged is not asked for again by the next poll", async () => {
  const { arrive, poll, polls } = createPoller({ sorting: "oldest first", stock: 950 });
  await polls(10);
  arrive(1);
  expect((await poll()).asked).toContain(9);
  await poll();
  expect((await poll()).asked).toHaveLength(3);
});

test("a poll asks for at most 20 more pages, and the next polls go on from there", async () => {
  const { arrive, poll, polls } = createPoller({ stock: 2000, pageSize: 10 });
  await polls(120);
  const arrived = arrive(500);
  const found = [];
  for (const most of [23, 23, 23]) {
    const { ids, asked } = await poll();
    expect(asked.length).toBeLessThanOrEqual(most);
    found.push(...ids);
  }
  expect(found.sort()).toEqual(arrived.sort());
});

test("the next poll goes on where the storage failed in the middle of 300 new orders", async () => {
  const { rows, arrive, poll, polls } = createPoller({ stock: 2000, pageSize: 10, sorting: "oldest first" });
  await polls(240);
  const arrived = arrive(300);
  await poll();
  const { set } = rows;
  rows.set = () => {
    throw new Error("connection lost");
  };
  await expect(poll()).rejects.toThrow("connection lost");
  rows.set = set;
  await polls(3);
  expect(arrived.filter((id) => !rows.has(id))).toEqual([]);
});

test.each([1, 3])(
  "new orders behind a page that fails %i times are found by the next poll, those before it at once",
  async (times) => {
    const { arrive, poll, polls } = createPoller({ stock: 2000 });
    await polls(12);
    const arrived = arrive(500);
    const found: string[] = [];
    for (let failed = 0; failed < times; failed++) {
      const broken = await poll((page) => (page === 3 ? "unavailable" : undefined));
      expect(broken.failed).toEqual([3]);
      found.push(...broken.ids);
    }
    expect(found).toEqual(arrived.slice(300));
    const repaired = await poll();
    expect([repaired.failed, repaired.ids]).toEqual([[], arrived.slice(0, 300)]);
  },
);

test("a run that two pages interrupt for ever does not keep other runs waiting", async () => {
  const { poll, memory } = createPoller({ stock: 2000 });
  await poll();
  for (const page of [11, 12, 13]) memory.resume.add(page);
  const fails = (page: number) => (page === 11 || page === 12 ? "unavailable" : undefined);
  expect((await poll(fails)).asked).not.toContain(13);
  expect((await poll(fails)).asked).toContain(13);
});

test.each([5, 9])("every other page is read while page %i fails for ever", async (bad) => {
  const { poll } = createPoller({ stock: 900 });
  const read = new Set<number>();
  for (let polls = 0; polls < 9; polls++) {
    for (const page of (await poll((page) => (page === bad ? "unavailable" : undefined))).asked) read.add(page);
  }
  expect([...read].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test.each<[string, (page: number) => StoreError["code"] | undefined, number[], number[]]>([
  ["page 1 fails", down, [1], [1]],
  ["two pages fail", (page) => (page > 1 ? "unavailable" : undefined), [1, 9, 3], [9, 3]],
  ["the store wants no more requests", (page) => (page > 1 ? "rate_limited" : undefined), [1, 9], [9]],
  ["the last page is gone", (page) => (page === 9 ? "not_found" : undefined), [1, 9, 8], []],
])("a poll asks for these pages only: %s", async (_, fails, asked, failed) => {
  const { poll, memory } = createPoller({ stock: 900 });
  await poll();
  const before = structuredClone({ ...memory });
  expect(await poll(fails)).toMatchObject({ asked, failed, ids: [], missing: [] });
  if (failed.includes(1)) expect({ ...memory }).toEqual(before);
});

/** A store with `stock` orders, 100 a page. `happen` is called before each request. */
async function readAll(
  stock: number,
  happen: (list: OrderList, page: number) => unknown = () => undefined,
  since?: number,
) {
  const list = createOrderList({ sorting: "newest first", pageSize: 100, filter: "PENDING" });
  arrive(list, stock);
  const seen = new Set<string>();
  const asked: number[] = [];
  let state = newListBaseline(["PENDING"], since ?? list.clock());
  while (!state.done) {
    state = await readBacklogPage({
      state,
      async readPage(page) {
        asked.push(page);
        happen(list, page);
        return list.page(page);
      },
      async takeAsSeen(ids) {
        const before = seen.size;
        for (const id of ids) seen.add(id);
        return seen.size - before;
      },
    });
  }
  return { asked, seen: seen.size, counted: state.counted };
}

test("its reading ends after 4 passes that all found something", async () => {
  const { asked } = await readAll(250, (list) => arrive(list, 1), Number.POSITIVE_INFINITY);
  expect(asked).toHaveLength(12);
});

test("it is read backwards also if the first pass found nothing, because an order that left may have hidden one", async () => {
  const late: string[] = [];
  const { seen } = await readAll(1, (list, page) => {
    if (late.length === 0) late.push(...arrive(list, 100));
    else if (page === 2) list.remove(late[0] ?? "");
  });
  expect(seen).toBe(1);
});

const pending = newListBaseline(["PENDING"], 100);
const paid = newListBaseline(["PAID"], 200);
test.each([
  ["created before its status was alerted", { createdAt: 99 }, {}, true],
  ["created since then", { createdAt: 100 }, {}, false],
  ["created before its own status was alerted", { createdAt: 199, status: "PAID" }, {}, true],
  ["created since its own status was alerted", { createdAt: 200, status: "PAID" }, {}, false],
  ["in a status that is not alerted", { createdAt: 1, status: "SHIPPED" }, {}, false],
  ["in a list that was read to its end", { createdAt: 99 }, { done: true }, false],
  ["unpaid before", { createdAt: 99, id: "unpaid" }, {}, false],
  ["without a time, while its list is read backwards first", {}, { pass: 2 }, true],
  ["without a time, after that", {}, { pass: 3 }, false],
])("an order belongs to the baseline, or not: %s", (_, order, list, isOld) => {
  const state = { lists: [{ ...pending, ...list }, paid], unpaid: ["unpaid"] };
  expect(isOfBaseline({ id: "a", status: "pending", createdAt: undefined, ...order }, state)).toBe(isOld);
});
