import { stringify } from "csv-stringify/sync";

/**
 * A negative number gets no apostrophe (see {@link toCell}). So it must not be the first cell of a row: a program that expects
 * another divider could read the whole row as a formula.
 */
export type Cell = string | number | undefined;

/** In characters. If a text is longer, Excel writes the rest into the row below. */
export const longestCell = 32_767;

/** Characters that no spreadsheet shows. Some programs end a text at such a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these must be removed
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
/** Some programs begin a new cell after one of these. The new cell may be a formula. */
const dividers = String.raw`[,;\t\r\n\x85\u2028\u2029]`;
/** Programs may remove these before they look for a formula. */
const hidden = String.raw`[[\s\p{C}\p{Default_Ignorable_Code_Point}"]--${dividers}]`;
/** The start of a formula, with or without apostrophes before it. */
const formula = String.raw`'*${hidden}*[=+\-@\uff1d\uff0b\uff0d\uff20]`;
// No character is in both `dividers` and `hidden`. So the time to match these patterns grows linearly with the text.
const unsafe = new RegExp(`(?<=^|${dividers})(?=${formula})`, "gv");
const added = new RegExp(`(?<=^|${dividers})'(?=${formula})`, "gv");

const beginning = (text: string, length: number) => `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/**
 * Puts an apostrophe before anything that a program may read as a formula, and removes control characters. Cuts a text that is
 * longer than {@link longestCell}, and adds "…".
 */
export function toCell(text: string): string {
  // Cut first, because a store may send megabytes. Twice the length of a cell is enough, although some characters are removed.
  const some = text.length <= 2 * longestCell ? text : beginning(text, 2 * longestCell);
  const safe = some.toWellFormed().replace(control, "").replace(unsafe, "'");
  return safe.length <= longestCell ? safe : beginning(safe, longestCell);
}

/** Undoes {@link toCell}, but cannot restore the characters that it removed. */
export function fromCell(cell: string): string {
  return cell.replace(control, "").replace(added, "");
}

/** Follows RFC 4180. The decimal sign is a point in every language, because a comma would divide cells. */
export function csvOf(rows: readonly (readonly Cell[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === "string" ? toCell(cell) : cell)));
  return stringify(cells, {
    record_delimiter: "windows",
    // The library quotes a cell that contains CRLF. RFC 4180 also demands quotes for a single CR or LF.
    quoted_match: /[\r\n]/,
  });
}

/** With the byte order mark (BOM), by which spreadsheets recognise UTF-8. */
export const csvHead = (columns: readonly string[]): string => `\ufeff${csvOf([columns])}`;
