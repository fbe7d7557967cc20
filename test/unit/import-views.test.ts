import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locales } from "../../src/basics/locale.ts";
import type { NewProduct } from "../../src/store-api/schemas.ts";
import {
  type ImportProblem,
  importDone,
  importOver,
  importPreview,
  importProblems,
  importProgress,
} from "../../src/views/reports/import.ts";
import { sized } from "../support/sized.ts";
import { anyContext, anyNumber, anyProduct, anyText, expectAccepted, textOf } from "../support/views-support.ts";

const file = { name: "import-result.csv", contentType: "text/csv; charset=utf-8", data: Buffer.from("row") };
const session = "AbCdEfGhIjKl";
const anyLocale = fc.constantFrom(...locales);
const anyNewProduct: fc.Arbitrary<NewProduct> = anyProduct.map(({ categoryId, info, pricing }) => ({
  type: "DEFAULT",
  categoryId,
  info: { title: info.title, description: info.description, images: info.images },
  pricing,
  inventory: { type: "SERIAL" },
}));
const faultCodes: readonly ImportProblem["code"][] = [
  "bad_title",
  "bad_price",
  "bad_category",
  "bad_picture",
  "bad_type",
  "too_long",
  "more_cells",
];
const anyCounts = fc.record({
  all: anyNumber,
  created: anyNumber,
  before: anyNumber,
  refused: anyNumber,
  unclear: anyNumber,
});
const anyEnd = fc.oneof(
  fc.constantFrom("whole" as const, "cancelled" as const, "late" as const, "ending" as const, "unclear" as const),
  fc.constantFrom({ code: "unauthorized" as const }, { code: "storage" as const }, { code: "unavailable" as const }),
  anyText.map((detail) => ({ code: "invalid" as const, detail })),
);
const runs = { numRuns: sized(40, 150) };

describe("Discord takes, whatever a file has in it and in every language,", () => {
  it.each(locales)("a preview (%s) in which every text and number is as long as any", (locale) => {
    const most = Number.MAX_VALUE;
    const row = most;
    const text = "*".repeat(300);
    const product: NewProduct = {
      type: "DEFAULT",
      categoryId: text,
      info: { title: text, description: text, images: ["https://a.test/1.png"] },
      pricing: { price: most, comparation: most / 2 },
      inventory: { type: "SERIAL" },
    };
    const preview = {
      ...{ all: most, before: most, unclear: most },
      first: Array.from({ length: 5 }, () => ({ row, product })),
      unknown: Array.from({ length: 50 }, () => text),
      doubtful: Array.from({ length: 10 }, () => ({ row, typed: "9".repeat(300), amount: most })),
    };
    expectAccepted(importPreview(session, preview, { locale, currency: "BRL", privacy: "full" }));
  });

  it("a preview", { timeout: 60_000 }, () => {
    const anyPreview = fc.record({
      first: fc.array(fc.record({ row: anyNumber, product: anyNewProduct }), { maxLength: 5 }),
      all: anyNumber,
      before: anyNumber,
      unclear: anyNumber,
      unknown: fc.array(anyText, { maxLength: 50 }),
      doubtful: fc.array(fc.record({ row: anyNumber, typed: anyText, amount: anyNumber }), { maxLength: 10 }),
    });
    fc.assert(
      fc.property(anyPreview, anyContext, (preview, ctx) => {
        expectAccepted(importPreview(session, preview, ctx));
        expectAccepted(importPreview(undefined, preview, ctx));
      }),
      runs,
    );
  });

  it("what is wrong with it", { timeout: 60_000 }, () => {
    const anyFault = fc.record({ row: anyNumber, column: anyText, code: fc.constantFrom(...faultCodes) });
    fc.assert(
      fc.property(fc.array(anyFault, { maxLength: 30 }), anyLocale, (faults, locale) => {
        expectAccepted(importProblems(faults, file, locale));
      }),
      runs,
    );
  });

  it("how far an import is, and what became of it", { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(anyCounts, anyEnd, anyNumber, anyLocale, (counts, end, leftMs, locale) => {
        expectAccepted(importProgress({ session, run: session }, { ...counts, leftMs }, locale));
        expectAccepted(importDone(session, { ...counts, end }, file, locale));
        expectAccepted(importDone(undefined, { ...counts, end }, file, locale));
        expectAccepted(importOver(session, locale));
      }),
      runs,
    );
  });

  it.each(locales)("an import that is over (%s)", (locale) => {
    expectAccepted(importOver(session, locale));
  });
});

it.each(locales)("one and many have their own words (%s)", (locale) => {
  const counts = { all: 9, created: 0, before: 0, refused: 0 };
  const said = [1, 2].map((unclear) => textOf(importDone(session, { ...counts, unclear, end: "whole" }, file, locale)));
  expect(said[0]).not.toBe(said[1]);
});
