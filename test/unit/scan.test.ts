import { expect, test } from "vitest";
import type { LedgerEntry } from "../../src/alerts/ledger.ts";
import { newListMemory } from "../../src/alerts/list-memory.ts";
import { readList } from "../../src/alerts/read-list.ts";
import { PAGE_SIZE } from "../../src/store-api/orders.ts";
import type { Order } from "../../src/store-api/schemas.ts";
import { type OrderPage, StoreError } from "../../src/store-api/store-api.ts";
import { alerted, asPage, changed, createOrderList, type Sorting } from "./scan-model.ts";

/** One store, polled: a ledger that takes in what rings, and what was asked for. */
function createPoller(options: { sorting?: Sorting; pageSize?: number; filter?: string | undefined; stock?: number }) {
  const { sorting = "newest first", pageSize = PAGE_SIZE, stock = 0 } = options;
  const list = createOrderList({ sorting, pageSize, filter: "filter" in options ? options.filter : "PENDING" });
  const ledger = new Map<string, LedgerEntry>();
  for (let count = 0; count < stock; count += 1) ledger.set(list.arrive("PENDING", 0.5), { state: "seen" });
  const state = { memory: newListMemory() };
  const open = () => [...ledger].flatMap(([id, entry]) => (entry.state === "posted" ? [id] : []));
  let lookUps = 0;

  const poll = async (
    more: { readPage?: (page: number) => Promise<OrderPage>; since?: number; pass?: number } = {},
  ) => {
    const asked: number[] = [];
    lookUps = 0;
    const result = await readList({
      readPage: async (page, fingerprint) => {
        asked.push(page);
        return changed(more.readPage ? await more.readPage(page) : list.page(page), fingerprint);
      },
      async known(ids) {
        if (ids.length > 0) lookUps++;
        return new Map(ids.flatMap((id) => (ledger.has(id) ? [[id, ledger.get(id) as LedgerEntry]] : [])));
      },
      async followedIds() {
        lookUps++;
        return open();
      },
      statuses: ["PENDING"],
      memory: state.memory,
      ...(more.since === undefined
        ? {}
        : { backlog: { since: more.since, statuses: ["PENDING"], pass: more.pass ?? 1 } }),
    });
    state.memory = structuredClone(result.memory);
    for (const { id } of result.fresh) ledger.set(id, { state: "seen" });
    return { ...result, asked, lookUps, ids: result.fresh.map(({ id }) => id) };
  };
  const opened = (order: Order | undefined) => {
    if (order) ledger.set(order.id, alerted(order));
    return order?.id ?? "";
  };
  const settled = (id: string) => void ledger.set(id, { state: "seen" });
  return { list, ledger, opened, settled, poll, state };
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
  expect(broken.failures).toMatchObject([{ page: 3, error: { code: "unavailable" } }]);
  expect(broken.asked.slice(0, 3)).toEqual([1, 2, 3]);
  expect(broken.ids).toEqual(arrived.slice(300));
  const mended = await poll();
  expect(mended.failures).toEqual([]);
  expect(mended.ids).toEqual(arrived.slice(0, 300));
});

