import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readProducts } from "../../../commands/import-products/rows.ts";
import { csvHead, csvOf } from "../../../src/reports/csv.ts";
import { productExport } from "../../../src/reports/export-formats.ts";
import type { Product } from "../../../src/store-api/schemas.ts";
import { codeOf } from "../../support/code-of.ts";
import { seed, sized } from "../../support/sized.ts";

const habits = { decimals: 2 };
const category = "3f2a91bc-5d0e-4c1a-9b7e-0123456789ab";
const columns = ["title", "price", "categoryId"];

/** Leaves out the characters that a file does. */
const asInFile = (text: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what no file has
  text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g, "");
const tricky = fc.string({
  unit: fc.constantFrom(..."=+-@\t\r\n,;\"'' aé😀\u200b＝1", "'=", ";'=", "…"),
  maxLength: 20,
});
/** Characters that separate links elsewhere, or begin a formula. */
const trickyInLink = fc.string({ unit: fc.constantFrom(..."=+-@,,;' a1", ",https://b.example/", ",="), maxLength: 12 });
const anyTitle = fc.oneof(tricky, fc.string({ unit: "grapheme", maxLength: 40 })).map((text) => `${asInFile(text)}x`);
const cents = fc.nat({ max: 99_999_999 }).map((amount) => amount / 100);
const anyListed: fc.Arbitrary<Product> = fc.record({
  id: fc.uuid(),
  type: fc.constant("DEFAULT"),
  categoryId: fc.uuid(),
  info: fc.record({
    title: anyTitle,
    description: fc.oneof(tricky, fc.lorem(), fc.string({ minLength: 3_990, maxLength: 4_000 })).map(asInFile),
    images: fc.array(
      fc.tuple(fc.webUrl(), trickyInLink).map(([url, end]) => `${url}?${end}`),
      { maxLength: 10 },
    ),
    slug: fc.string(),
  }),
  pricing: fc.record({ price: cents, comparation: fc.option(cents, { nil: undefined }) }),
  createdAt: fc.option(fc.nat(), { nil: undefined }),
});

const fileOf = (products: readonly Product[]) =>
  csvHead(productExport.columns) + csvOf(products.map((product) => productExport.cells(product)));

it(`a file of /export products is read back as it was (seed ${seed})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyListed, { minLength: 1, maxLength: 12 }), async (products) => {
      const { rows, problems, unknown } = await readProducts(fileOf(products), habits);
      expect(problems).toEqual([]);
      expect(unknown).toEqual([]);
      expect(rows.map(({ row }) => row)).toEqual(products.map((_, at) => at + 2));
      // A comma or a blank that would divide a link is percent-encoded, and so are other characters by the standard of URLs.
      const read = rows.map(({ product: { info, ...product } }) => ({
        ...product,
        info: { ...info, images: info.images?.map(decodeURIComponent) },
      }));
      expect(read).toEqual(
        products.map(({ categoryId, info, pricing }) => ({
          type: "DEFAULT",
          categoryId,
          info: {
            title: info.title.trim(),
            description: info.description.trim() === "" ? undefined : info.description,
            images:
              info.images.length === 0 ? undefined : info.images.map((link) => decodeURIComponent(new URL(link).href)),
          },
          pricing,
          inventory: { type: "SERIAL" },
        })),
      );
    }),
    { seed, numRuns: sized(100, 300), endOnFailure: true },
  );
});

it(`any text is a file or a sentence, never anything else (seed ${seed})`, async () => {
  const known = new Set(["import_broken", "import_wide", "import_columns", "import_empty", "import_long"]);
  const anyFile = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc
      .array(fc.string({ unit: fc.constantFrom(..."\",;\n\r' a1=é"), maxLength: 30 }), { maxLength: 8 })
      .map((lines) => [columns.join(","), ...lines].join("\n")),
  );
  await fc.assert(
    fc.asyncProperty(anyFile, async (text) => {
      const came = await readProducts(text, habits).then(
        ({ rows, problems }) => rows.length + problems.length > 0,
        (error: { code?: string }) => known.has(error.code ?? ""),
      );
      expect(came).toBe(true);
    }),
    { seed, numRuns: sized(200, 1_000), endOnFailure: true },
  );
});

describe("a file is refused as a whole", () => {
  const head = columns.join(",");
  const line = `Key,1,${category}`;
  it.each([
    ["with a thousand rows and one", [head, ...Array.from({ length: 1_001 }, () => line)].join("\n"), "import_long"],
    ["with a thousand blank rows", `${head}\n${",,\n".repeat(1_002)}${line}`, "import_long"],
    ["with a column twice", `${head},PRICE\n${line},2`, "import_twice"],
    ["with more cells than a table has", `${head}\n${",".repeat(1_000_000)}`, "import_wide"],
    ["with a row that does not end", `${head}\n"${"x".repeat(1_000_000)}`, "import_broken"],
  ])("%s", async (_, text, code) => {
    expect(await codeOf(readProducts(text, habits))).toBe(code);
  });

  it("but not with a thousand rows", async () => {
    const text = [head, ...Array.from({ length: 1_000 }, () => line)].join("\n");
    expect((await readProducts(text, habits)).rows).toHaveLength(1_000);
  });
});

