import { setImmediate as othersTurn } from "node:timers/promises";
import { type CsvFile, type CsvRow, readCsv } from "../../src/reports/read-csv.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import { categoryIn } from "../../src/store-queries/categories.ts";
import type { PriceHabits } from "../../src/store-queries/price.ts";
import { picturesIn, priceIn, titleIn, titleMax } from "../../src/store-queries/product-fields.ts";
import { ProblemError } from "../../src/views/parts/problem.ts";
import type { ImportProblem } from "../../src/views/reports/import.ts";

/** Longest description in characters, as in the window of `/add-product`. */
const longestDescription = 4_000;
/** Number of rows that are checked before other work gets a turn of the event loop. */
const rowsAtOnce = 50;

/** The columns of an export that an import reads. */
const columns = ["type", "categoryId", "title", "description", "images", "price", "comparation"] as const;
type Column = (typeof columns)[number];
const needed = ["title", "price", "categoryId"] as const satisfies readonly Column[];
/** Columns the store fills in itself (id, slug, creation time). */
const givenByStore: ReadonlySet<string> = new Set(["id", "slug", "createdat"]);

/** A file as the bot understood it. A file with problems must not be sent. */
export interface ReadFile {
  /** `row` is the row number in a spreadsheet: the names of the columns are row 1. */
  readonly rows: readonly { readonly row: number; readonly product: NewProduct }[];
  readonly problems: readonly ImportProblem[];
  /** Columns with unknown names, which are ignored. */
  readonly unknown: readonly string[];
  /** Prices that can be read in two ways, and how they were read. */
  readonly doubtful: readonly { readonly row: number; readonly typed: string; readonly amount: number }[];
}

/** Why a cell is not valid. */
class CellError extends Error {
  readonly code: ImportProblem["code"];
  constructor(code: ImportProblem["code"]) {
    super(code);
    this.code = code;
  }
}

function placesOf(file: CsvFile): ReadonlyMap<string, number> {
  const places = new Map(columns.map((column) => [column, file.columns.indexOf(column.toLowerCase())]));
  const missing = needed.filter((column) => places.get(column) === -1);
  if (missing.length > 0) throw new ProblemError({ code: "import_columns", columns: missing.join(", ") });
  const twice = columns.find((column) => places.get(column) !== file.columns.lastIndexOf(column.toLowerCase()));
  if (twice !== undefined) throw new ProblemError({ code: "import_twice", column: twice });
  return places;
}

const isKnown = (name: string) =>
  name === "" || givenByStore.has(name) || columns.some((column) => column.toLowerCase() === name);

function atMost(most: number, text: string): string {
  if (text.length > most) throw new CellError("too_long");
  return text;
}

function typeIn(text: string): "DEFAULT" {
  if (text !== "" && text.toUpperCase() !== "DEFAULT") throw new CellError("bad_type");
  return "DEFAULT";
}

/** Returns the code of a cell's problem. Throws any other error again. */
function problemIn(error: unknown): ImportProblem["code"] {
  if (error instanceof CellError) return error.code;
  if (!(error instanceof ProblemError)) throw error;
  const { code } = error;
  if (code === "bad_title" || code === "bad_price" || code === "bad_category" || code === "bad_picture") return code;
  throw error;
}

/**
 * Reads the products of a file in the columns of `/export products`, by the rules of `/add-product`, and all its
 * problems. Throws a `ProblemError` for a file that is not such a table.
 *
 * @param decimals maximum number of digits after the decimal separator of a price
 */
export async function readProducts(text: string, { decimals }: Pick<PriceHabits, "decimals">): Promise<ReadFile> {
  const file = await readCsv(text);
  const places = placesOf(file);
  // In every language, files with semicolons between cells have decimal commas, and files with commas have decimal
  // points.
  const habits: PriceHabits = { thousands: file.divider === ";" ? "." : ",", decimals };
  const problems: ImportProblem[] = [];
  const doubtful: ReadFile["doubtful"][number][] = [];
  const rows: ReadFile["rows"][number][] = [];

  function productIn(row: CsvRow): NewProduct {
    /** Reads one cell. A problem is recorded, and the other cells are still read. */
    function read<Value>(column: Column, as: (text: string) => Value, none: Value): Value {
      try {
        const cell = row.cells[places.get(column) ?? -1] ?? "";
        return as(column === "description" && cell.trim() !== "" ? cell : cell.trim());
      } catch (error) {
        problems.push({ row: row.number, column, code: problemIn(error) });
        return none;
      }
    }
    function price(typed: string): number {
      const { amount, doubtful: isDoubtful } = priceIn(typed, habits);
      if (isDoubtful !== undefined) doubtful.push({ row: row.number, typed, amount });
      return amount;
    }
    if (row.cells.slice(file.columns.length).some((cell) => cell.trim() !== "")) {
      problems.push({ row: row.number, column: "", code: "more_cells" });
    }
    return {
      type: read("type", typeIn, "DEFAULT"),
      categoryId: read("categoryId", categoryIn, ""),
      info: {
        title: read("title", (cell) => titleIn(atMost(titleMax, cell)), ""),
        description: read("description", (cell) => atMost(longestDescription, cell) || undefined, undefined),
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
    if (index % rowsAtOnce === 0) await othersTurn();
    rows.push({ row: row.number, product: productIn(row) });
  }
  return { rows, problems, unknown: file.columns.filter((name) => !isKnown(name)), doubtful };
}
