import { amountLocale } from "../../basics/amount-locale.ts";
import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { ViewContext } from "./context.ts";

// Formats are cached, because making one takes 30 µs, and there are few different formats.
const formats = new Map<string, Intl.NumberFormat>();

/** `locale` is BCP 47. At most three decimals unless the options say otherwise. */
export function formatNumber(value: number, locale: string, options: Intl.NumberFormatOptions = {}): string {
  const key = `${locale} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(locale, options);
  formats.set(key, format);
  return format.format(value);
}

export function timeLeft(ms: number, locale: Locale): string {
  const { almostThere, minutesLeft } = texts(locale).common;
  const minutes = Math.round(ms / 60_000);
  return minutes < 1 ? almostThere : minutesLeft(formatNumber(minutes, locale));
}

/** Shows how a typed price was understood, with all its decimals. */
export const formatDecimals = (value: number, { locale, currency }: Pick<ViewContext, "locale" | "currency">): string =>
  formatNumber(value, amountLocale(locale, currency), { minimumFractionDigits: 2, maximumFractionDigits: 8 });
