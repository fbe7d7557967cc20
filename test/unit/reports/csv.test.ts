import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { csvHead, csvOf, fromCell, longestCell, toCell } from "../../../src/reports/csv.ts";
import { createCsvParts } from "../../../src/reports/csv-parts.ts";
import { orderExport, productExport } from "../../../src/reports/export-formats.ts";
import type { Order, Product } from "../../../src/store-api/schemas.ts";
import { cellReaders, cellsReadBy, csvRecords, csvRows } from "../../support/csv-reader.ts";
import { seed, sized } from "../../support/sized.ts";

/** Characters that may begin a cell, stand before a formula or begin a formula. */
const hostile = fc.string({
  unit: fc.constantFrom(
    ...",;\t\r\n\u0085\u2028\u2029\"' \u00a0\u200b\ufeff\u0000=+-@＝＋－＠a😀1",
    "\r\n",
    "=1+1",
    ";=",
    "\"'=",
  ),
  maxLength: 16,
});
/** Apostrophes before formulas, which reading must tell from the cell's own apostrophes. */
const tricky = fc.string({ unit: fc.constantFrom(..."'''=,\" \n"), maxLength: 12 });
const anyText = fc.oneof(hostile, tricky, fc.string({ unit: "binary", maxLength: 40 }));
const anyNumber = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const withoutControls = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what no file has
  text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "");
