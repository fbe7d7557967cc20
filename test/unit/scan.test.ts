import { describe, expect, test } from "vitest";
import { ListMemory } from "../../src/orders/list-memory.ts";
import { readList } from "../../src/orders/read-list.ts";
import { type OrderPage, StoreError } from "../../src/store-api/store-api.ts";
import { createPoller, down } from "../support/list-poller.ts";
import { asPage, ledgerOf, type Sorting } from "../support/scan-model.ts";

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

    const { ids, pages } = await poll();
    expect(ids).toEqual(arrived);
    expect(
      pages.flatMap((page) => page.toSorted()),
      "the oldest page is recorded first",
    ).toEqual(arrived);
    expect((await poll()).requests).toBe(3);
  });

  test("goes on in the next poll where the bound of one poll cut it short", async () => {
    const { list, poll } = createPoller({ stock: 2000, pageSize: 10 });
    for (let polls = 0; polls < 120; polls += 1) await poll();
    const arrived = Array.from({ length: 500 }, () => list.arrive("PENDING", 0.5));
    const found = [];

    for (let polls = 0; polls < 3; polls += 1) {
      const { ids, requests } = await poll();
      expect(requests).toBeLessThanOrEqual(23);
      found.push(...ids);
    }

    expect(found.sort()).toEqual(arrived.sort());
  });

  test("goes on in the next poll at the page that failed, and counts what was read before it", async () => {
    const { list, poll } = createPoller({ stock: 2000 });
    for (let polls = 0; polls < 12; polls += 1) await poll();
    const arrived = Array.from({ length: 500 }, () => list.arrive("PENDING", 0.5));

    const broken = await poll(async (page) => (page === 3 ? down() : list.page(page)));

    expect(broken.failures).toMatchObject([{ page: 3, error: { code: "unavailable" } }]);
    expect(broken.asked.slice(0, 3)).toEqual([1, 2, 3]);
    expect(broken.ids).toEqual(arrived.slice(300));

    const mended = await poll();
    expect(mended.failures).toEqual([]);
    expect(mended.ids).toEqual(arrived.slice(0, 300));
  });

  test.each([5, 9])("reads every other page while page %i fails for ever", async (bad) => {
    const { list, poll } = createPoller({ stock: 900 });
    const read = new Set<number>();
    for (let polls = 0; polls < 9; polls += 1) {
      const { asked } = await poll(async (page) => (page === bad ? down() : list.page(page)));
      for (const page of asked) read.add(page);
    }
    expect([...read].sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("stops asking when two pages fail, or when the store wants no more", async () => {
    const { list, poll } = createPoller({ stock: 900 });
    await poll();

    expect((await poll(async (page) => (page > 1 ? down() : list.page(page)))).asked).toEqual([1, 9, 3]);

    const busy = async (page: number) => {
      if (page === 9) throw new StoreError("rate_limited", "orders");
      return list.page(page);
    };
    expect((await createPoller({ stock: 900 }).poll(busy)).asked).toEqual([1, 9]);
  });

  test("reads nothing more when page 1 fails, and keeps its memory", async () => {
    const { poll, memory } = createPoller({ stock: 900 });
    await poll();
    const before = structuredClone({ ...memory });

    expect(await poll(down)).toMatchObject({ requests: 1, ids: [], missing: [], failures: [{ page: 1 }] });
    expect({ ...memory }).toEqual(before);
  });

  test("records nothing where every page is what it was", async () => {
    const { list, poll, opened } = createPoller({ stock: 900 });
    for (const page of [1, 4, 9]) for (const order of list.page(page).items) opened(order);
    for (let polls = 0; polls < 20; polls += 1) await poll();

    for (let polls = 0; polls < 20; polls += 1) expect(await poll()).toMatchObject({ recorded: 0, requests: 3 });

    list.arrive("PENDING", 0.5);
    expect((await poll()).recorded).toBeGreaterThan(0);
  });

  test("takes a last page that the API does not have any more for an empty one", async () => {
    const { list, poll } = createPoller({ stock: 900 });
    const gone = async (page: number): Promise<OrderPage> =>
      page === 9 ? { ...asPage([], 8), isGone: true } : list.page(page);

    expect(await poll(gone)).toMatchObject({ failures: [], asked: [1, 9, 8] });
  });

  test("remembers no page that could not be recorded", async () => {
    const { list } = createPoller({});
    list.arrive("PENDING", 0.5);
    const memory = new ListMemory();
    const record = async () => {
      throw new Error("disk");
    };
    const inspect = async () => ({ leadsOn: true, isAllNew: true, record });
    const reading = readList(memory, {
      statuses: ["PENDING"],
      ledger: ledgerOf(new Map()),
      readPage: async () => list.page(1),
      inspect,
    });

    await expect(reading).rejects.toThrow("disk");
    expect(memory.pages.size).toBe(0);
  });
});

describe("followed orders that left the list", () => {
  test("are reported at once where all pages were read, otherwise by the next poll", async () => {
    for (const [stock, polls] of [
      [300, 1],
      [5000, 2],
    ] as const) {
      const { list, poll, opened } = createPoller({ stock });
      const ids = [0, 50].map((index) => opened(list.page(1).items[index]));
      expect((await poll()).missing).toEqual([]);

      for (const id of ids) list.remove(id);
      for (let left = polls; left > 1; left -= 1) expect((await poll()).missing).toEqual([]);

      expect((await poll()).missing.toSorted()).toEqual(ids.toSorted());
      expect((await poll()).missing).toEqual([]);
    }
  });

  test("while no poll ran are reported once every page was read", async () => {
    const { list, poll, opened } = createPoller({ stock: 900 });
    const id = opened(list.page(5).items[50]);
    list.remove(id);
    const missing = [];
    for (let polls = 0; polls < 8; polls += 1) missing.push(...(await poll()).missing);

    expect(missing).toEqual([id]);
  });

  test("are reported 5 in a poll, and all of them in the end", async () => {
    const { list, poll, opened } = createPoller({ stock: 30 });
    const open = list.page(1).items.slice(0, 12).map(opened);
    await poll();
    for (const id of open) list.remove(id);
    const reports = [(await poll()).missing, (await poll()).missing, (await poll()).missing];

    expect(reports.map(({ length }) => length)).toEqual([5, 5, 2]);
    expect(new Set(reports.flat())).toEqual(new Set(open));
  });
});
