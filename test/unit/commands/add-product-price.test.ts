import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { locales } from "../../../src/basics/locale.ts";
import { habitsOf, readPrice, typedPrice } from "../../../src/store-queries/price.ts";
import { sized } from "../../support/sized.ts";

const en = habitsOf({ language: "en" });
const ptBR = habitsOf({ language: "pt-BR", currency: "BRL" });
const es = habitsOf({ language: "es" });
const mexican = habitsOf({ language: "es", currency: "mxn" });
const every = [en, ptBR, es, mexican];

describe("a price is understood as people type it", () => {
  it.each([
    [0, "0"],
    [0.5, "$.50"],
    [0.9, ".90"],
    [12, "S/.12"],
    [49, "49| 49 |Rs.49|Ｒ＄４９|U$S 49|MXN$ 49|Bs. 49|Q49|49 zł|49 kr.|₨ 49"],
    [49.9, "49,90|49.90|R$ 49,90|r$49,90|$49.90 MXN|49,90 €|brl 49.90|４９，９０"],
    [258.9, "258,90 R$"],
    [1_234.5, "1’234.50|1234,5"],
    [1_234.56, "1.234,56|1,234.56|1\u202f234,56|1\u00a0234.56|US$ 1,234.56"],
    [1_234_567, "1.234.567"],
    [1_234_567.8, "1,234,567.8"],
    [1e12, "1000000000000"],
  ])("as %d, wherever the server is: %s", (amount, typed) => {
    for (const text of typed.split("|")) {
      for (const habits of every) expect(readPrice(text, habits), text).toEqual({ amount, isDoubtful: false });
    }
  });

  it.each([
    ..."| |free|-5|−5|- 5|(5)|+5|49.9999|1.234,567|1,234.567|0.123|12.34,56|1,23,456.00|1.234.56".split("|"),
    ..."1,234,56|1.2.3|1 2345|49,|49.|,|1..2|1e5|0x10|٤٩|NaN|Infinity|49,90 49,90|R$ R$ 1|2 mil|10mil".split("|"),
    ..."1,5 mil|R$ 2 mil|mil 500|5k|5K|$5k|5 k$|5 M€|MM$ 5|1 mi|1 m|1 mm|1 ㎜|1 Ⅿ|5 mil BRL|5 XQZ|abc 5".split("|"),
    ..."BRL.50|5 kg|5%|49⁹⁰|49₉₀|R$ 49⁹⁰|49,9⁰|1²|4①|49½|🄁5".split("|"),
    "9".repeat(41),
    "1000000000000,01",
    "10.000.000.000.000",
  ])("%j is asked for again", (typed) => {
    for (const habits of every) expect(readPrice(typed, habits)).toBeUndefined();
  });
});

describe("one separator with three digits after it", () => {
  it("separates thousands if the server's language writes it so, and is doubtful", () => {
    const thousand = { amount: 1_234, isDoubtful: true };
    expect([en, mexican].map((habits) => readPrice("1,234", habits))).toEqual([thousand, thousand]);
    expect([ptBR, es].map((habits) => readPrice("R$ 1.234", habits))).toEqual([thousand, thousand]);
    expect([en, mexican].map((habits) => readPrice("1.234", habits))).toEqual([undefined, undefined]);
    expect([ptBR, es].map((habits) => readPrice("1,234", habits))).toEqual([undefined, undefined]);
  });

  it("may separate decimals if the currency has three", () => {
    const dinar = habitsOf({ language: "en", currency: "KWD" });
    expect(readPrice("1.234", dinar)).toEqual({ amount: 1.234, isDoubtful: true });
    expect(readPrice("1,234", dinar)).toEqual({ amount: 1_234, isDoubtful: true });
    expect(readPrice("12,345.678", dinar)).toEqual({ amount: 12_345.678, isDoubtful: false });
  });

  it("a currency that does not exist, or has no cents, takes two decimals", () => {
    for (const currency of ["JPY", "XQZ", "nonsense", "", "€€€"]) {
      expect(habitsOf({ language: "en", currency })).toEqual({ thousands: ",", decimals: 2 });
    }
  });
});

const cents = fc.nat({ max: 99_999_999_99 }).map((amount) => amount / 100);

describe("any amount", () => {
  it("as any of these countries writes it with its cents is understood", () => {
    const written = fc.constantFrom("en-US", "pt-BR", "es", "es-MX", "es-AR", "de-DE", "fr-FR", "de-CH");
    const styled = fc.constantFrom({}, { style: "currency", currency: "BRL" }, { style: "currency", currency: "EUR" });
    fc.assert(
      fc.property(cents, written, styled, fc.constantFrom(...every), (amount, country, style, habits) => {
        const digits = { minimumFractionDigits: 2, maximumFractionDigits: 2 };
        const typed = new Intl.NumberFormat(country, { ...digits, ...(style as object) }).format(amount);
        expect(readPrice(typed, habits)).toEqual({ amount, isDoubtful: false });
      }),
      { numRuns: sized(300, 2_000) },
    );
  });

  it("is written into a window in a form that the same server understands", () => {
    const currencies = fc.constantFrom("BRL", "MXN", undefined);
    fc.assert(
      fc.property(cents, fc.constantFrom(...locales), currencies, (amount, language, currency) => {
        const habits = habitsOf({ language, currency });
        expect(readPrice(typedPrice(amount, habits), habits)).toEqual({ amount, isDoubtful: false });
      }),
    );
    const written = [typedPrice(1_234.5, ptBR), typedPrice(1_234.5, en), typedPrice(9.999, es)];
    expect(written).toEqual(["1234,50", "1234.50", "9,999"]);
  });
});

it("any typed text is a price within bounds or none", () => {
  const noise = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ unit: fc.constantFrom("1", "0", ".", ",", " ", "'", "R", "$", "-", "\u202f"), maxLength: 44 }),
  );
  fc.assert(
    fc.property(noise, fc.constantFrom(...every), (typed, habits) => {
      const read = readPrice(typed, habits);
      if (read === undefined) return;
      expect(read.amount).toBeGreaterThanOrEqual(0);
      expect(read.amount).toBeLessThanOrEqual(1e12);
      expect(Number(read.amount.toFixed(2))).toBe(read.amount);
      expect(typed).not.toMatch(/^\s*[-−]/);
    }),
    { numRuns: sized(500, 5_000) },
  );
});
