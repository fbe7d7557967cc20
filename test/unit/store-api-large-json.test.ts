import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLargeJson, type Wanted } from "../../src/store-api/large-json.ts";
import { sized } from "../support/sized.ts";

/** @param largestRow 0: of every row only what is wanted */
function read(text: string | Buffer, wanted: Wanted, largestRow = 0) {
  const reading = readLargeJson(Buffer.from(text), wanted, largestRow);
  let step = reading.next();
  while (!step.done) step = reading.next();
  return step.value;
}

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

  it("is what parsing the whole text gives, however it is written", () => {
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 1, "\t", "\n "), (json, space) => {
        const text = JSON.stringify(json, null, space);
        const expected = pick(JSON.parse(text), wanted);

        for (const written of [text, ` ${text}\r\n`, text.replaceAll('"a"', '"\\u0061"')]) {
          expect(read(written, wanted).value).toEqual(expected);
        }
      }),
      { numRuns: sized(300, 2_000) },
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
      { numRuns: sized(300, 2_000) },
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

  it("has the first and the last 500 rows of a list; the others are counted, but not those of a list within a row", () => {
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

  it("is made of each row as soon as it is read: never are all rows kept as they came", () => {
    const kept: unknown[] = [];
    const keep = (row: unknown) => kept.push(row);
    const each: Wanted = { fields: { list: { rows: { fields: { a: {} }, reader: () => keep } } } };
    const list = [{ a: 1, b: 2 }, 3, [4]];

    expect(read(JSON.stringify({ list }), each, 12).value).toEqual({ list: [1, 2, 3] });
    expect(kept).toEqual([{ a: 1 }, 3, [4]]);
  });

  it.each(["x", "é", "枅", "\\u00e9", "\\\\", '\\"a', "\\n\\u0041"])(
    "is the beginning of a text that is far too long, more of it than a cell has room for: %j",
    (unit) => {
      for (let shift = 0; shift < 12; shift += 1) {
        const json = `"${"a".repeat(shift)}${unit.repeat(60_000)}${"a".repeat(200_000)}"`;
        const found = String(read(json, {}).value);

        expect(found.length).toBeGreaterThan(32_767);
        expect(found.endsWith("…")).toBe(true);
        // Of a character of several bytes a part may be left.
        expect(JSON.parse(json).startsWith(found.slice(0, -1).replace(/\ufffd+$/, ""))).toBe(true);
      }
    },
  );

  /** A million characters have this many pieces of 16 KiB, but for the last one. */
  const stopsInAMillion = Math.floor(1_000_000 / (16 * 1024)) - 1;

  it("is read with a stop at least every 16 KiB, also where it is nothing but blanks", () => {
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
      expect(stops, text.replace(blanks, "…")).toBeGreaterThan(stopsInAMillion);
    }
  });

  it("is read with a stop at least every 16 KiB, also inside of one text, and every few rows of a list", () => {
    const stopsInTheList = 300;
    const text = JSON.stringify({ filler: "x".repeat(1_000_000), list: Array(10_000).fill(1) });
    const reading = readLargeJson(Buffer.from(text), wanted);
    let stops = 0;

    while (!reading.next().done) stops += 1;

    expect(stops).toBeGreaterThan(stopsInAMillion + stopsInTheList);
  });
});
