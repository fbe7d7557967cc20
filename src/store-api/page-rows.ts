import { z } from "zod";
import { END_ROWS } from "./large-json.ts";
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
  /** At least 1. */
  readonly lastPage: number;
}

/** A far higher last page than any store has; a broken answer must not send a reader through more. */
const MOST_PAGES = 1_000_000;

/**
 * Reads the `data` of a list: rows under `key`, and `lastPage`. Rows that do not fit `schema` are left out and described;
 * undefined when it is no such list. May stop after each row.
 *
 * @param cutBefore rows that were left out already
 */
export function* readPageRows<Row>(
  data: unknown,
  key: string,
  schema: z.ZodType<Row>,
  cutBefore = 0,
): Generator<void, PageRows<Row> | undefined> {
  const page = z.looseObject({ [key]: z.array(z.unknown()), lastPage: optionalNumber }).safeParse(data);
  if (!page.success) return undefined;
  const rows = z.array(z.unknown()).parse(page.data[key]);
  const excess = Math.max(rows.length - 2 * END_ROWS, 0);
  const kept = excess === 0 ? rows : [...rows.slice(0, END_ROWS), ...rows.slice(-END_ROWS)];
  const items: Row[] = [];
  const bad: BadRow[] = [];
  for (const [index, value] of kept.entries()) {
    const { data: item, error } = schema.safeParse(value);
    if (error === undefined) items.push(item);
    else bad.push({ index, fields: error.issues.map((issue) => issue.path.join(".")) });
    yield;
  }
  const lastPage = Math.trunc(Number(page.data.lastPage ?? 1));
  return { items, bad, cut: cutBefore + excess, lastPage: Math.min(Math.max(lastPage, 1), MOST_PAGES) };
}
