import { parse } from "csv-parse/sync";

/** Each of these line breaks ends a row, except inside quotes. The parser tries them in this sequence. */
const options = { record_delimiter: ["\r\n", "\n", "\r"] };

/** Throws if the file does not follow RFC 4180. */
export const csvRows = (text: string): string[][] => parse(text, options);

/** Rows by the names of the columns. Throws without byte order mark. */
export function csvRecords(file: string): Record<string, string>[] {
  if (!file.startsWith("\ufeff")) throw new Error("the file has no byte order mark");
  return parse(file, { ...options, bom: true, columns: true });
}

export interface CellReader {
  readonly dividers: string;
  /** Whether a quote at the start of a cell has a meaning. */
  readonly knowsQuotes: boolean;
  readonly breaksLinesInQuotes: boolean;
  /** Removes blanks, before and after it looks for quotes. */
  readonly trims: boolean;
}

const either = [true, false];
export const cellReaders: readonly CellReader[] = [",", ";", "\t", ",;\t"].flatMap((dividers) =>
  either.flatMap((knowsQuotes) =>
    either.flatMap((breaksLinesInQuotes) =>
      either.map((trims) => ({ dividers, knowsQuotes, breaksLinesInQuotes, trims })),
    ),
  ),
);

/** All cells in their sequence, as this program reads them. */
export function cellsReadBy(reader: CellReader, file: string): string[] {
  const { dividers, knowsQuotes, breaksLinesInQuotes, trims } = reader;
  const lineEnds = "\r\n\u0085\u2028\u2029";
  const cells: string[] = [];
  let cell = "";
  let isBeginning = true;
  let isQuoted = false;
  for (let at = 0; at < file.length; at += 1) {
    const sign = file.charAt(at);
    const ends = isQuoted ? breaksLinesInQuotes && lineEnds.includes(sign) : (dividers + lineEnds).includes(sign);
    if (ends) {
      cells.push(trims ? cell.trim() : cell);
      cell = "";
      isBeginning = true;
      isQuoted = false;
    } else if (isQuoted && sign === '"') {
      if (file[at + 1] === '"') {
        cell += sign;
        at += 1;
      } else {
        isQuoted = false;
      }
    } else if (isBeginning && knowsQuotes && sign === '"') {
      isQuoted = true;
      isBeginning = false;
    } else {
      cell += sign;
      isBeginning &&= trims && cell.trim() === "";
    }
  }
  return [...cells, cell];
}
