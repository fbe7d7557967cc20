/** The rows of a file by RFC 4180, to the letter; throws where it is none. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  let row: string[] = [];
  while (cell.lastIndex < text.length) {
    const at = cell.lastIndex;
    const found = cell.exec(text);
    if (found === null) throw new Error(`no CSV at ${at}: ${JSON.stringify(text.slice(at, at + 40))}`);
    const [, quoted, bare = "", end] = found;
    row.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === "\r\n") {
      rows.push(row);
      row = [];
    }
  }
  if (row.length > 0) throw new Error("the last row has no end");
  return rows;
}

/** The rows of a file with its mark, by the names of its columns. */
export function csvRecords(file: string): Record<string, string>[] {
  if (!file.startsWith("\ufeff")) throw new Error("the file has no byte order mark");
  const [columns = [], ...rows] = csvRows(file.slice(1));
  return rows.map((row) => {
    if (row.length !== columns.length) throw new Error(`${row.length} cells for ${columns.length} columns`);
    return Object.fromEntries(columns.map((column, index) => [column, row[index] ?? ""]));
  });
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
