import type { Locale } from "../../src/basics/locale.ts";
import { texts } from "../../src/locales/texts.ts";
import { type Cell, csvHead, csvOf } from "../../src/reports/csv.ts";
import type { ImportRow, RowOutcome } from "../../src/reports/run-import.ts";
import type { PayloadFile } from "../../src/views/parts/payload.ts";
import { problemText } from "../../src/views/parts/problem.ts";
import type { ImportProblem } from "../../src/views/reports/import.ts";

function fileOf(name: string, columns: readonly string[], rows: readonly (readonly Cell[])[]): PayloadFile {
  const data = Buffer.from(csvHead(columns) + csvOf(rows));
  return { name: `${name}.csv`, contentType: "text/csv; charset=utf-8", data };
}

/** Makes a file that lists every problem of an uploaded file. */
export function problemsFile(problems: readonly ImportProblem[], locale: Locale): PayloadFile {
  const { file, faults: say } = texts(locale).imports;
  const rows = problems.map(({ row, column, code }) => [row, column, say[code]]);
  return fileOf("import-problems", [file.row, file.column, file.problem], rows);
}

/** Makes a file with the result of each row. */
export function resultFile(
  rows: readonly ImportRow[],
  outcomes: ReadonlyMap<string, RowOutcome>,
  locale: Locale,
): PayloadFile {
  const { file } = texts(locale).imports;
  function cells({ row, key, product }: ImportRow): Cell[] {
    const outcome = outcomes.get(key);
    const start = [row, product.info.title];
    if (outcome === undefined) return [...start, file.open, "", ""];
    if (outcome.state === "created") return [...start, outcome.isNew ? file.created : file.before, outcome.id, ""];
    if (outcome.state === "unclear") return [...start, file.unclear, "", ""];
    return [...start, file.refused, "", problemText(outcome.problem, locale)];
  }
  const columns = [file.row, file.title, file.result, "id", file.problem];
  return fileOf("import-result", columns, rows.map(cells));
}
