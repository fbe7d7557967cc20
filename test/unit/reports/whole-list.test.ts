import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ReadRows, wholeList } from "../../../src/reports/whole-list.ts";
import type { Page } from "../../../src/store-api/store-api.ts";
import { sized } from "../../support/sized.ts";

interface Row {
  readonly id: string;
}

/** Changes between two reads. */
function listOf(count: number, change: (rows: Row[], request: number) => unknown = () => undefined, size?: number) {
  const rows: Row[] = Array.from({ length: count }, (_, index) => ({ id: `row ${index}` }));
  const requests: (readonly [page: number, limit: number])[] = [];
  const read = async (page: number, limit: number): Promise<Page<Row>> => {
    change(rows, requests.length);
    requests.push([page, limit]);
    const each = size ?? limit;
    const items = rows.slice((page - 1) * each, page * each);
    return { items, lastPage: Math.max(Math.ceil(rows.length / each), 1), skipped: 0 };
  };
  return { rows, read, requests };
}

async function all(read: ReturnType<typeof listOf>["read"]) {
  const found: string[] = [];
  let last: ReadRows<Row> | undefined;
  for await (const next of wholeList(read)) {
    found.push(...next.fresh.map(({ id }) => id));
    last = next;
  }
  return { found, isCertain: last?.isCertain };
}

/** Rows that were there at every read. */
const stayed = (count: number, rows: readonly Row[]) => {
  const there = new Set(rows.map(({ id }) => id));
  return Array.from({ length: count }, (_, index) => `row ${index}`).filter((id) => there.has(id));
};

describe("a whole list", () => {
  it.each([0, 100, 4_999])("of %i rows is read once, in its sequence", async (count) => {
    const { rows, read } = listOf(count);

    const { found, isCertain } = await all(read);

    expect(found).toEqual(rows.map(({ id }) => id));
    expect(isCertain).toBe(true);
  });

  it("of one page takes one request, and of 50,000 rows no more than 590; its progress is known", async () => {
    const [small, large] = [listOf(99), listOf(50_000)];
    await all(small.read);
    const places: number[] = [];
    for await (const { at, about } of wholeList(large.read)) {
      expect(about).toBeGreaterThanOrEqual(at);
      expect(Math.abs(about - 50_000)).toBeLessThan(100);
      places.push(at);
    }

    expect(small.requests).toHaveLength(1);
    expect(large.requests.length).toBeLessThan(590);
    expect(Math.max(...large.requests.map(([, limit]) => limit))).toBeLessThanOrEqual(100);
    expect([places[0], places.at(-1)]).toEqual([100, 50_000]);
  });

  it.each([
    { most: 40, isSure: true },
    { most: 150, isSure: false },
  ])(
    "has every row that stayed, each once, wherever two rows leave and up to $most arrive between two reads",
    async ({ most, isSure }) => {
      const changes = fc.array(
        fc.record({
          leaving: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), { maxLength: 2 }),
          arriving: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: most })),
          atEnd: fc.boolean(),
        }),
        { minLength: 1, maxLength: 40 },
      );
      let arrived = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 1, max: 1_500 }), changes, async (count, plan) => {
          const { rows, read } = listOf(count, (list, request) => {
            const { leaving = [], arriving = 0, atEnd = false } = plan[request] ?? {};
            for (const share of leaving) list.splice(Math.floor(share * list.length), 1);
            const fresh = Array.from({ length: arriving }, () => ({ id: `new ${arrived++}` }));
            list.splice(atEnd ? list.length : 0, 0, ...fresh);
          });

          const { found, isCertain } = await all(read);

          expect(new Set(found).size).toBe(found.length);
          expect(new Set(found)).toEqual(new Set([...found, ...stayed(count, rows)]));
          // Of 100 rows that arrive at once, those that came last may be missed.
          if (isSure) expect(isCertain).toBe(true);
        }),
        { numRuns: sized(60, 200) },
      );
    },
  );

  it.each<[string, number, at: number, change: (rows: Row[]) => unknown, size?: number]>([
    ["many rows leave at once", 2_000, 8, (rows) => rows.splice(0, 350)],
    ["the row that would come last moves to its front", 1_000, 5, (rows) => rows.unshift(...rows.splice(-1))],
    ["rows leave, and the API has a page size of its own", 500, 6, (rows) => rows.splice(0, 3), 20],
  ])("has every row that stayed, each once, though %s", async (_, count, at, change, size) => {
    const { rows, read } = listOf(count, (list, request) => request === at && change(list), size);

    const { found } = await all(read);

    expect(found).toEqual(expect.arrayContaining(stayed(count, rows)));
    expect(new Set(found).size).toBe(found.length);
  });

  it("is not certain if rows leave faster than it can be read", async () => {
    const { read, requests } = listOf(60_000, (list) => void list.splice(0, 500));

    const { isCertain } = await all(read);

    expect(isCertain).toBe(false);
    expect(requests.length).toBeLessThan(200);
  });

  it.each<[rows: number, size?: number, lastPage?: number]>([
    [150],
    [30, 20],
    [500, 20],
    [100, undefined, 1_000_000],
    [20, 20, 1_000_000],
  ])("is read no further, and is not certain, if an API returns page 1 for every number (%j)", async (...list) => {
    const [count, size, last] = list;
    const { rows, read, requests } = listOf(count, undefined, size);
    const firstOnly = async (number: number, limit: number) => {
      const { lastPage } = await read(number, limit);
      return { items: rows.slice(0, size ?? limit), lastPage: last ?? lastPage, skipped: 0 };
    };

    const { found, isCertain } = await all(firstOnly);

    expect(found).toHaveLength(size ?? 100);
    expect(isCertain).toBe(false);
    expect(requests.length).toBeLessThan(60);
  });

  const endlessLists: readonly (readonly [string, (limit: number) => number])[] = [
    ["that has no end", (limit) => limit],
    ["that has no end, with pages of its own size", () => 90],
  ];
  it.each(endlessLists.slice(0, sized(1, 2)))("%s is read up to a million rows", async (_, sizeOf) => {
    const endless = async (page: number, limit: number) => {
      const size = sizeOf(limit);
      const items = Array.from({ length: size }, (_, index) => ({ id: `row-${(page - 1) * size + index}` }));
      return { items, lastPage: page + 1, skipped: 0 };
    };
    let rows = 0;
    let isWhole = true;
    for await (const { fresh, isCertain } of wholeList(endless)) {
      rows += fresh.length;
      isWhole = isCertain;
      if (rows > 1_200_000) break;
    }
    expect(rows).toBeLessThanOrEqual(1_010_000);
    expect(isWhole).toBe(false);
  });
});
