import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEnding } from "../../src/store-api/ending.ts";
import { listOrders } from "../../src/store-api/endpoints.ts";
import { readLargeJson, type Wanted } from "../../src/store-api/large-json.ts";
import { outcomeOf } from "../../src/store-api/outcome.ts";
import type { Slices } from "../../src/store-api/slices.ts";
import { createStoreApi, type Store } from "../../src/store-api/store-api.ts";
import { makeOrder } from "../sandbox/store/catalog.ts";
import { crowdedPage } from "../sandbox/store/start-store.ts";
import { startBodyServer } from "../support/body-server.ts";

/** Reading such an answer at once takes twice as long or more; of several, parts of memory are tidied up meanwhile, too. */
const longestBlockMs = 25;
const longestBlockOfSeveralMs = 50;
/** One slice (4 ms), and a step of it that is as long as such an answer can make it. */
const longestBlockOfOddMs = 12;
const largeBytes = 256 * 1024;

/** @param largestRow 0: of every row only what is wanted */
function read(text: string | Buffer, wanted: Wanted, largestRow = 0) {
  const reading = readLargeJson(Buffer.from(text), wanted, largestRow);
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value;
}

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
    return await use(api.forToken("t", "nobody"), logged, api.forToken("t", "person"));
  } finally {
    await api.close();
    await server.close();
  }
}

