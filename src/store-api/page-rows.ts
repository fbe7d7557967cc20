import { setImmediate } from "node:timers/promises";
import type { z } from "zod";
import { optionalNumber } from "./schemas.ts";
import { StoreError } from "./store-error.ts";

export interface BadRow {
  /** Position on the page, from 0. */
  readonly index: number;
  readonly fields: readonly string[];
}

export interface PageRows<Row> {
  readonly items: Row[];
  readonly bad: readonly BadRow[];
  /** At least 1. Undefined if the API names no last page. */
  readonly lastPage: number | undefined;
}

/** A page may have at most this many rows. An API without pages sends the whole list as one page. */
const mostRows = 10_000;
/** In one turn of the event loop, rows are parsed for at most this time. */
const longestTurnMs = 5;
/** A greater `lastPage` counts as this number, because an API may send a wrong one. */
const mostPages = 1_000_000;

/** Reads `lastPage` and the rows under `key`. Undefined if `data` has another form. Throws a `StoreError` for too many rows. */
export async function readPageRows<Row>(
  data: unknown,
  key: string,
  schema: z.ZodType<Row>,
): Promise<PageRows<Row> | undefined> {
  // zod does not parse `data`, because `data` may have tens of thousands of other fields.
  if (typeof data !== "object" || data === null) return undefined;
  const rows: unknown = Reflect.get(data, key);
  const lastPage = optionalNumber.safeParse(Reflect.get(data, "lastPage"));
  if (!Array.isArray(rows) || !lastPage.success) return undefined;
  if (rows.length > mostRows) throw new StoreError("too_large", `${rows.length} ${key}`);
  const items: Row[] = [];
  const bad: BadRow[] = [];
  let turnEndsAt = performance.now() + longestTurnMs;
  for (const [index, value] of rows.entries()) {
    if (performance.now() > turnEndsAt) {
      await setImmediate();
      turnEndsAt = performance.now() + longestTurnMs;
    }
    const { data: row, error } = schema.safeParse(value);
    if (row === undefined) bad.push({ index, fields: error?.issues.map((issue) => issue.path.join(".")) ?? [] });
    else items.push(row);
  }
  return { items, bad, lastPage: pageNumber(lastPage.data) };
}

const pageNumber = (page: number | undefined) =>
  page === undefined ? undefined : Math.min(Math.max(Math.trunc(page), 1), mostPages);
