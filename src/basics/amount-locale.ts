import type { Locale } from "./locale.ts";

/** Countries of Spanish America that write 1,234.50 (CLDR 44), by their currencies. */
const commaForThousands: ReadonlyMap<string, string> = new Map(
  ["MXN", "GTQ", "HNL", "NIO", "DOP", "PAB", "PEN", "SVC"].map((currency) => [currency, `es-${currency.slice(0, 2)}`]),
);

/**
 * By which language's rules (BCP 47) amounts are written and read: in Spanish those of the currency's country, if it
 * writes 1,234.50.
 */
export function amountLocale(locale: Locale, currency = ""): string {
  return (locale === "es" ? commaForThousands.get(currency.toUpperCase()) : undefined) ?? locale;
}
