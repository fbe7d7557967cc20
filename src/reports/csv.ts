import { stringify } from "csv-stringify/sync";

/** One cell. A number stays one: nothing else may begin with a minus as it is. */
export type Cell = string | number | undefined;

/** Excel's limit on the characters of a cell; what is longer spills into the row below it there. */
export const longestCell = 32_767;

/** What no spreadsheet shows, and some programs end a text at. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
/** Before a formula, what a spreadsheet that trims cells would take away; the plain cases are the library's. */
const hiddenFormula = /^[\s\p{C}\p{Default_Ignorable_Code_Point}]+[=+\-@\uff1d\uff0b\uff0d\uff20]/u;

/** What {@link csvOf} puts an apostrophe before. */
const formula = /^(?:[\t\r]|[\s\p{C}\p{Default_Ignorable_Code_Point}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

/** The text of a cell as it was before {@link csvOf} made it harmless, as far as that can be told. */
export function fromCell(cell: string): string {
  const clean = cell.replace(control, "");
  return clean.startsWith("'") && formula.test(clean.slice(1)) ? clean.slice(1) : clean;
}

function text(value: string): string {
  const clean = value.toWellFormed().replace(control, "");
  const safe = hiddenFormula.test(clean) && !/^[\t\r]/.test(clean) ? `'${clean}` : clean;
  return safe.length <= longestCell ? safe : `${safe.slice(0, longestCell - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/**
 * Rows as RFC 4180 has them: commas, CRLF, quotes where a cell has a comma, a quote or a line break. No cell is a formula:
 * what begins like one gets an apostrophe before it. Numbers have a point as decimal sign, in no language another one: a
 * comma would divide cells, and every spreadsheet can be told which sign a file has.
 */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "string" ? text(cell) : cell)));
  return stringify(cells, {
    record_delimiter: "windows",
    // The library quotes what has the whole of CRLF in it, and RFC 4180 what has a part of it.
    quoted_match: /[\r\n]/,
    escape_formulas: true,
  });
}

/** The first bytes of a file: a mark by which spreadsheets know UTF-8, and the names of the columns. */
export const csvHead = (columns: readonly string[]): string => `\ufeff${csvOf([columns])}`;
