import { amountLocale } from "../../basics/amount-locale.ts";
import { mostDecimals } from "../../basics/exact-amounts.ts";
import type { Locale } from "../../basics/locale.ts";
import { texts } from "../../locales/texts.ts";
import type { ViewContext } from "./context.ts";
import { code } from "./text.ts";

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

/** Longest text of a price, in characters. */
export const priceTextMax = 40;

/** A price as it was typed, and as it was understood, with all its decimals. Arguments of the texts `understood`. */
export function understoodPrice(typed: string, amount: number, { locale, currency }: ViewContext) {
  const decimals = { minimumFractionDigits: 2, maximumFractionDigits: mostDecimals };
  return [
    code(typed, priceTextMax + "``".length),
    formatNumber(amount, amountLocale(locale, currency), decimals),
  ] as const;
}
