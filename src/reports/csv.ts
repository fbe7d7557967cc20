import { stringify } from "csv-stringify/sync";

/** One cell. A number stays one: nothing else may begin with a minus as it is. The first of a row is none below zero. */
export type Cell = string | number | undefined;

/** Excel's limit on the characters of a cell; what is longer spills into the row below it there. */
export const longestCell = 32_767;

/** What no spreadsheet shows, and some programs end a text at. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
/** Where one reader or another begins a new cell: behind the start of a text, and behind each of these. */
const dividers = String.raw`[,;\t\r\n\x85\u2028\u2029]`;
/** What readers may take away before they look for a formula. */
const hidden = String.raw`[[\s\p{C}\p{Default_Ignorable_Code_Point}"]--${dividers}]`;
/** With the apostrophes before it: so it is one before and after another apostrophe. */
const formula = String.raw`'*${hidden}*[=+\-@\uff1d\uff0b\uff0d\uff20]`;
// What may stand before a formula is no divider: no two places look at the same characters, and the time grows with the length.
const unsafe = new RegExp(`(?<=^|${dividers})(?=${formula})`, "gv");
const added = new RegExp(`(?<=^|${dividers})'(?=${formula})`, "gv");

/** The beginning of a text, and a mark that something follows. */
const beginning = (text: string, length: number) => `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/**
 * The text of a cell: an apostrophe stands before what is a formula for any reader, control characters are left out, and
 * what is longer than {@link longestCell} ends in "…".
 */
export function toCell(text: string): string {
  // A store may send megabytes, of which no more is looked at than may be shown; twice as much, for some of it is left out.
  const some = text.length <= 2 * longestCell ? text : beginning(text, 2 * longestCell);
  const safe = some.toWellFormed().replace(control, "").replace(unsafe, "'");
  return safe.length <= longestCell ? safe : beginning(safe, longestCell);
}

/** The text that {@link toCell} made a cell of, but for what was left out of it. */
export function fromCell(cell: string): string {
  return cell.replace(control, "").replace(added, "");
}

/**
 * Rows as RFC 4180 has them: commas, CRLF, quotes where a cell has a comma, a quote or a line break. No text is a formula
 * for any reader ({@link toCell}). Numbers have a point as decimal sign, in no language another one: a comma would divide
 * cells, and every spreadsheet can be told which sign a file has.
 */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "string" ? toCell(cell) : cell)));
  return stringify(cells, {
    record_delimiter: "windows",
    // The library quotes what has the whole of CRLF in it, and RFC 4180 what has a part of it.
    quoted_match: /[\r\n]/,
  });
}

/** The first bytes of a file: a mark by which spreadsheets know UTF-8, and the names of the columns. */
export const csvHead = (columns: readonly string[]): string => `\ufeff${csvOf([columns])}`;
