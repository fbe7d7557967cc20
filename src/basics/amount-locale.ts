import type { Locale } from "./locale.ts";

/** Currencies of Spanish American countries that write 1,234.50 (CLDR 44), with the locale of the country. */
const commaForThousands: ReadonlyMap<string, string> = new Map(
  ["MXN", "GTQ", "HNL", "NIO", "DOP", "PAB", "PEN", "SVC"].map((currency) => [currency, `es-${currency.slice(0, 2)}`]),
);

/** Returns the locale (BCP 47) that formats amounts. For Spanish and MXN it is es-MX, because Mexico writes 1,234.50. */
export function amountLocale(locale: Locale, currency = ""): string {
  return (locale === "es" ? commaForThousands.get(currency.toUpperCase()) : undefined) ?? locale;
}
