import { amountLocale } from "../../basics/amount-locale.ts";
import type { ViewContext } from "./context.ts";

// Formats are cached, because making one takes 30 µs, and there are few currencies, forms and languages.
const formats = new Map<string, Intl.NumberFormat>();

/**
 * A number as the language writes it: grouped, with at most three decimals unless the options say otherwise.
 *
 * @param locale a BCP 47 language tag
 */
export function formatNumber(value: number, locale: string, options: Intl.NumberFormatOptions = {}): string {
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, format);
  return format.format(value);
}

/**
 * Formats an amount with at least two decimals, and with all it has. It shows a person how a typed price was
 * understood.
 */
export const formatDecimals = (value: number, { locale, currency }: Pick<ViewContext, "locale" | "currency">): string =>
  formatNumber(value, amountLocale(locale, currency), { minimumFractionDigits: 2, maximumFractionDigits: 8 });
