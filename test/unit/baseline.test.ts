import { expect, test } from "vitest";
import { isOfBaseline, newListBaseline } from "../../src/orders/baseline-rules.ts";
import { createOrderList, type OrderList, readBacklogPage } from "../support/scan-model.ts";

// test/unit/scan-property.test.ts shows that a baseline leaves no order out.

const arrive = (list: OrderList, count: number) => Array.from({ length: count }, () => list.arrive("PENDING", 0.5));

/** Reads the baseline of a store with so many orders, 100 a page, to its end. `happen` is called before each request. */
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

test("a baseline of one page needs one request, a longer one is read forwards and backwards", async () => {
  expect(await readAll(40)).toEqual({ asked: [1], seen: 40, counted: 40 });
  expect(await readAll(350)).toEqual({ asked: [1, 2, 3, 4, 4, 3, 2, 1], seen: 350, counted: 350 });
});

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
