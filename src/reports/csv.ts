import { stringify } from "csv-stringify/sync";

/** One cell. Only a number may begin with a minus. The first cell of a row is never negative. */
export type Cell = string | number | undefined;

/** Excel's limit of characters in a cell. Excel writes the rest of a longer text into the row below. */
export const longestCell = 32_767;

/** Characters that no spreadsheet shows, and at which some programs end a text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
/** Characters at which some program begins a new cell: after the start of a text, and after each of these. */
const dividers = String.raw`[,;\t\r\n\x85\u2028\u2029]`;
/** Characters that programs may remove before they look for a formula. */
const hidden = String.raw`[[\s\p{C}\p{Default_Ignorable_Code_Point}"]--${dividers}]`;
/** The start of a formula, with the apostrophes before it: it still fits when one more apostrophe is added. */
const formula = String.raw`'*${hidden}*[=+\-@\uff1d\uff0b\uff0d\uff20]`;
// The characters before a formula and the dividers have none in common, so that the time grows linearly with the length.
const unsafe = new RegExp(`(?<=^|${dividers})(?=${formula})`, "gv");
const added = new RegExp(`(?<=^|${dividers})'(?=${formula})`, "gv");

/** The beginning of a long text, with a mark that it was cut. */
const beginning = (text: string, length: number) => `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/**
 * The text of a cell. An apostrophe goes before anything that a program may read as a formula, control characters are removed, and
 * a text longer than {@link longestCell} ends in "…".
 */
export function toCell(text: string): string {
  // A store may send megabytes. Twice the longest cell is read, because some of its characters are removed.
  const some = text.length <= 2 * longestCell ? text : beginning(text, 2 * longestCell);
  const safe = some.toWellFormed().replace(control, "").replace(unsafe, "'");
  return safe.length <= longestCell ? safe : beginning(safe, longestCell);
}

/** The text from which {@link toCell} made a cell, without the characters that it removed. */
export function fromCell(cell: string): string {
  return cell.replace(control, "").replace(added, "");
}

/**
 * Rows as in RFC 4180: commas, CRLF, quotes around a cell with a comma, a quote or a line break. No text is a formula for any
 * program ({@link toCell}). The decimal sign of numbers is a point in every language: a comma would divide cells, and every
 * spreadsheet can be told the sign.
 */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "string" ? toCell(cell) : cell)));
  return stringify(cells, {
    record_delimiter: "windows",
    // The library quotes a cell with CRLF; RFC 4180 also asks it for a single CR or LF.
    quoted_match: /[\r\n]/,
  });
}

/** The first bytes of a file: the byte order mark (BOM), by which spreadsheets recognise UTF-8, and the names of the columns. */
export const csvHead = (columns: readonly string[]): string => `\ufeff${csvOf([columns])}`;