/** A cell that is a formula, also after invisible characters and quotes are removed from its beginning. */
const formula = /^[\s\p{C}\p{Default_Ignorable_Code_Point}"]*[=+\-@\uff1d\uff0b\uff0d\uff20]/u;

/** Formulas that any program finds in a file. */
const formulasIn = (file: string) =>
  cellReaders.flatMap((reader) =>
    cellsReadBy(reader, file)
      .filter((cell) => formula.test(cell))
      .map((cell) => ({ cell, reader })),
  );

const anyOrder: fc.Arbitrary<Order> = fc.record({
  id: hostile,
  status: hostile,
  customer: fc.record({ email: hostile, name: hostile }),
  items: fc.array(
    fc.record({ productId: hostile, productTitle: hostile, quantity: fc.integer(), price: fc.integer() }),
    { maxLength: 3 },
  ),
  pricing: fc.record({ subtotal: fc.nat(), discount: fc.nat(), total: fc.nat() }),
  paymentMethod: hostile,
  createdAt: fc.option(fc.nat(), { nil: undefined }),
});
const anyProduct: fc.Arbitrary<Product> = fc.record({
  id: hostile,
  type: hostile,
  categoryId: hostile,
  info: fc.record({ title: hostile, description: hostile, images: fc.array(hostile, { maxLength: 3 }), slug: hostile }),
  pricing: fc.record({ price: fc.nat(), comparation: fc.option(fc.nat(), { nil: undefined }) }),
  createdAt: fc.option(fc.nat(), { nil: undefined }),
});

describe(`no text of a file is a formula, in any program that reads it (seed ${seed})`, () => {
  it("in any column of orders and products", () => {
    const plan = orderExport({ statuses: undefined, days: {}, privacy: "full" });
    fc.assert(
      fc.property(fc.array(anyOrder, { maxLength: 3 }), fc.array(anyProduct, { maxLength: 3 }), (orders, products) => {
        // Numbers stay numbers, also negative ones.
        const isHarmless = (cell: unknown) => typeof cell === "number" && cell < 0;
        const rows = orders.map((order) => plan.cells(order).filter((cell) => !isHarmless(cell)));
        expect(formulasIn(csvHead(plan.columns) + csvOf(rows))).toEqual([]);
        const { columns, cells } = productExport;
        expect(formulasIn(csvHead(columns) + csvOf(products.map(cells)))).toEqual([]);
      }),
      { seed, numRuns: sized(150, 2_000) },
    );
  });

  it("at the place where a text is cut", () => {
    for (let before = longestCell - sized(1, 5); before <= longestCell; before += 1) {
      for (const end of [",=1", ",''=1", ', "=1', ",'"]) {
        const cell = toCell("x".repeat(before) + end);

        expect(cell.length).toBeLessThanOrEqual(longestCell);
        expect(formulasIn(csvOf([["x", cell]]))).toEqual([]);
      }
    }
  });
});

describe("a cell", () => {
  it.each([
    ["=1+1", "'=1+1"],
    ["＝1", "'＝1"],
    [" =1", "' =1"],
    ["'=1", "''=1"],
    ["\n@x", "\n'@x"],
    ["Ann;=cmd|'/c calc'!A0;", "Ann;'=cmd|'/c calc'!A0;"],
    ["a,-b;  +c\td", "a,'-b;'  +c\td"],
    ["a - b, c = d", "a - b, c = d"],
    ["'Twas, 'tis", "'Twas, 'tis"],
  ])("of %j is %j", (text, cell) => {
    expect(toCell(text)).toBe(cell);
  });

  it("ends where a spreadsheet would cut it, with a sign, and never in half a character", () => {
    const fits = "x".repeat(longestCell);

    expect(toCell(fits)).toBe(fits);
    expect(toCell("x".repeat(longestCell - 2) + "😀".repeat(9))).toBe(`${"x".repeat(longestCell - 2)}…`);
    // With its apostrophe the text is longer than a cell.
    expect(toCell(`=${"x".repeat(longestCell - 1)}`)).toBe(`'=${"x".repeat(longestCell - 3)}…`);
    // Longer than the part that is read.
    expect(toCell(`${"\u0000".repeat(3 * longestCell)}x`)).toBe("…");
  });
});

describe("a row of a CSV file", () => {
  it(`is read back as it was, whatever stands in it, but for what is invisible (seed ${seed})`, () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyText, anyNumber), { minLength: 2, maxLength: 8 }), (cells) => {
        const [row = [], ...others] = csvRows(csvOf([cells]));

        expect(others).toEqual([]);
        const asRead = cells.map((cell) => (typeof cell === "string" ? withoutControls(cell) : String(cell)));
        expect(row.map((cell, at) => (typeof cells[at] === "string" ? fromCell(cell) : cell))).toEqual(asRead);
      }),
      { seed, numRuns: sized(500, 5_000) },
    );
  });

  it("has numbers with a point and no grouping, quotes around any line break, and nothing for a missing cell", () => {
    expect(csvOf([[-5.5, 0, -0, 1234567.89, 1e21, -1e-7]])).toBe("-5.5,0,0,1234567.89,1e+21,-1e-7\r\n");
    expect(csvOf([["a\nb", "a\rb", "", undefined, "x"]])).toBe('"a\nb","a\rb",,,x\r\n');
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

  it("has every row once and in sequence, and no part is too large", async () => {
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

  it("has at most 4 MiB in a part if Discord takes more, because the upload would last too long", async () => {
    const { parts, given } = collect(100 * 1024 ** 2);
    await parts.add(Array(200).fill("a".repeat(30_000)), (text) => ["1", text]);

    expect(given).toHaveLength(1);
    expect(given[0]?.length).toBeLessThanOrEqual(4 * 1024 ** 2);
  });

  it("begins each part with the byte order mark and the names of the columns, and puts a row that is too large into a part of its own", async () => {
    const { parts, given } = collect(40);
    await parts.add(["b".repeat(100), "a".repeat(20), "c"], (text) => ["1", text]);

    const head = csvHead(["id", "text"]);
    expect(given.map(String)).toEqual([`${head}1,${"b".repeat(100)}\r\n`, `${head}1,${"a".repeat(20)}\r\n`]);
    expect(parts.rest()?.toString()).toBe(`${head}1,c\r\n`);
    expect(parts.rest()).toBeUndefined();
  });
});
