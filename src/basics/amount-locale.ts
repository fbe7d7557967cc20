import type { Locale } from "./locale.ts";

/** Currencies of Spanish American countries that write 1,234.50 (CLDR 44), with the locale of the country. */
const commaForThousands: ReadonlyMap<string, string> = new Map(
  ["MXN", "GTQ", "HNL", "NIO", "DOP", "PAB", "PEN", "SVC"].map((currency) => [currency, `es-${currency.slice(0, 2)}`]),
);

/**
 * Returns the locale (BCP 47) by whose rules amounts are written. In Spanish it is the locale of the currency's
 * country, if that country writes 1,234.50.
 */
export function amountLocale(locale: Locale, currency = ""): string {
  return (locale === "es" ? commaForThousands.get(currency.toUpperCase()) : undefined) ?? locale;
}