test("a page that fails for ever holds up no other page (0.1.0: nothing but pages 1 and 9 was read any more)", async () => {
  for (const bad of [5, 9]) {
    const { list, poll } = createPoller({ stock: 900 });
    const read = new Set<number>();
    let requests = 0;
    for (let polls = 0; polls < 64; polls += 1) {
      const { asked } = await poll({ readPage: async (page) => (page === bad ? down() : list.page(page)) });
      for (const page of asked) read.add(page);
      requests += asked.filter((page) => page === bad).length;
    }
    expect([...read].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(requests, "asked for ever more rarely").toBeLessThanOrEqual(9);
    expect((await poll()).asked.length).toBeLessThanOrEqual(3);
  }
});

test("finds what stands on every other page while one fails for ever", async () => {
  const { list, poll } = createPoller({ sorting: "by id", stock: 0 });
  for (let count = 0; count < 2000; count += 1) list.arrive("PENDING", ((count * 7919) % 2000) / 2000);
  for (let polls = 0; polls < 25; polls += 1) await poll();
  const arrived = Array.from({ length: 40 }, (_, index) => list.arrive("PENDING", index / 40));
  const onBad = new Set(list.page(7).items.map(({ id }) => id));
  const found: string[] = [];
  for (let polls = 0; polls < 60; polls += 1) {
    found.push(...(await poll({ readPage: async (page) => (page === 7 ? down() : list.page(page)) })).ids);
  }
  expect(found.sort()).toEqual(arrived.filter((id) => !onBad.has(id)).sort());
});

test("stops asking when two pages fail, or when the store wants no more", async () => {
  const { list, poll } = createPoller({ stock: 900 });
  await poll();
  expect((await poll({ readPage: async (page) => (page > 1 ? down() : list.page(page)) })).asked).toEqual([1, 9, 3]);
  const busy = async (page: number) => {
    if (page === 9) throw new StoreError("rate_limited", "orders");
    return list.page(page);
  };
  expect((await createPoller({ stock: 900 }).poll({ readPage: busy })).asked).toEqual([1, 9]);
});

test("reads nothing more when page 1 fails, and keeps its memory", async () => {
  const { poll, state } = createPoller({ stock: 900 });
  await poll();
  const before = state.memory;
  const broken = await poll({ readPage: down });
  expect(broken).toMatchObject({ requests: 1, fresh: [], missing: [], failures: [{ page: 1 }] });
  expect(state.memory).toEqual(before);
});

test("looks nothing up where every page is what it was", async () => {
  const { list, poll, opened } = createPoller({ stock: 900 });
  for (const page of [1, 4, 9]) for (const order of list.page(page).items) opened(order);
  for (let polls = 0; polls < 20; polls += 1) await poll();
  for (let polls = 0; polls < 20; polls += 1) expect(await poll()).toMatchObject({ lookUps: 0, requests: 3 });
  list.arrive("PENDING", 0.5);
  expect((await poll()).lookUps).toBeGreaterThan(0);
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
  const gone = async (page: number): Promise<OrderPage> =>
    page === 9 ? { ...asPage([], 8), isGone: true } : list.page(page);
  expect(await poll({ readPage: gone })).toMatchObject({ failures: [], asked: [1, 9, 8] });
});

test("finds pending orders behind pages of others when the API ignores the status filter", async () => {
  const { list, poll } = createPoller({ stock: 900, filter: undefined });
  await poll();
  const pending = list.arrive("PENDING", 0.5);
  for (let count = 0; count < 350; count += 1) list.arrive("PAID", 0.5);
  const result = await poll();
  expect(result.ids).toEqual([pending]);
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

test("counts an order once that stands in a page, or in two, more than once", async () => {
  const { list, poll } = createPoller({});
  const id = list.arrive("PENDING", 0.5);
  const twice = asPage([...list.page(1).items, ...list.page(1).items], 4);
  expect((await poll({ readPage: async () => twice })).ids).toEqual([id]);
});

test("tells old orders from new ones while the backlog is read", async () => {
  const { list, poll } = createPoller({});
  const old = list.arrive("PENDING", 0.5);
  const since = list.clock();
  const late = list.arrive("PENDING", 0.5);
  expect(await poll({ since })).toMatchObject({ ids: [late], backlog: [old] });
});

test("takes an order without a time as old only until the first reading has gone there and back", async () => {
  const { list, poll } = createPoller({});
  const timeless = list.arrive("PENDING", 0.5);
  const readPage = async () =>
    asPage(
      list.page(1).items.map((order) => ({ ...order, createdAt: undefined })),
      1,
    );
  expect(await poll({ since: list.clock(), pass: 2, readPage })).toMatchObject({ ids: [], backlog: [timeless] });
  expect(await poll({ since: list.clock(), pass: 3, readPage })).toMatchObject({ ids: [], backlog: [] });
  const later = list.arrive("PENDING", 0.5);
  const { ids } = await poll({ since: list.clock(), pass: 3, readPage });
  expect(ids).toContain(later);
});

test("concludes nothing when the ledger cannot be read", async () => {
  const { list } = createPoller({});
  list.arrive("PENDING", 0.5);
  const known = async () => {
    throw new Error("disk");
  };
  const input = { readPage: async () => list.page(1), known, followedIds: async () => [], statuses: ["PENDING"] };
  await expect(readList({ ...input, memory: newListMemory() })).rejects.toThrow("disk");
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
  expect((await poll()).missing.toSorted()).toEqual([top, inside].toSorted());
  const later = [];
  // Page 30 had not been read before: a whole round has to show that the order is nowhere.
  for (let polls = 0; polls < 49; polls += 1) later.push(...(await poll()).missing);
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

test("gives 5 missing orders a poll, and all of them in the end", async () => {
  const { list, poll, opened } = createPoller({ stock: 30 });
  const open = list.page(1).items.slice(0, 12).map(opened);
  await poll();
  for (const id of open) list.remove(id);
  const first = (await poll()).missing;
  const second = (await poll()).missing;
  const third = (await poll()).missing;
  expect([first.length, second.length, third.length]).toEqual([5, 5, 2]);
  expect(new Set([...first, ...second, ...third]).size).toBe(12);
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
