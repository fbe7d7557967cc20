import type { z } from "zod";
import { endRows } from "./large-json.ts";
import { optionalNumber } from "./schemas.ts";

/** A row that was left out: its place among those that were read and the fields that made no sense, never their values. */
export interface BadRow {
  readonly index: number;
  readonly fields: readonly string[];
}

/** The `data` of a list, read. */
export interface PageRows<Row> {
  readonly items: Row[];
  readonly bad: readonly BadRow[];
  /** Rows between the first and the last 500, which nobody looked at. */
  readonly cut: number;
  /** At least 1; undefined when the API names none. */
  readonly lastPage: number | undefined;
}

/** A row that was read already; without `item` it makes no sense. */
class ReadRow<Row> {
  readonly item: Row | undefined;
  readonly fields: readonly string[];

  constructor(item: Row | undefined, fields: readonly string[]) {
    this.item = item;
    this.fields = fields;
  }
}

/** Reads one row; one that was read already comes back as it is. */
export type RowReader<Row> = (value: unknown) => ReadRow<Row>;

/** A far higher last page than any store has; a broken answer must not send a reader through more. */
const mostPages = 1_000_000;

/**
 * Reads rows that fit `schema`.
 *
 * @param shortened what is kept of such a row
 */
export function rowReader<Row>(schema: z.ZodType<Row>, shortened: (row: Row) => Row = (row) => row): RowReader<Row> {
  return (value) => {
    if (value instanceof ReadRow) return value;
    const { data, error } = schema.safeParse(value);
    const item = data === undefined ? undefined : shortened(data);
    return new ReadRow(item, error?.issues.map((issue) => issue.path.join(".")) ?? []);
  };
}

/**
 * Reads the `data` of a list: rows under `key`, and `lastPage`. Rows that make no sense are left out and described;
 * undefined when it is no such list. May stop after each row.
 *
 * @param cutBefore rows that were left out already
 */
export function* readPageRows<Row>(
  data: unknown,
  key: string,
  readRow: RowReader<Row>,
  cutBefore = 0,
): Generator<void, PageRows<Row> | undefined> {
  // No schema looks at the rest of it, which may be tens of thousands of fields.
  if (typeof data !== "object" || data === null) return undefined;
  const rows: unknown = Reflect.get(data, key);
  const lastPage = optionalNumber.safeParse(Reflect.get(data, "lastPage"));
  if (!Array.isArray(rows) || !lastPage.success) return undefined;
  const excess = Math.max(rows.length - 2 * endRows, 0);
  const kept: readonly unknown[] = excess === 0 ? rows : [...rows.slice(0, endRows), ...rows.slice(-endRows)];
  const items: Row[] = [];
  const bad: BadRow[] = [];
  for (const [index, value] of kept.entries()) {
    const { item, fields } = readRow(value);
    if (item === undefined) bad.push({ index, fields });
    else items.push(item);
    yield;
  }
  return { items, bad, cut: cutBefore + excess, lastPage: pageNumber(lastPage.data) };
}

const pageNumber = (page: number | undefined) =>
  page === undefined ? undefined : Math.min(Math.max(Math.trunc(page), 1), mostPages);
