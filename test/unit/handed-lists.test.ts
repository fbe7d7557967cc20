import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { numberOf } from "../../src/basics/number-of.ts";
import { type ListMemory, newListMemory, type PageMemory } from "../../src/orders/list-memory.ts";
import { handedLists, handedText } from "../../src/polling/handed-lists.ts";

/** What is handed on, where it is. */
const textOf = (of: string, lists: ReadonlyMap<string, ListMemory>) => handedText(of, lists) ?? "";

const count = fc.nat();
/** 52 bits, as `numberOf` makes them. */
const order = fc.integer({ min: 0, max: 2 ** 52 - 1 });
const time = fc.integer({ min: 0, max: 4_102_444_800_000 });
const page = fc.record({ fingerprint: fc.string(), lastPage: count, alerted: fc.array(order) });
const absence = fc.record({ createdAt: fc.option(time, { nil: undefined }), round: fc.integer(), reports: count });
const memory: fc.Arbitrary<ListMemory> = fc.record({
  next: count,
  round: count,
  resume: fc.array(count),
  failing: fc.array(fc.tuple(count, fc.record({ failures: count, rest: count }))).map((pairs) => new Map(pairs)),
  newest: fc.option(time, { nil: undefined }),
  sorting: fc.constantFrom("newest_first", "oldest_first", "mixed", undefined),
  pages: fc.array(fc.tuple(count, page)).map((pairs) => new Map(pairs)),
  absent: fc.array(fc.tuple(fc.string(), absence)).map((pairs) => new Map(pairs)),
  isPlaced: fc.boolean(),
});
const memories = fc.array(fc.tuple(fc.string(), memory)).map((pairs) => new Map(pairs));

/** A list of so many pages of 100 orders each, `alerted` of which were alerted. */
function listOf(pages: number, alerted: number): ListMemory {
  const ids = Array.from({ length: alerted }, (_, index) => numberOf(`order ${index}`));
  const perPage = Math.ceil(alerted / pages);
  const all = Array.from({ length: pages }, (_, index): [number, PageMemory] => [
    index + 1,
    {
      fingerprint: numberOf(`page ${index}`).toString(16).repeat(4).slice(0, 40),
      lastPage: pages,
      alerted: ids.slice(index * perPage, (index + 1) * perPage),
    },
  ]);
  return {
    ...newListMemory(),
    newest: 1_790_000_000_000,
    sorting: "newest_first",
    pages: new Map(all),
    isPlaced: true,
  };
}

const bytesOf = (list: ListMemory) => Buffer.byteLength(textOf("of", new Map([["PENDING", list]])));

describe("what a process remembers of the lists", () => {
  test("is for the next one what it was, in every field, but for rounds that nothing is counted by", () => {
    const counted = (list: ListMemory) => ({ ...list, round: list.absent.size > 0 ? list.round : 0 });
    fc.assert(
      fc.property(fc.string(), memories, (of, lists) => {
        const expected = new Map([...lists].map(([key, list]) => [key, counted(list)]));
        expect(handedLists(of, textOf(of, lists))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  test("shows nothing yet of alerted orders that only the one before knows to have changed", () => {
    const stood = { fingerprint: "a", lastPage: 2, alerted: [numberOf("stays")] };
    const changed = { ...stood, fingerprint: "b", alerted: [numberOf("changed"), numberOf("stays, too")] };
    const pages = new Map([
      [1, stood],
      [2, changed],
    ]);
    const absent = new Map([
      ["read", { createdAt: 5, round: 9, reports: 3 }],
      ["absent", { createdAt: 6, round: 9, reports: 1 }],
    ]);
    const list = { ...newListMemory(), round: 9, pages, absent };
    const lists = new Map([["PENDING", list]]);
    const handed = handedLists("of", handedText("of", lists, ["changed", "read"]) ?? "")?.get("PENDING");

    expect(handed).toEqual({
      ...list,
      pages: new Map([
        [1, stood],
        [2, { ...changed, fingerprint: "" }],
      ]),
      absent: new Map([
        ["read", { createdAt: 5, round: 7, reports: 0 }],
        ["absent", { createdAt: 6, round: 9, reports: 1 }],
      ]),
    });
    expect(handedText("of", lists, ["changed", "nowhere to be seen"])).toBeUndefined();
  });

  test("is nothing to another store, token or choice of statuses", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), memories, (of, other, lists) => {
        fc.pre(of !== other);
        expect(handedLists(other, textOf(of, lists))).toBeUndefined();
      }),
    );
  });

  test("does not show what the lists are of: a sealed token is part of that", () => {
    expect(textOf("v1.sealed-token", new Map([["PENDING", newListMemory()]]))).not.toContain("sealed");
  });

  test("is nothing where it is rubbish, or cut short, or of a version that remembered otherwise", () => {
    const text = textOf("of", new Map([["PENDING", listOf(2, 3)]]));
    const kept = JSON.parse(text);
    const [[key, list]] = kept.lists;
    const { next: _, ...without } = list;
    const others = [without, { ...list, next: "2" }, { ...list, pages: { 1: {} } }, { ...list, sorting: "by price" }];
    for (const rubbish of [
      "",
      "null",
      "[]",
      "{}",
      text.slice(0, -1),
      ...others.map((other) => JSON.stringify({ ...kept, lists: [[key, other]] })),
    ]) {
      expect(handedLists("of", rubbish), rubbish).toBeUndefined();
    }
    fc.assert(fc.property(fc.string(), (rubbish) => handedLists("of", rubbish) === undefined));
  });

  test("takes about 350 bytes for a quiet store of one page, and 50 kB for one of 500 pages", () => {
    expect(bytesOf(listOf(1, 0))).toBeLessThan(400);
    expect(bytesOf(listOf(500, 0))).toBeLessThan(50_000);
  });

  test("takes 17 bytes more for each alerted order", () => {
    const perOrder = (bytesOf(listOf(500, 5_000)) - bytesOf(listOf(500, 0))) / 5_000;

    expect(perOrder).toBeGreaterThan(15);
    expect(perOrder).toBeLessThan(18);
  });

  test("is not handed on where it would be longer than 256 kB, and its size is known well enough", () => {
    const handed = [400, 5_000, 10_000].map((alerted) =>
      handedText("of", new Map([["PENDING", listOf(500, alerted)]])),
    );

    expect(handed.map((text) => text !== undefined && text.length <= 256 * 1_024)).toEqual([true, true, true]);
    expect(handedText("of", new Map([["PENDING", listOf(1_000, 16_000)]]))).toBeUndefined();
  });
});
