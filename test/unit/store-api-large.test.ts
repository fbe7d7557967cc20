import { describe, expect, it } from "vitest";
import { createEnding } from "../../src/store-api/ending.ts";
import { listOrders } from "../../src/store-api/endpoints.ts";
import { outcomeOf } from "../../src/store-api/outcome.ts";
import type { Slices } from "../../src/store-api/slices.ts";
import { createStoreApi, type Store } from "../../src/store-api/store-api.ts";
import { makeOrder } from "../sandbox/store/catalog.ts";
import { crowdedPage } from "../sandbox/store/start-store.ts";
import { startBodyServer } from "../support/body-server.ts";
import { longestTurnAtBest } from "../support/thread-time.ts";

/** Reading such an answer at once takes twice as long or more; of several, parts of memory are tidied up meanwhile, too. */
const longestBlockMs = 25;
const longestBlockOfSeveralMs = 50;
/** A slice is longer in a turn of which other processes took a part. */
const mostLooks = 10;
const mebibyte = 1024 * 1024;
const largeBytes = mebibyte / 4;

/** A store that answers everything with this body, from a thread of its own. */
async function withStore<T>(
  body: string | Buffer,
  use: (store: Store, logged: unknown[], forPeople: Store) => Promise<T>,
): Promise<T> {
  const server = await startBodyServer(Buffer.from(body));
  const logged: unknown[] = [];
  const log = { debug: () => undefined, warn: (...line: unknown[]) => void logged.push(line) };
  const names = { page: "page", limit: "limit", email: "email", status: "status" };
  const api = createStoreApi({ baseUrl: server.url, orderParams: names, log });
  try {
    return await use(api.forToken("t", "background"), logged, api.forToken("t", "interactive"));
  } finally {
    await api.close();
    await server.close();
  }
}

describe("an answer of 8 MiB with 148,000 orders", () => {
  const body = crowdedPage();
  const ordersLeftOut = 148_000 - 1_000;

  it("never holds the event loop (0.1.0: 2.3 s), and keeps the first and the last 500", async () => {
    await withStore(body, async (store, logged) => {
      const held = await longestTurnAtBest(() => store.listOrders({ limit: 100 }), longestBlockMs, mostLooks);
      const page = await store.listOrders({ limit: 100 });

      expect(page).toMatchObject({ items: { length: 1_000 }, cut: ordersLeftOut, skipped: 0, lastPage: 1 });

      const numbers = page.items.map(({ id }) => Number(id.replace("crowd", "")));
      expect(numbers).toEqual([
        ...Array.from({ length: 500 }, (_, index) => index),
        ...Array.from({ length: 500 }, (_, index) => 147_500 + index),
      ]);
      expect(store.capabilities.of("limit")).toBe(false);
      expect(JSON.stringify(logged)).toContain(String(ordersLeftOut));
      expect(held).toBeLessThanOrEqual(longestBlockMs);
    });
  });

  it("is no harder on the others when four come at once, and costs nothing but its bytes when it did not change", async () => {
    await withStore(body, async (store, _, forPeople) => {
      const all = () => Promise.all([store, store, forPeople, forPeople].map((one) => one.listOrders({ limit: 100 })));
      expect(await longestTurnAtBest(all, longestBlockOfSeveralMs, mostLooks)).toBeLessThanOrEqual(
        longestBlockOfSeveralMs,
      );

      const page = await store.changedOrders({ limit: 100 }, undefined);
      expect(page?.cut).toBe(ordersLeftOut);
      expect(await store.changedOrders({ limit: 100 }, page?.fingerprint)).toBeUndefined();
    });
  });
});

