import type { Locale } from "../../basics/locale.ts";

// Kept, because to make one takes 30 µs: there are few currencies and forms, and three languages.
const formats = new Map<string, Intl.NumberFormat>();

/** A number as readers of a language write it: grouped, and with three decimals at most unless the options say otherwise. */
export function formatNumber(value: number, locale: Locale, options: Intl.NumberFormatOptions = {}): string {
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, format);
  return format.format(value);
}

/** An amount with two decimals at least, and as many as it has: what a price was understood as. */
export const formatDecimals = (value: number, locale: Locale): string =>
  formatNumber(value, locale, { minimumFractionDigits: 2, maximumFractionDigits: 8 });
