import { expect, test } from "vitest";
import { askAgain, newScanMemory, PAGE_SIZE, scan } from "../../src/alerts/scan.ts";
import type { OpenOrder } from "../../src/alerts/scan-absence.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import { type Page, StoreError } from "../../src/store-api/store-api.ts";
import { createOrderList, type Sorting } from "./scan-model.ts";

/** One store, polled: a ledger that takes in what rings, and what was asked for. */
function createPoller(options: { sorting?: Sorting; pageSize?: number; filter?: string | undefined; stock?: number }) {
  const { sorting = "newest first", pageSize = PAGE_SIZE, stock = 0 } = options;
  const list = createOrderList({ sorting, pageSize, filter: "filter" in options ? options.filter : "PENDING" });
  const ledger = new Set<string>();
  for (let count = 0; count < stock; count += 1) ledger.add(list.arrive("PENDING", 0.5));
  const open: OpenOrder[] = [];
  const state = { memory: newScanMemory() };

  const poll = async (more: { readPage?: (page: number) => Promise<Page<Order>>; since?: number } = {}) => {
    const asked: number[] = [];
    const result = await scan({
      readPage: async (page) => {
        asked.push(page);
        return more.readPage ? more.readPage(page) : list.page(page);
      },
      known: async (ids) => new Set(ids.filter((id) => ledger.has(id))),
      statuses: ["PENDING"],
      open,
      memory: state.memory,
      ...(more.since === undefined ? {} : { backlog: { since: more.since, statuses: ["PENDING"] } }),
    });
    state.memory = result.memory;
    for (const { id } of result.fresh) ledger.add(id);
    return { ...result, asked, ids: result.fresh.map(({ id }) => id) };
  };
  const opened = (order: OpenOrder | undefined) => {
    if (order) open.push(order);
    return order?.id ?? "";
  };
  return { list, ledger, open, opened, poll, state };
}

const down = async (): Promise<never> => {
  throw new StoreError("unavailable", "orders");
};

test("asks for page 1, the last page and one in between, in turn", async () => {
  const { poll } = createPoller({ stock: 450 });
  expect((await poll()).asked).toEqual([1, 5, 2]);
  expect((await poll()).asked).toEqual([1, 5, 3]);
  expect((await poll()).asked).toEqual([1, 5, 4]);
  expect((await poll()).asked).toEqual([1, 5, 2]);
});

test("asks once for an empty or one-page list, and reads all of three pages", async () => {
  expect((await createPoller({}).poll()).asked).toEqual([1]);
  expect((await createPoller({ stock: 100 }).poll()).asked).toEqual([1]);
  expect((await createPoller({ stock: 101 }).poll()).asked).toEqual([1, 2]);
  expect((await createPoller({ stock: 300 }).poll()).asked).toEqual([1, 3, 2]);
});

test.each<Sorting>(["newest first", "oldest first"])(
  "finds 1,000 orders at once, %s, oldest first",
  async (sorting) => {
    const { list, poll } = createPoller({ sorting, stock: 5000 });
    await poll();
    const arrived = Array.from({ length: 1000 }, () => list.arrive("PENDING", 0.5));
    expect((await poll()).ids).toEqual(arrived);
    expect((await poll()).requests).toBe(3);
  },
);

test("goes on in the next poll where the bound of one poll cut it short", async () => {
  const { list, poll } = createPoller({ stock: 2000, pageSize: 10 });
  for (let polls = 0; polls < 120; polls += 1) await poll();
  const arrived = Array.from({ length: 800 }, () => list.arrive("PENDING", 0.5));
  const found = [];
  for (let polls = 0; polls < 3; polls += 1) {
    const { ids, requests } = await poll();
    expect(requests).toBeLessThanOrEqual(54);
    found.push(...ids);
  }
  expect(found.sort()).toEqual(arrived.sort());
});

test("goes on in the next poll at the page that failed, and counts what was read before it", async () => {
  const { list, poll } = createPoller({ stock: 2000 });
  for (let polls = 0; polls < 12; polls += 1) await poll();
  const arrived = Array.from({ length: 500 }, () => list.arrive("PENDING", 0.5));
  const broken = await poll({ readPage: async (page) => (page === 3 ? down() : list.page(page)) });
  expect(broken.failure).toMatchObject({ code: "unavailable" });
  expect(broken.asked).toEqual([1, 2, 3]);
  expect(broken.ids).toEqual(arrived.slice(300));
  const mended = await poll();
  expect(mended.failure).toBeUndefined();
  expect(mended.ids).toEqual(arrived.slice(0, 300));
});

