import type { ViewContext } from "../../src/views/parts/context.ts";
import { exportCancelled, exportDone, exportPart, exportProgress } from "../../src/views/reports/export.ts";
import { type Filler, LONG_NUMBER } from "./hostile-support.ts";
import { largestStatsViews } from "./largest-stats-views.ts";

const file = { name: "orders-2026-11-21.csv", contentType: "text/csv; charset=utf-8", data: Buffer.from("id") };

/** Every function of `src/views/reports/export.ts` with its largest input, and of the views of figures. */
export const largestExportViews: Readonly<Record<string, (fill: Filler, ctx: ViewContext) => () => unknown>> = {
  ...largestStatsViews,
  exportProgress:
    (_, { locale }) =>
    () => {
      const at = { read: LONG_NUMBER, about: LONG_NUMBER, written: LONG_NUMBER, leftMs: LONG_NUMBER, isTooMuch: true };
      return exportProgress("orders", "AbCdEfGhIjKl", at, locale);
    },
  exportPart:
    (_, { locale }) =>
    () =>
      exportPart(LONG_NUMBER, file, locale),
  exportDone: (fill, { locale }) => {
    const counts = { read: LONG_NUMBER, about: LONG_NUMBER, written: LONG_NUMBER, skipped: LONG_NUMBER, undated: 9 };
    const result = {
      ...counts,
      what: "orders",
      files: 1,
      end: { code: "invalid", detail: fill(6_000) },
      isCertain: false,
    } as const;
    return () => exportDone({ ...result, privacy: "masked", zone: fill(64) }, file, locale);
  },
  exportCancelled:
    (_, { locale }) =>
    () =>
      exportCancelled("orders", locale),
};
