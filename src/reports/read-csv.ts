import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { CsvError, parse } from "csv-parse";
import { mostImportCells, mostImportRows } from "../basics/limits/limits-in-texts.ts";
import { ProblemError } from "../views/parts/problem.ts";
import { fromCell, longestCell } from "./csv.ts";

/** A file's divider is the one that separates the most known columns. If two are equal, the earlier one here is used. */
const dividers = [",", ";", "\t"] as const;
type Divider = (typeof dividers)[number];

/** `number` is the row's number in a spreadsheet, where the names of the columns are row 1. */
export interface CsvRow {
  readonly number: number;
  readonly cells: readonly string[];
}

export interface CsvFile {
  readonly columns: readonly string[];
  /** Programs that write decimal commas use the semicolon. */
  readonly divider: Divider;
  readonly rows: readonly CsvRow[];
}

/** A file may have at most this many rows without a product: the row of column names, and empty rows. */
const mostBlankRows = 1_000;
/** In bytes. A row of `/export products` has ten cells, and each character has at most three bytes. */
const longestRow = 10 * 3 * longestCell;
/** After this many bytes, other work of the process runs. If each byte is a row, parsing this many takes 20 ms. */
const pieceLength = 1_024;

const isBlank = (cell: string) => cell.trim() === "";

/** Only known names count. An unknown name may contain other dividers: programs quote only the divider of their file. */
function dividerOf(text: string, known: ReadonlySet<string>): Divider {
  const [first = ""] = text.slice(0, longestRow).split(/[\r\n]/, 1);
  const names = first.replaceAll('"', "").toLowerCase();
  const count = (divider: Divider) =>
    names.split(divider, mostImportCells).filter((name) => known.has(name.trim())).length;
  return dividers.reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** The first line of a file for Excel may name the divider. Spreadsheets hide this line, so it does not count as a row. */
const dividerLine = /^\uFEFF?sep=.\r?\n/i;

/** The parser joins a character that is split between two pieces. */
async function* piecesOf(text: string) {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceLength) {
    yield bytes.subarray(at, at + pieceLength);
    await setImmediate();
  }
}

/**
 * Reads a CSV file as `/export` writes it, or as a spreadsheet saves it: with or without a byte order mark, and with any kind
 * of line breaks. Throws a `ProblemError`: "import_broken" for a file that is not CSV, "import_wide" for a row with too many
 * cells, "import_long" for too many rows. `known`: the names of columns, in lower case. They have no divider.
 */
export async function readCsv(file: string, known: ReadonlySet<string>): Promise<CsvFile> {
  const text = file.replace(dividerLine, "");
  const divider = dividerOf(text, known);
  const parser = parse({
    bom: true,
    delimiter: divider,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    max_record_size: longestRow,
    cast(cell, { index, lines }) {
      if (index >= mostImportCells) throw new ProblemError({ code: "import_wide", about: String(lines) });
      return cell;
    },
  });
  let columns: readonly string[] | undefined;
  const rows: CsvRow[] = [];
  let number = 0;
  try {
    for await (const record of Readable.from(piecesOf(text)).compose(parser)) {
      const cells: readonly string[] = record;
      number += 1;
      if (columns === undefined) columns = cells.map((name) => name.trim().toLowerCase());
      else if (!cells.every(isBlank)) rows.push({ number, cells: cells.map(fromCell) });
      if (rows.length > mostImportRows || number - rows.length > mostBlankRows) {
        throw new ProblemError({ code: "import_long" });
      }
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ProblemError({ code: "import_broken", about: String(Number(error.lines) || 1) });
  }
  return { columns: columns ?? [], divider, rows };
}
