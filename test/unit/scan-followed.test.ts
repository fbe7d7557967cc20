import { describe, expect, test } from "vitest";
import { createPoller } from "../support/list-poller.ts";

describe("a poll of the order list", () => {
  test("shows an open order whose status changed within the list", async () => {
    const { list, poll, opened } = createPoller({ stock: 3, filter: undefined });
    const id = opened(list.page(1).items[1]);

    list.setStatus(id, "PAID");

    expect(await poll()).toMatchObject({ changed: [{ id, status: "PAID" }], missing: [] });
  });

  test("shows that a new order was paid before the page to which it moved was read", async () => {
    const { list, poll } = createPoller({ pageSize: 1, filter: undefined });
    for (let count = 0; count < 3; count += 1) list.arrive("PENDING", 0);

    const { ids, changed } = await poll({
      async readPage(number) {
        const page = list.page(number);
        if (number === 2) {
          list.arrive("PENDING", 0);
          list.setStatus(page.items[0]?.id ?? "", "PAID");
        }
        return page;
      },
    });

    expect(changed.map(({ status }) => status)).toEqual(["PAID"]);
    expect(ids).toContain(changed[0]?.id);
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
});