test("reads a middle page that failed again before the next", async () => {
  const { list, poll } = createPoller({ stock: 900 });
  await poll();
  await poll({ readPage: async (page) => (page === 3 ? down() : list.page(page)) });
  expect((await poll()).asked).toEqual([1, 9, 3]);
});

test("reads nothing more when page 1 fails, and keeps its memory", async () => {
  const { poll, state } = createPoller({ stock: 900 });
  await poll();
  const { next, round } = state.memory;
  const broken = await poll({ readPage: down });
  expect(broken).toMatchObject({ requests: 1, fresh: [], missing: [], failure: { code: "unavailable" } });
  expect(state.memory).toMatchObject({ next, round });
});

test("finds an order that a departure lifted onto a page which was read already", async () => {
  const { list, poll } = createPoller({ stock: 900 });
  await poll();
  const arrived = Array.from({ length: 500 }, () => list.arrive("PENDING", 0.5));
  const leaver = arrived.at(-1) ?? "";
  let request = 0;
  const { ids } = await poll({
    readPage: async (page) => {
      request += 1;
      if (request === 4) list.remove(leaver);
      return list.page(page);
    },
  });
  expect(ids).toEqual(arrived);
});

test("takes the new last page when the list shrank under it, within 3 requests", async () => {
  const { list, poll } = createPoller({ sorting: "oldest first", stock: 401 });
  await poll();
  const late = list.arrive("PENDING", 0.5);
  const [one, two] = list.ids("PENDING");
  const { asked, ids } = await poll({
    readPage: async (page) => {
      if (page === 5) for (const id of [one, two]) list.remove(id ?? "");
      return list.page(page);
    },
  });
  expect(asked.slice(0, 3)).toEqual([1, 5, 4]);
  expect(ids).toEqual([late]);
});

test("takes a last page that the API does not have any more for an empty one", async () => {
  const { list, poll } = createPoller({ stock: 900 });
  const gone = async (page: number) => {
    if (page === 9) throw new StoreError("not_found", "orders");
    return list.page(page);
  };
  expect(await poll({ readPage: gone })).toMatchObject({ failure: undefined, asked: [1, 9, 8] });
});

test("finds pending orders behind pages of others when the API ignores the status filter, and says that it does", async () => {
  const { list, poll } = createPoller({ stock: 900, filter: undefined });
  expect((await poll()).statusHonoured).toBe(true);
  const pending = list.arrive("PENDING", 0.5);
  for (let count = 0; count < 350; count += 1) list.arrive("PAID", 0.5);
  const result = await poll();
  expect(result.ids).toEqual([pending]);
  expect(result.statusHonoured).toBe(false);
  expect((await poll()).requests).toBe(3);
});

test("goes on behind pages of others where a failure cut it short", async () => {
  const { list, poll } = createPoller({ stock: 2000, filter: undefined });
  for (let polls = 0; polls < 12; polls += 1) await poll();
  const pending = list.arrive("PENDING", 0.5);
  for (let count = 0; count < 350; count += 1) list.arrive("PAID", 0.5);
  expect((await poll({ readPage: async (page) => (page === 3 ? down() : list.page(page)) })).ids).toEqual([]);
  expect((await poll()).ids).toEqual([pending]);
});

test("compares statuses without regard to case", async () => {
  const { list, poll } = createPoller({ filter: undefined });
  const id = list.arrive("pending", 0.5);
  expect((await poll()).ids).toEqual([id]);
});

test("says whether the page size is honoured", async () => {
  expect((await createPoller({ stock: 5 }).poll()).limitHonoured).toBeUndefined();
  expect((await createPoller({ stock: 300 }).poll()).limitHonoured).toBe(true);
  expect((await createPoller({ stock: 300, pageSize: 10 }).poll()).limitHonoured).toBe(false);
});

test("counts an order once that stands in a page, or in two, more than once", async () => {
  const { list, poll } = createPoller({});
  const id = list.arrive("PENDING", 0.5);
  const twice = { ...list.page(1), items: [...list.page(1).items, ...list.page(1).items], lastPage: 4 };
  expect((await poll({ readPage: async () => twice })).ids).toEqual([id]);
});

