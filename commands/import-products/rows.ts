import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { titleMax, typedMax } from "../../src/basics/limits/limits-in-texts.ts";
import { createImportKeys } from "../../src/reports/import-records.ts";
import { type CsvFile, type CsvRow, readCsv } from "../../src/reports/read-csv.ts";
import type { ImportRow } from "../../src/reports/run-import.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { categoryIn } from "../../src/store-queries/categories.ts";
import type { PriceHabits } from "../../src/store-queries/price.ts";
import { picturesIn, priceIn, titleIn } from "../../src/store-queries/product-fields.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import type { ImportProblem } from "../../src/views/reports/import.ts";

/** After this many rows, other work of the process runs. */
const rowsAtOnce = 50;

const columns = ["type", "categoryId", "title", "description", "images", "price", "comparation"] as const;
type Column = (typeof columns)[number];
/** In characters. A description may be as long as in the window of `/add-product`. */
const longest: { readonly [Name in Column]?: number } = { title: titleMax, description: typedMax };
const needed = ["title", "price", "categoryId"] as const satisfies readonly Column[];
/** The store itself chooses these values, so an import ignores them. */
const givenByStore: ReadonlySet<string> = new Set(["id", "slug", "createdat"]);

/** If the file has problems, none of its rows may be sent to the store. */
export interface ReadFile {
  /** `row` is the row number in a spreadsheet, where the names of the columns are row 1. */
  readonly rows: readonly ImportRow[];
  /** A hash of everything that would be sent to the store. */
  readonly digest: string;
  readonly problems: readonly ImportProblem[];
  /** Rows with an id: the store may already have their products. */
  readonly withId: ReadonlySet<number>;
  /** Columns with unknown names, which are ignored. */
  readonly unknown: readonly string[];
  /** Prices that can be read in two ways, with the amount that was understood. */
  readonly doubtful: readonly { readonly row: number; readonly typed: string; readonly amount: number }[];
}

function placesOf(file: CsvFile): ReadonlyMap<string, number> {
  const places = new Map(columns.map((column) => [column, file.columns.indexOf(column.toLowerCase())]));
  const missing = needed.filter((column) => places.get(column) === -1);
  if (missing.length > 0) throw new ProblemError({ code: "import_columns", about: missing.join(", ") });
  const twice = columns.find((column) => places.get(column) !== file.columns.lastIndexOf(column.toLowerCase()));
  if (twice !== undefined) throw new ProblemError({ code: "import_twice", about: twice });
  return places;
}

const known: ReadonlySet<string> = new Set(columns.map((column) => column.toLowerCase()));
const isKnown = (name: string) => name === "" || givenByStore.has(name) || known.has(name);

const isCellCode = (code: string) =>
  code === "bad_title" ||
  code === "bad_price" ||
  code === "bad_decimals" ||
  code === "bad_category" ||
  code === "bad_picture";

/** Reads a table like that of `/export products`, by the rules of `/add-product`. Throws a `ProblemError`. */
export async function readProducts(text: string, { decimals }: Pick<PriceHabits, "decimals">): Promise<ReadFile> {
  const file = await readCsv(text, known);
  const places = placesOf(file);
  // A file with semicolons between its cells has decimal commas. Other files have decimal points.
  const habits: PriceHabits = { thousands: file.divider === ";" ? "." : ",", decimals };
  const problems: ImportProblem[] = [];
  const doubtful: ReadFile["doubtful"][number][] = [];
  const rows: ImportRow[] = [];
  const keyOf = createImportKeys();

  function productIn(row: CsvRow): NewProduct {
    const fault = (column: Column | "", code: ImportProblem["code"]) =>
      problems.push({ row: row.number, column, code });
    function textOf(column: Column): string {
      const cell = row.cells[places.get(column) ?? -1] ?? "";
      return column === "description" && cell.trim() !== "" ? cell : cell.trim();
    }
    function read<Value>(column: Column, as: (text: string) => Value, none: Value): Value {
      const text = textOf(column);
      try {
        if (text.length <= (longest[column] ?? Number.POSITIVE_INFINITY)) return as(text);
        fault(column, "too_long");
      } catch (error) {
        if (!(error instanceof ProblemError && isCellCode(error.code))) throw error;
        fault(column, error.code);
      }
      return none;
    }
    function price(typed: string): number {
      const { amount, doubtful: isDoubtful } = priceIn(typed, habits);
      if (isDoubtful !== undefined) doubtful.push({ row: row.number, typed, amount });
      return amount;
    }
    if (row.cells.slice(file.columns.length).some((cell) => cell.trim() !== "")) fault("", "more_cells");
    if (!/^(?:default)?$/i.test(textOf("type"))) fault("type", "bad_type");
    return {
      type: "DEFAULT",
      categoryId: read("categoryId", categoryIn, ""),
      info: {
        title: read("title", titleIn, ""),
        description: read("description", (cell) => cell || undefined, undefined),
        images: read("images", (cell) => (cell === "" ? undefined : picturesIn(cell)), undefined),
      },
      pricing: {
        price: read("price", price, 0),
        comparation: read("comparation", (cell) => (cell === "" ? undefined : price(cell)), undefined),
      },
      inventory: { type: "SERIAL" },
    };
  }

  if (file.rows.length === 0) throw new ProblemError({ code: "import_empty" });
  for (const [index, row] of file.rows.entries()) {
    if (index % rowsAtOnce === 0) await setImmediate();
    const product = productIn(row);
    rows.push({ row: row.number, product, key: keyOf(product) });
  }
  const digest = createHash("sha256")
    .update(rows.map(({ key }) => key).join(" "))
    .digest("base64url");
  const idAt = file.columns.indexOf("id");
  const withId = new Set(file.rows.flatMap(({ number, cells }) => (cells[idAt]?.trim() ? [number] : [])));
  return { rows, digest, problems, withId, unknown: file.columns.filter((name) => !isKnown(name)), doubtful };
}
