import type { Locale } from "../../basics/locale.ts";
import type { ViewContext } from "./context.ts";
import { dash } from "./text.ts";

/** From here on neighbouring numbers are over 0.1 apart: an amount would be shown with digits that nobody sent. */
export const largestAmount = 1e15;

type MoneyContext = Pick<ViewContext, "locale" | "currency">;

// Kept, for to make one takes 30 µs: there are few currencies, and three languages.
const formatters = new Map<string, Intl.NumberFormat>();

function formatter(locale: Locale, kind: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${kind}`;
  const known = formatters.get(key) ?? new Intl.NumberFormat(locale, options);
  formatters.set(key, known);
  return known;
}

function moneyFormatter(locale: Locale, currency: string | undefined, whole: boolean): Intl.NumberFormat {
  if (currency !== undefined && /^[A-Z]{3}$/i.test(currency)) {
    // "R$" and "$" in every language: whoever chose the currency knows which dollar it is.
    return formatter(locale, currency.toUpperCase(), { style: "currency", currency, currencyDisplay: "narrowSymbol" });
  }
  // The unit is unknown, so nothing is rounded away: cents where there are any, more digits only where they were sent.
  const least = whole ? 0 : 2;
  return formatter(locale, `${least}`, { minimumFractionDigits: least, maximumFractionDigits: 8 });
}

/**
 * An amount as the store's people read it: with a currency by `Intl.NumberFormat` and that currency's digits; without one a
 * plain number, whole ones without decimals (12), others with at least two (12.50). Never scientific notation or float
 * dust; amounts beyond ±10^15 become "> 1,000,000,000,000,000", what is no number a dash.
 */
export function money(amount: number, { locale, currency }: MoneyContext): string {
  if (Number.isNaN(amount)) return dash;
  const bounded = Math.min(Math.max(amount, -largestAmount), largestAmount);
  // 15 significant digits are what a double keeps of any decimal; adding 0 turns -0 into 0.
  const value = Number(bounded.toPrecision(15)) + 0;
  const text = moneyFormatter(locale, currency, Number.isInteger(value)).format(value);
  if (bounded === amount) return text;
  return `${amount > 0 ? ">" : "<"} ${text}`;
}

/** `price × quantity`, only where that is exact: cents, whole pieces, no overflow. */
export function lineTotal(price: number, quantity: number): number | undefined {
  const cents = Math.round(price * 100);
  const total = cents * quantity;
  const exact =
    cents / 100 === price && Number.isSafeInteger(cents) && Number.isInteger(quantity) && Number.isSafeInteger(total);
  return exact ? total / 100 : undefined;
}

/** More pieces than any order has; a longer number would push out the title beside it. */
const mostPieces = 1e6;

/** How many of something: grouped, at most three decimals, "> 1,000,000" beyond that, a dash for what is no number. */
export function quantity(amount: number, locale: Locale): string {
  if (Number.isNaN(amount)) return dash;
  const bounded = Math.min(Math.max(amount, -mostPieces), mostPieces);
  const text = formatter(locale, "quantity", { maximumFractionDigits: 3, signDisplay: "negative" }).format(bounded);
  if (bounded === amount) return text;
  return `${amount > 0 ? ">" : "<"} ${text}`;
}