test("tells old orders from new ones while the backlog is read", async () => {
  const { list, poll } = createPoller({});
  const old = list.arrive("PENDING", 0.5);
  const since = list.clock();
  const late = list.arrive("PENDING", 0.5);
  expect(await poll({ since })).toMatchObject({ ids: [late], backlog: [old] });
});

test("concludes nothing when the ledger cannot be read", async () => {
  const { list } = createPoller({});
  list.arrive("PENDING", 0.5);
  const known = async () => {
    throw new Error("disk");
  };
  const input = { readPage: async () => list.page(1), known, statuses: ["PENDING"], open: [], memory: newScanMemory() };
  await expect(scan(input)).rejects.toThrow("disk");
});

test("shows an open order whose status changed within the list", async () => {
  const { list, poll, opened } = createPoller({ stock: 3, filter: undefined });
  const id = opened(list.page(1).items[1]);
  list.setStatus(id, "PAID");
  expect(await poll()).toMatchObject({ changed: [{ id, status: "PAID" }], missing: [] });
});

test("gives an open order as missing by the next poll when a sorted page has its place and not the order", async () => {
  const { list, poll, opened } = createPoller({ stock: 5000 });
  const top = opened(list.page(1).items[0]);
  const inside = opened(list.page(1).items[50]);
  const deep = opened(list.page(30).items[50]);
  expect((await poll()).missing).toEqual([]);
  for (const id of [top, inside, deep]) list.remove(id);
  expect((await poll()).missing).toEqual([top, inside]);
  const later = [];
  for (let polls = 0; polls < 48; polls += 1) later.push(...(await poll()).missing);
  expect(later).toEqual([deep]);
});

test("gives an open order as missing after a round without it where the list is not sorted by time", async () => {
  const { list, poll, opened } = createPoller({ sorting: "by nothing known", pageSize: 10 });
  for (let count = 0; count < 60; count += 1) list.arrive("PENDING", ((count * 37) % 61) / 61);
  const id = opened(list.page(3).items[4]);
  for (let polls = 0; polls < 8; polls += 1) expect((await poll()).missing).toEqual([]);
  list.remove(id);
  const given = [];
  for (let polls = 0; polls < 8; polls += 1) given.push(...(await poll()).missing);
  expect(given).toEqual([id]);
});

test("gives 5 missing orders a poll, all of them in the end, and again those that could not be read", async () => {
  const { list, poll, open, opened, state } = createPoller({ stock: 30 });
  for (const order of list.page(1).items.slice(0, 12)) opened(order);
  await poll();
  for (const { id } of open) list.remove(id);
  const first = (await poll()).missing;
  const second = (await poll()).missing;
  const third = (await poll()).missing;
  expect([first.length, second.length, third.length]).toEqual([5, 5, 2]);
  expect(new Set([...first, ...second, ...third]).size).toBe(12);
  state.memory = askAgain(state.memory, second);
  expect((await poll()).missing).toEqual(expect.arrayContaining(second));
});

test("asks ever more rarely for an order that is not in the list and yet open", async () => {
  const { list, poll, opened } = createPoller({ stock: 30 });
  const id = opened(list.page(1).items[3]);
  await poll();
  list.remove(id);
  let reads = 0;
  for (let polls = 0; polls < 1000; polls += 1) reads += (await poll()).missing.length;
  expect(reads).toBeGreaterThan(1);
  expect(reads).toBeLessThanOrEqual(10);
});

test("takes nothing for missing from a page with rows left out", async () => {
  const { list, poll, opened } = createPoller({ stock: 900 });
  const id = opened(list.page(1).items[50]);
  await poll();
  list.remove(id);
  const { missing } = await poll({ readPage: async (page) => ({ ...list.page(page), skipped: 1 }) });
  expect(missing).toEqual([]);
});

test("asks 3 times at most with 300 open orders", async () => {
  const { list, poll, opened } = createPoller({ stock: 5000 });
  for (const page of [1, 17, 40]) for (const order of list.page(page).items) opened(order);
  for (let polls = 0; polls < 120; polls += 1) expect(await poll()).toMatchObject({ requests: 3, missing: [] });
});
