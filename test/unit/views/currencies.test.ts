import { expect, it } from "vitest";
import { suggestCurrencies } from "../../../src/views/settings/currencies.ts";

const codes = (typed: string, locale: "en" | "pt-BR" | "es") =>
  suggestCurrencies(typed, locale).map(({ value }) => value);

it("the common currencies and those of the reader's language come first, then none (0.1.0: AED and AFN)", () => {
  expect(codes("", "pt-BR").slice(0, 5)).toEqual(["BRL", "USD", "EUR", "none", "AED"]);
  expect(codes("", "es").slice(0, 4)).toEqual(["BRL", "USD", "EUR", "MXN"]);
  expect(codes("", "en").slice(0, 4)).toEqual(["BRL", "USD", "EUR", "GBP"]);
  for (const locale of ["en", "pt-BR", "es"] as const) {
    expect(codes("", locale)).toHaveLength(25);
    expect(codes("", locale)).toContain("none");
    expect(new Set(codes("", locale)).size).toBe(25);
  }
});

it.each(["en", "pt-BR", "es"] as const)("currencies are found by their signs (%s)", (locale) => {
  expect(codes("r$", locale)[0]).toBe("BRL");
  expect(codes("€", locale)).toEqual(["EUR"]);
  expect(codes("$", locale)).toEqual(expect.arrayContaining(["BRL", "USD"]));
});