describe("other large answers", () => {
  const large = (filler: string) => filler.repeat(Math.ceil(largeBytes / filler.length));

  it("read as small ones do", async () => {
    const orders = Array.from({ length: 600 }, (_, index) => makeOrder(index));
    const text = JSON.stringify({ success: true, data: { orders, lastPage: "7" } });

    expect(text.length).toBeGreaterThan(largeBytes);

    await withStore(`\uFEFF ${text}\n`, async (store) => {
      const { items, lastPage } = await store.listOrders();
      expect(lastPage).toBe(7);
      expect(items.map(({ id, pricing, items: lines }) => [id, pricing, lines.length])).toEqual(
        orders.map(({ id, pricing, items: lines }) => [id, pricing, lines.length]),
      );
      expect(items.map(({ createdAt }) => createdAt)).toEqual(orders.map((order) => Date.parse(order.createdAt)));
      expect(JSON.stringify(items)).not.toContain("GOODS");
    });
  });

  it("of one order whose goods are megabytes show the order, and hold nobody up", async () => {
    const inventory = Array.from({ length: 60_000 }, (_, index) => ({
      type: "SERIAL",
      content: `GOODS-${index}-${"x".repeat(60)}`,
    }));
    const [line, ...lines] = makeOrder(2).items;
    const order = makeOrder(2, { items: [{ ...line, inventory } as never, ...lines] });
    await withStore(JSON.stringify({ success: true, data: order }), async (store) => {
      const held = await longestTurnAtBest(() => store.getOrder(order.id), longestBlockMs, mostLooks);
      const found = await store.getOrder(order.id);

      expect(found.items.map(({ productTitle }) => productTitle)).toEqual(order.items.map((item) => item.productTitle));
      expect(JSON.stringify(found)).not.toContain("GOODS");
      expect(held).toBeLessThanOrEqual(longestBlockMs);
    });
  });

  it.each([
    ["cut short", `{"success":true,"data":{"orders":[{"id":"${large("a")}`, "malformed"],
    ["followed by more", `{"success":true,"data":{"orders":[{"id":"a"}]},"x":"${large("a")}"} {}`, "malformed"],
    ["no JSON", large("<html>"), "malformed"],
    ["no envelope", `["${large("a")}"]`, "malformed"],
    ["no list", `{"success":true,"data":{"orders":"${large("a")}"}}`, "malformed"],
    ["refusals", `{"success":false,"message":"Unauthorized","x":"${large("a")}"}`, "unauthorized"],
    ["refusals in words", `{"x":"${large("a")}","success":false,"message":"Not today"}`, "invalid"],
    ["over 8 MiB", `{"success":true,"data":{"orders":[]},"x":"${"a".repeat(8 * mebibyte)}"}`, "too_large"],
  ])("that are %s fail", async (_, body, code) => {
    await withStore(body, async (store) => {
      await expect(store.listOrders()).rejects.toMatchObject({ code });
    });
  });

  const fields = (bytes: number) => {
    const list = Array.from({ length: bytes / 8 }, (_, index) => `"k${index}":0`);
    return list
      .join(",")
      .slice(0, bytes)
      .replace(/,[^,]*$/, "");
  };
  const row = (index: number, more: string) => `{"id":"o${index}","pricing":{"total":1},${more}}`;
  const list = (rows: readonly string[]) => `{"success":true,"data":{"orders":[${rows.join(",")}]}}`;
  const empty = (count: number) => `[${Array(count).fill("{}").join(",")}]`;
  const rowsOf = (count: number, more: string) => Array.from({ length: count }, (_, index) => row(index, more));

  it.each([
    ["fields beside the list", `{"success":true,"data":{"orders":[],${fields(240 * 1024)}}}`, 0],
    ["fields beside the data", `{"success":true,${fields(240 * 1024)},"data":{"orders":[]}}`, 0],
    ["blanks", `{"success":true,${" ".repeat(8 * mebibyte - 200)}"data":{"orders":[]}}`, 0],
    ["rows of nothing but fields", list(rowsOf(120, fields(62 * 1024))), 120],
    ["rows of empty items", list(rowsOf(120, `"items":${empty(21_000)}`)), 120],
  ])("that are full of %s hold nobody up", async (_, body, rows) => {
    await withStore(body, async (store) => {
      expect((await store.listOrders()).items).toHaveLength(rows);
      const held = await longestTurnAtBest(() => store.listOrders(), longestBlockMs, mostLooks);
      expect(held).toBeLessThanOrEqual(longestBlockMs);
    });
  });

  it("are read in slices from 64 KiB on, smaller ones at once", async () => {
    const steps = async (bytes: number) => {
      const body = Buffer.from(`{"success":true,${fields(bytes)},"data":{"orders":[]}}`);
      let count = 0;
      const slices: Slices = {
        async run(work) {
          for (;;) {
            const step = work.next();
            if (step.done) return step.value;
            count += 1;
          }
        },
      };
      const ending = createEnding(1_000, undefined);
      await outcomeOf({ status: 200, headers: {}, body }, listOrders, "t", slices, ending);
      ending.forget();
      return count;
    };
    // 65 KiB hold some 6,000 fields, and after nearly each of them the reading may stop.
    const manySteps = 4_000;

    expect(await steps(63 * 1024)).toBe(0);
    expect(await steps(65 * 1024)).toBeGreaterThan(manySteps);
  });

  it("have 100 lines kept of each order, 10,000 of a page, and 25 of every order after those", async () => {
    await withStore(list(rowsOf(150, `"items":${empty(120)}`)), async (store) => {
      const lines = (await store.listOrders()).items.map(({ items }) => items.length);
      expect(lines).toEqual([...Array(100).fill(100), ...Array(50).fill(25)]);
    });
    await withStore(`{"success":true,"data":${row(0, `"items":${empty(600)}`)}}`, async (store) => {
      expect((await store.getOrder("3fa85f64-5717-4562-b3fc-2c963f66afa6")).items).toHaveLength(500);
    });
  });

  it("lose a row with a status or a number that is too large, and no other; of larger texts they have the beginning", async () => {
    const name = '\u00e9\ud83d\ude00"\\\n'.repeat(40_000);
    const rows = [
      { id: "a" },
      { id: "b", status: large("x") },
      { id: "c", customer: { name } },
      { id: "d", pricing: { total: large("0") } },
      { id: "e", customer: large("x") },
    ];
    await withStore(JSON.stringify({ success: true, data: { orders: rows } }), async (store) => {
      const { items, skipped } = await store.listOrders();
      expect(items.map(({ id, customer }) => [id, customer.name])).toEqual([
        ["a", ""],
        ["c", name.slice(0, 499)],
        ["e", ""],
      ]);
      expect(skipped).toBe(2);
    });
  });
});