/** Milliseconds that this thread was at work: what other processes do on the machine meanwhile does not count. */
function atWork(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** For how long at most a turn of the event loop was held while `work` was under way, in milliseconds. */
async function longestBlock(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  let last = atWork();
  const look = () => {
    const now = atWork();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  await work();
  isOver = true;
  return longest;
}

/** The least of three times: code that runs for the first time is compiled, and once in a while memory is tidied up. */
async function blocks(work: () => Promise<unknown>): Promise<number> {
  const found = [await longestBlock(work), await longestBlock(work), await longestBlock(work)];
  console.log(`the event loop was held for at most ${found.map(Math.ceil).join(", ")} ms`);
  return Math.min(...found);
}

describe("an answer of 8 MiB with 148,000 orders", () => {
  const body = crowdedPage();

  it("never holds the event loop (0.1.0: 2.3 s), and keeps the first and the last 500", async () => {
    await withStore(body, async (store, logged) => {
      const held = await blocks(() => store.listOrders({ limit: 100 }));
      const page = await store.listOrders({ limit: 100 });
      expect(page).toMatchObject({ items: { length: 1_000 }, cut: 147_000, skipped: 0, lastPage: 1 });
      const numbers = page.items.map(({ id }) => Number(id.replace("crowd", "")));
      expect(numbers).toEqual([
        ...Array.from({ length: 500 }, (_, index) => index),
        ...Array.from({ length: 500 }, (_, index) => 147_500 + index),
      ]);
      expect(store.honours.of("limit")).toBe(false);
      expect(JSON.stringify(logged)).toContain("147000");
      expect(held).toBeLessThan(longestBlockMs);
    });
  });

  it("is no harder on the others when four come at once, and costs nothing but its bytes when it did not change", async () => {
    await withStore(body, async (store, _, forPeople) => {
      const all = () => Promise.all([store, store, forPeople, forPeople].map((one) => one.listOrders({ limit: 100 })));
      expect(await blocks(all)).toBeLessThan(longestBlockOfSeveralMs);
      const page = await store.changedOrders({ limit: 100 }, undefined);
      expect(page?.cut).toBe(147_000);
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
      const held = await blocks(() => store.getOrder(order.id));
      const found = await store.getOrder(order.id);
      expect(found.items.map(({ productTitle }) => productTitle)).toEqual(order.items.map((item) => item.productTitle));
      expect(JSON.stringify(found)).not.toContain("GOODS");
      expect(held).toBeLessThan(longestBlockMs);
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
    ["over 8 MiB", `{"success":true,"data":{"orders":[]},"x":"${"a".repeat(8 * 1024 * 1024)}"}`, "too_large"],
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
    ["blanks", `{"success":true,${" ".repeat(8 * 1024 * 1024 - 200)}"data":{"orders":[]}}`, 0],
    ["rows of nothing but fields", list(rowsOf(120, fields(62 * 1024))), 120],
    ["rows of empty items", list(rowsOf(120, `"items":${empty(21_000)}`)), 120],
  ])("that are full of %s hold nobody up", async (_, body, rows) => {
    await withStore(body, async (store) => {
      expect((await store.listOrders()).items).toHaveLength(rows);
      expect(await blocks(() => store.listOrders())).toBeLessThan(longestBlockOfOddMs);
    });
  });

  it("are read in slices from 64 KiB on", async () => {
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
    expect(await steps(63 * 1024)).toBe(0);
    expect(await steps(65 * 1024)).toBeGreaterThan(4_000);
  });

  it("keep 100 lines of an order, 10,000 of a page, and 25 of every order after those", async () => {
    await withStore(list(rowsOf(150, `"items":${empty(120)}`)), async (store) => {
      const lines = (await store.listOrders()).items.map(({ items }) => items.length);
      expect(lines).toEqual([...Array(100).fill(100), ...Array(50).fill(25)]);
    });
    await withStore(`{"success":true,"data":${row(0, `"items":${empty(600)}`)}}`, async (store) => {
      expect((await store.getOrder("3fa85f64-5717-4562-b3fc-2c963f66afa6")).items).toHaveLength(500);
    });
  });

  it("leave out a row with a value that is too large, and no other", async () => {
    const rows = [
      { id: "a" },
      { id: "b", status: large("x") },
      { id: "c", customer: { name: large("x") } },
      { id: "d" },
    ];
    await withStore(JSON.stringify({ success: true, data: { orders: rows } }), async (store) => {
      const { items, skipped } = await store.listOrders();
      expect(items.map(({ id, customer }) => [id, customer.name])).toEqual([
        ["a", ""],
        ["c", ""],
        ["d", ""],
      ]);
      expect(skipped).toBe(1);
    });
  });
});

describe("what is wanted of a JSON text", () => {
  const wanted: Wanted = {
    fields: {
      a: {},
      list: { rows: { fields: { a: {}, deep: { rows: {} } } } },
      inner: { fields: { list: {}, a: {} } },
    },
  };

  /** The same, of a value that is parsed already. */
  function pick(value: unknown, { fields, rows }: Wanted): unknown {
    if (Array.isArray(value)) return rows === undefined ? value : value.map((row) => pick(row, rows));
    if (fields === undefined || typeof value !== "object" || value === null) return value;
    const known = Object.entries(value).filter(([key]) => Object.hasOwn(fields, key));
    return Object.fromEntries(known.map(([key, inner]) => [key, pick(inner, fields[key] ?? {})]));
  }

  // Without keys that need escapes: Node 24.21 parses some of them wrongly when they stand in an object.
  const keys = fc.constantFrom("a", "list", "inner", "deep", "b", "é", "__proto__");
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(null, true, false, 0, -1.5e-7, 12345, "", "text", '"', "\\", '\\"]}', "é😀", "\u2028", "\ud800"),
      fc.array(tie("any"), { maxLength: 5 }),
      fc.dictionary(keys, tie("any"), { maxKeys: 6, noNullPrototype: true }),
    ),
  })).any;

  it("is what parsing all of it gives, however it is written", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, "\t", "\n "), (json, space) => {
        const text = JSON.stringify(json, null, space);
        const expected = pick(JSON.parse(text), wanted);
        for (const written of [text, ` ${text}\r\n`, text.replaceAll('"a"', '"\\u0061"')]) {
          expect(read(written, wanted).value).toEqual(expected);
        }
      }),
      { numRuns: 2_000 },
    );
    const blanks = ' { "b" : [ 1 , "]" ] , "a"\t:\n-1e3 , "list" : [ ] , "inner":{ } , "a" : { "x" : "}" } } ';
    expect(read(blanks, wanted).value).toEqual(pick(JSON.parse(blanks), wanted));
  });

  it("of a text that is no JSON is an error, or what stands in it unharmed: never anything else", () => {
    fc.assert(
      fc.property(value, fc.nat(), fc.nat(), fc.string({ maxLength: 3 }), (json, from, length, noise) => {
        const text = JSON.stringify({ a: 1, list: [{ a: json }], b: json });
        const at = from % text.length;
        const broken = text.slice(0, at) + noise + text.slice(at + (length % 4));
        try {
          read(broken, wanted);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      }),
      { numRuns: 2_000 },
    );
    for (const text of [
      "",
      " ",
      "{",
      "[",
      '"',
      '{"a"',
      '{"a":',
      '{"a":1',
      '{"a":1,',
      '{"list":[',
      '{"list":[1',
      "{1:2}",
      "{,}",
      "nul",
      '{"a":1}}',
    ]) {
      expect(() => read(text, wanted), text).toThrow(SyntaxError);
    }
  });

  it("counts the rows that it leaves out of a list, not of a list in a row", () => {
    const deep = Array.from({ length: 1_100 }, (_, index) => index);
    const list = Array.from({ length: 1_001 }, (_, index) => ({ a: index, ...(index === 3 ? { deep } : {}) }));
    const { value: found, cut } = read(JSON.stringify({ list }), wanted);
    expect(cut).toBe(1);
    const rows = (found as { list: { a: number; deep?: number[] }[] }).list;
    expect(rows.map(({ a }) => a)).toEqual([
      ...Array(500).keys(),
      ...[...Array(500).keys()].map((index) => index + 501),
    ]);
    expect(rows[3]?.deep).toEqual([...deep.slice(0, 500), ...deep.slice(600)]);
  });

  it("keeps of a row what is made of it at once, and never all rows as they came", () => {
    const kept: unknown[] = [];
    const keep = (row: unknown) => kept.push(row);
    const each: Wanted = { fields: { list: { rows: { fields: { a: {} }, keep } } } };
    const list = [{ a: 1, b: 2 }, 3, [4]];
    expect(read(JSON.stringify({ list }), each, 12).value).toEqual({ list: [1, 2, 3] });
    expect(kept).toEqual([{ a: 1 }, 3, [4]]);
  });

  it("is read with a stop at least every 16 kB, also of nothing but blanks", () => {
    const blanks = " ".repeat(1_000_000);
    for (const text of [
      `${blanks}{}`,
      `{${blanks}}`,
      `{"a"${blanks}:1}`,
      `{"a":${blanks}1}`,
      `{"b":1${blanks}}`,
      `{"list":[${blanks}]}`,
      `{"list":[1${blanks}]}`,
      `{"list":[1,${blanks}1]}`,
      `{}${blanks}`,
    ]) {
      const reading = readLargeJson(Buffer.from(text), wanted);
      let stops = 0;
      while (!reading.next().done) stops += 1;
      expect(stops, text.replace(blanks, "…")).toBeGreaterThan(60);
    }
  });

  it("is read with a stop at least every 16 kB, also inside of one text", () => {
    const text = JSON.stringify({ filler: "x".repeat(1_000_000), list: Array(10_000).fill(1) });
    const reading = readLargeJson(Buffer.from(text), wanted);
    let stops = 0;
    while (!reading.next().done) stops += 1;
    expect(stops).toBeGreaterThan(60 + 300);
  });
});
