import type { ViewContext } from "../../src/views/parts/context.ts";
import {
  importDone,
  importOver,
  importPreview,
  importProblems,
  importProgress,
} from "../../src/views/reports/import.ts";
import { type Filler, LONG_NUMBER } from "./hostile-support.ts";

const file = { name: "import-result.csv", contentType: "text/csv; charset=utf-8", data: Buffer.from("row") };
const session = "AbCdEfGhIjKl";
const counts = { all: LONG_NUMBER, created: 5, before: LONG_NUMBER, refused: LONG_NUMBER, unclear: LONG_NUMBER };

/** Every function of `src/views/import.ts` with its largest input. */
export const largestImportViews: Readonly<Record<string, (fill: Filler, ctx: ViewContext) => () => unknown>> = {
  importProblems: (fill, { locale }) => {
    const fault = { row: LONG_NUMBER, column: fill(500), code: "bad_picture" } as const;
    const faults = Array.from({ length: 8_000 }, () => fault);
    return () => importProblems(faults, file, locale);
  },
  importPreview: (fill, ctx) => {
    const product = {
      type: "DEFAULT",
      categoryId: fill(200),
      info: { title: fill(4_000), description: fill(4_000), images: Array.from({ length: 10 }, () => fill(2_000)) },
      pricing: { price: LONG_NUMBER, comparation: 1 },
      inventory: { type: "SERIAL" },
    } as const;
    const first = Array.from({ length: 1_000 }, (_, at) => ({ row: at + 2, product }));
    const doubtful = Array.from({ length: 2_000 }, (_, at) => ({ row: at, typed: fill(500), amount: LONG_NUMBER }));
    const unknown = Array.from({ length: 50 }, () => fill(2_000));
    const seen = { first, all: LONG_NUMBER, before: 5, unclear: LONG_NUMBER, unknown, doubtful };
    return () => importPreview(session, seen, ctx);
  },
  importProgress:
    (_, { locale }) =>
    () =>
      importProgress({ session, run: session }, { ...counts, leftMs: LONG_NUMBER }, locale),
  importDone: (fill, { locale }) => {
    const end = { code: "invalid", detail: fill(6_000) } as const;
    return () => importDone(session, { ...counts, before: 0, refused: 0, end }, file, locale);
  },
  importOver:
    (_, { locale }) =>
    () =>
      importOver(session, locale),
};
