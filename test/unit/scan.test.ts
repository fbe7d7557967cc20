import { describe, expect, test } from "vitest";
import { newListMemory } from "../../src/orders/list-memory.ts";
import { readList } from "../../src/orders/read-list.ts";
import { type OrderPage, StoreError } from "../../src/store-api/store-api.ts";
import { createPoller, down } from "../support/list-poller.ts";
import { asPage, ofPending, type Sorting } from "../support/scan-model.ts";

describe("a poll of the order list", () => {
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

  test.each<Sorting>(["newest first", "oldest first"])("finds 1,000 new orders with the %s", async (sorting) => {
    const { list, poll } = createPoller({ sorting, stock: 5000 });
    await poll();

    const arrived = Array.from({ length: 1000 }, () => list.arrive("PENDING", 0.5));

    expect((await poll()).ids).toEqual(arrived);
    expect((await poll()).requests).toBe(3);
  });

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

  test("reads every other page while one fails for ever (0.1.0: nothing but pages 1 and 9 was read any more)", async () => {
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

  test("tells old orders from new ones while the baseline is read", async () => {
    const { list, poll } = createPoller({});
    const old = list.arrive("PENDING", 0.5);
    const since = list.clock();

    const late = list.arrive("PENDING", 0.5);

    expect(await poll({ since })).toMatchObject({ ids: [late], baseline: [old] });
  });

  test("takes an order without a time as old only until the first reading has gone there and back", async () => {
    const { list, poll } = createPoller({});
    const timeless = list.arrive("PENDING", 0.5);
    const readPage = async () =>
      asPage(
        list.page(1).items.map((order) => ({ ...order, createdAt: undefined })),
        1,
      );

    expect(await poll({ since: list.clock(), pass: 2, readPage })).toMatchObject({ ids: [], baseline: [timeless] });
    expect(await poll({ since: list.clock(), pass: 3, readPage })).toMatchObject({ ids: [], baseline: [] });

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
    const input = { readPage: async () => list.page(1), known, alertedIds: async () => [], ...ofPending };

    await expect(readList({ ...input, memory: newListMemory() })).rejects.toThrow("disk");
  });
});
