import { amountLocale } from "../../basics/amount-locale.ts";
import type { ViewContext } from "./context.ts";

// Kept, because to make one takes 30 µs: there are few currencies, forms and languages.
const formats = new Map<string, Intl.NumberFormat>();

/**
 * A number as readers of a language write it: grouped, and with three decimals at most unless the options say otherwise.
 *
 * @param locale as BCP 47 has it
 */
export function formatNumber(value: number, locale: string, options: Intl.NumberFormatOptions = {}): string {
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, format);
  return format.format(value);
}

/** An amount with two decimals at least, and as many as it has: what a price was understood as. */
export const formatDecimals = (value: number, { locale, currency }: Pick<ViewContext, "locale" | "currency">): string =>
  formatNumber(value, amountLocale(locale, currency), { minimumFractionDigits: 2, maximumFractionDigits: 8 });
