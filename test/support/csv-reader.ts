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
