import { setImmediate as othersTurn } from "node:timers/promises";
import type { z } from "zod";
import { optionalNumber } from "./schemas.ts";

/** A row that was left out: its position in the list, and its invalid fields without their values, for the log. */
export interface BadRow {
  readonly index: number;
  readonly fields: readonly string[];
}

export interface PageRows<Row> {
  readonly items: Row[];
  readonly bad: readonly BadRow[];
  /** Number of rows between the first 500 and the last 500, which are not read. */
  readonly cut: number;
  /** At least 1; undefined if the API names none. */
  readonly lastPage: number | undefined;
}

/** An API without pages has its newest orders at one end of its list, so this many rows are read at each end. */
const endRows = 500;
/** After this many milliseconds of parsing rows, other work gets a turn of the event loop. */
const longestTurnMs = 5;
/** Far more pages than any store has, for an answer with a wrong `lastPage`. */
const mostPages = 1_000_000;

/**
 * Reads the `data` of a list: `lastPage`, and the rows under `key` that fit `schema`. Invalid rows are left out and
 * described. Returns undefined if `data` is not such a list.
 */
export async function readPageRows<Row>(
  data: unknown,
  key: string,
  schema: z.ZodType<Row>,
): Promise<PageRows<Row> | undefined> {
  // Other fields are not parsed. There may be tens of thousands of them.
  if (typeof data !== "object" || data === null) return undefined;
  const rows: unknown = Reflect.get(data, key);
  const lastPage = optionalNumber.safeParse(Reflect.get(data, "lastPage"));
  if (!Array.isArray(rows) || !lastPage.success) return undefined;
  const cut = Math.max(rows.length - 2 * endRows, 0);
  const kept: readonly unknown[] = cut === 0 ? rows : [...rows.slice(0, endRows), ...rows.slice(-endRows)];
  const items: Row[] = [];
  const bad: BadRow[] = [];
  let turnEndsAt = performance.now() + longestTurnMs;
  for (const [index, value] of kept.entries()) {
    if (performance.now() > turnEndsAt) {
      await othersTurn();
      turnEndsAt = performance.now() + longestTurnMs;
    }
    const { data: row, error } = schema.safeParse(value);
    if (row === undefined) bad.push({ index, fields: error?.issues.map((issue) => issue.path.join(".")) ?? [] });
    else items.push(row);
  }
  return { items, bad, cut, lastPage: pageNumber(lastPage.data) };
}

const pageNumber = (page: number | undefined) =>
  page === undefined ? undefined : Math.min(Math.max(Math.trunc(page), 1), mostPages);
