import { parse } from "csv-parse/sync";

/** Any line break that stands in no quotes ends a row. The first one that fits counts. */
const options = { record_delimiter: ["\r\n", "\n", "\r"] };

/** The rows of a file by RFC 4180; throws where it is none. */
export const csvRows = (text: string): string[][] => parse(text, options);

/** The rows of a file with its mark, by the names of its columns. */
export function csvRecords(file: string): Record<string, string>[] {
  if (!file.startsWith("\ufeff")) throw new Error("the file has no byte order mark");
  return parse(file, { ...options, bom: true, columns: true });
}

/** How a program reads a file that is not made for it alone. */
export interface CellReader {
  readonly dividers: string;
  /** Knows quotes where a cell begins; else they are characters as any other. */
  readonly knowsQuotes: boolean;
  readonly breaksLinesInQuotes: boolean;
  /** Takes blanks away, before it looks for quotes and after. */
  readonly trims: boolean;
}

const either = [true, false];
/** Every kind of reader there is. */
export const cellReaders: readonly CellReader[] = [",", ";", "\t", ",;\t"].flatMap((dividers) =>
  either.flatMap((knowsQuotes) =>
    either.flatMap((breaksLinesInQuotes) =>
      either.map((trims) => ({ dividers, knowsQuotes, breaksLinesInQuotes, trims })),
    ),
  ),
);

/** All cells of a file, one after the other, as that program reads them. */
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
