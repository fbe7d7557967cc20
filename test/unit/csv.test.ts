import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvHead, csvOf, longestCell } from "../../src/reports/csv.ts";
import { createCsvParts } from "../../src/reports/csv-parts.ts";
import { csvRecords, csvRows } from "../support/csv-reader.ts";

const anyCell = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(..."=+-@\t\r\n,;\"' a\u200b\ufeff\u0000＝＋－＠1"), maxLength: 12 }),
);
const anyNumber = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
/** What spreadsheets take for a formula, after what they may take away before it. */
const formula = /^[\s\p{C}\p{Default_Ignorable_Code_Point}]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;

describe("a row of a CSV file", () => {
  it("is read back as it was, whatever stands in it, but for what is invisible or would be a formula", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyCell, anyNumber), { minLength: 2, maxLength: 8 }), (cells) => {
        const [row = [], ...others] = csvRows(csvOf([cells]));

        expect(others).toEqual([]);
        expect(row).toHaveLength(cells.length);
        for (const [index, cell] of cells.entries()) {
          const clean = String(cell)
            .toWellFormed()
            // biome-ignore lint/suspicious/noControlCharactersInRegex: what no file has
            .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "");
          expect([clean, `'${clean}`]).toContain(row[index]);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("has no text that a spreadsheet takes for a formula", () => {
    fc.assert(
      fc.property(anyCell, (cell) => {
        const [[text = ""] = []] = csvRows(csvOf([[cell, "end"]]));

        expect(text).not.toMatch(formula);
      }),
      { numRuns: 5_000 },
    );
  });

  it.each(["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", " =1", "\u200b=1", "＝1", "\n@x", "-5.00"])(
    "has an apostrophe before %j",
    (cell) => {
      const [[text = ""] = []] = csvRows(csvOf([[cell, "end"]]));

      expect(text).toBe(`'${cell}`);
    },
  );

  it("leaves numbers numbers, negative ones too, with a point and no grouping", () => {
    expect(csvOf([[-5.5, 0, -0, 1234567.89, 1e21, -1e-7]])).toBe("-5.5,0,0,1234567.89,1e+21,-1e-7\r\n");
  });

  it("quotes a cell for half a line break, which RFC 4180 counts as one", () => {
    expect(csvOf([["a\nb", "a\rb"]])).toBe('"a\nb","a\rb"\r\n');
  });

  it("leaves a cell empty for what is missing", () => {
    expect(csvOf([["", undefined, "x"]])).toBe(",,x\r\n");
  });

  it("cuts a cell where a spreadsheet would, and never half a character", () => {
    const [[text = ""] = []] = csvRows(csvOf([["x".repeat(longestCell - 2) + "😀".repeat(9), "end"]]));

    expect(text).toBe(`${"x".repeat(longestCell - 2)}…`);
    expect(text.length).toBeLessThanOrEqual(longestCell);
  });
});

describe("a file in parts", () => {
  const collect = (bytes: number) => {
    const given: Buffer[] = [];
    const parts = createCsvParts({
      columns: ["id", "text"],
      bytes,
      full: async (part, number) => {
        expect(number).toBe(given.length + 1);
        given.push(part);
      },
    });
    return { parts, given };
  };

  it("never has more bytes in one than it may, and every row once and in sequence", async () => {
    const rows = fc.array(fc.string({ unit: "grapheme", maxLength: 60 }), { maxLength: 80 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 400, max: 2_000 }), async (texts, bytes) => {
        const { parts, given } = collect(bytes);
        const numbered = [...texts.entries()];
        for (let from = 0; from < texts.length; from += 7) {
          await parts.add(numbered.slice(from, from + 7), (row) => row);
        }
        const rest = parts.rest();
        const all = [...given, ...(rest ? [rest] : [])];

        expect(parts.given()).toBe(given.length);
        for (const part of all) expect(part.length).toBeLessThanOrEqual(bytes);
        const read = all.flatMap((part) => csvRecords(part.toString()));
        expect(read.map(({ id }) => id)).toEqual(texts.map((_, index) => String(index)));
      }),
    );
  });

  it("begins each with the mark and the names of the columns", async () => {
    const { parts, given } = collect(40);
    await parts.add(["a".repeat(20), "b".repeat(20)], (text) => ["1", text]);

    const head = csvHead(["id", "text"]);
    expect(given[0]?.toString()).toBe(`${head}1,${"a".repeat(20)}\r\n`);
    expect(parts.rest()?.toString()).toBe(`${head}1,${"b".repeat(20)}\r\n`);
  });

  it("gives a row that alone is too large a part of its own", async () => {
    const { parts, given } = collect(30);
    await parts.add(["a", "b".repeat(100), "c"], (text) => ["1", text]);

    expect(given.map((part) => csvRecords(part.toString()).length)).toEqual([1, 1]);
    expect(parts.rest()?.toString()).toContain("1,c");
  });

  it("has no rest without rows", () => {
    expect(collect(100).parts.rest()).toBeUndefined();
  });

  it("keeps the rows before one that could not be made", async () => {
    const { parts } = collect(1_000);
    const work = parts.add(["a", "b"], (text) => {
      if (text === "b") throw new Error("over");
      return ["1", text];
    });

    await expect(work).rejects.toThrow("over");
    expect(parts.rest()?.toString()).toMatch(/1,a\r\n$/);
  });
});
