import type { Locale } from "./locale.ts";

/** Spanish American currencies that are written like 1,234.50 (CLDR 44), with the locale of their country. */
const commaForThousands: ReadonlyMap<string, string> = new Map(
  ["MXN", "GTQ", "HNL", "NIO", "DOP", "PAB", "PEN", "SVC"].map((currency) => [currency, `es-${currency.slice(0, 2)}`]),
);

/** The BCP 47 locale for amounts. For Spanish and MXN it is es-MX, because Mexico writes 1,234.50. */
export function amountLocale(locale: Locale, currency = ""): string {
  return (locale === "es" ? commaForThousands.get(currency.toUpperCase()) : undefined) ?? locale;
}

/** Whether a text has the form of a currency's code (ISO 4217). */
export const isCurrencyCode = (text: string | undefined): text is string => /^[A-Z]{3}$/i.test(text ?? "");

export const usualDecimals = 2;
const decimals = new Map<string, number>();

/** How many decimal places a currency has (ISO 4217, from ICU), but at least two. An unknown currency has two. */
export function decimalsOf(currency: string | undefined): number {
  if (!isCurrencyCode(currency)) return usualDecimals;
  let known = decimals.get(currency);
  if (known === undefined) {
    const { maximumFractionDigits = usualDecimals } = new Intl.NumberFormat("en", {
      style: "currency",
      currency,
    }).resolvedOptions();
    known = Math.max(maximumFractionDigits, usualDecimals);
    decimals.set(currency, known);
  }
  return known;
}
