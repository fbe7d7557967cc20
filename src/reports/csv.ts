import { setImmediate } from "node:timers/promises";
import { stringify } from "csv-stringify/sync";

/**
 * A text that begins with a minus gets an apostrophe, a negative number does not. A negative number must not be the first cell
 * of a row, because a program that expects another divider could read the whole row as a formula.
 */
export type Cell = string | number | undefined;

/** In characters. If a text is longer, Excel writes the rest into the row below. */
export const longestCell = 32_767;

/** Characters that no spreadsheet shows. Some programs end a text at such a character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to go
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g;
/** At each of these, some program begins a new cell. So a formula may begin after it. */
const dividers = String.raw`[,;\t\r\n\x85\u2028\u2029]`;
/** Programs may remove these before they look for a formula. */
const hidden = String.raw`[[\s\p{C}\p{Default_Ignorable_Code_Point}"]--${dividers}]`;
/** The start of a formula, also after apostrophes. */
const formula = String.raw`'*${hidden}*[=+\-@\uff1d\uff0b\uff0d\uff20]`;
// No character is in both `dividers` and `hidden`. So the time to match these patterns grows linearly with the text.
const unsafe = new RegExp(`(?<=^|${dividers})(?=${formula})`, "gv");
const added = new RegExp(`(?<=^|${dividers})'(?=${formula})`, "gv");

const beginning = (text: string, length: number) => `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;

/**
 * Puts an apostrophe before anything that a program may read as a formula, and removes control characters. A text longer than
 * {@link longestCell} ends in "…".
 */
export function toCell(text: string): string {
  // A store may send megabytes. One full cell is not enough, because some characters are removed.
  const some = text.length <= 2 * longestCell ? text : beginning(text, 2 * longestCell);
  const safe = some.toWellFormed().replace(control, "").replace(unsafe, "'");
  return safe.length <= longestCell ? safe : beginning(safe, longestCell);
}

/** Characters that {@link toCell} removed are lost. */
export function fromCell(cell: string): string {
  return cell.replace(control, "").replace(added, "");
}

/** As in RFC 4180. The decimal sign is a point in every language, because a comma would divide cells. */
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

/** After this time, other work of the process runs. A limit in rows would not do, because rows can be long. */
const longestTurnMs = 5;

/**
 * Only one part is in memory at a time. `columns` is the first line of each part. `bytes` limits a part, unless a single row is
 * larger. `full` receives a full part and its number, from 1.
 */
export function createCsvParts(deps: {
  readonly columns: readonly string[];
  readonly bytes: number;
  full(part: Buffer, number: number): Promise<void>;
}) {
  const head = Buffer.from(csvHead(deps.columns));
  let lines: Buffer[] = [];
  let size = head.length;
  let given = 0;

  function whole(): Buffer {
    const part = Buffer.concat([head, ...lines]);
    lines = [];
    size = head.length;
    return part;
  }

  return {
    /** A full part goes to `full` before the next row is added. If `cells` throws, earlier rows stay in the file. */
    async add<Row>(rows: readonly Row[], cells: (row: Row) => readonly Cell[]): Promise<void> {
      let turnEndsAt = performance.now() + longestTurnMs;
      for (const row of rows) {
        if (performance.now() > turnEndsAt) {
          await setImmediate();
          turnEndsAt = performance.now() + longestTurnMs;
        }
        const line = Buffer.from(csvOf([cells(row)]));
        if (size + line.length > deps.bytes && lines.length > 0) {
          given += 1;
          await deps.full(whole(), given);
        }
        lines.push(line);
        size += line.length;
      }
    },
    given: () => given,
    rest: () => (lines.length === 0 ? undefined : whole()),
  };
}