it("characters of several bytes are whole, wherever they stand in a file", async () => {
  for (const before of ["", "a", "ab", "abc"]) {
    const description = before + "é枅😀".repeat(900);
    const { rows } = await readProducts(`title,price,categoryId,description\nA,1,${category},${description}`, habits);
    expect(rows[0]?.product.info.description).toBe(description);
  }
});

it("a row of the export that is too long for the store is no broken file: what is too long is named", async () => {
  const long = "枅".repeat(32_767);
  const cells = ["id", "DEFAULT", category, long, long, long, long, 1, 2, ""];
  const { problems } = await readProducts(csvHead(productExport.columns) + csvOf([cells]), habits);
  expect(problems).toEqual([
    { row: 2, column: "title", code: "too_long" },
    { row: 2, column: "description", code: "too_long" },
    { row: 2, column: "images", code: "bad_picture" },
  ]);
});

it("a price with too many decimals is named as such", async () => {
  const { problems } = await readProducts(`title,price,categoryId\nA,1.234,${category}\nB,free,${category}`, habits);
  expect(problems).toEqual([
    { row: 2, column: "price", code: "bad_decimals" },
    { row: 3, column: "price", code: "bad_price" },
  ]);
});

it("columns are found in any order and case, and blank rows are counted as spreadsheets do", async () => {
  const { rows, problems } = await readProducts(
    `CATEGORYID , Title,PRICE\n${category},A,1\n,,\n\n${category},,2`,
    habits,
  );
  expect(rows.map(({ row }) => row)).toEqual([2, 5]);
  expect(problems).toEqual([{ row: 5, column: "title", code: "bad_title" }]);
});

it.each([
  ["semicolons", "title;price;categoryId;Notes, internal", `Key;1,50;${category};a, b`, "notes, internal"],
  ["semicolons", '"title";price;categoryId;a, b, c, d', `Key;1,50;${category};x`, "a, b, c, d"],
  ["commas", "title,price,categoryId,a;b;c;d;e", `Key,1.50,${category},x`, "a;b;c;d;e"],
  ["commas", 'title,price,categoryId,"a;b;c;d;e\nf"', `Key,1.50,${category},x`, "a;b;c;d;e\nf"],
])("a file with %s between its cells may have another divider in a column's name", async (_, head, row, name) => {
  const { rows, unknown } = await readProducts(`${head}\n${row}\n`, habits);
  expect([rows.map(({ product }) => product.pricing.price), unknown]).toEqual([[1.5], [name]]);
});

it.each([
  ["commas", ","],
  ["semicolons", ";"],
  ["tabs", "\t"],
])("a file with %s between its cells may name them in a first line, as Excel does", async (_, divider) => {
  const lines = [columns, ["Key", "1.50", category]].map((cells) => cells.join(divider));
  for (const start of ["", `sep=${divider}\r\n`, `\uFEFFsep=${divider}\n`]) {
    const { rows, problems, unknown } = await readProducts(start + lines.join("\r\n"), habits);
    expect({ problems, unknown }).toEqual({ problems: [], unknown: [] });
    expect(rows).toMatchObject([{ row: 2, product: { info: { title: "Key" }, pricing: { price: 1.5 } } }]);
  }
});

it("rows with an ID are found, because an import makes new products of an export's rows", async () => {
  const text = `id,title,price,categoryId\nabc,A,1,${category}\n ,B,1,${category}`;
  expect((await readProducts(text, habits)).withId).toEqual(new Set([2]));
});

it("keys tell rows apart by all that is sent, and same rows by how manieth they are", async () => {
  const line = (title: string, price: string) => `${title},${price},${category},text`;
  const text = [`${columns},description`, line("A", "1"), line("A", "1"), line("A", "2"), line("B", "1")].join("\n");
  const keys = async () => (await readProducts(text, habits)).rows.map(({ key }) => key);
  expect(new Set(await keys()).size).toBe(4);
  expect(await keys()).toEqual(await keys());
});
