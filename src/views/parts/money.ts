import { amountLocale } from "../../basics/amount-locale.ts";
import type { Locale } from "../../basics/locale.ts";
import type { ViewContext } from "./context.ts";
import { formatNumber } from "./numbers.ts";
import { dash } from "./text.ts";

/** From here on neighbouring numbers are over 0.1 apart: an amount would be shown with digits that were not sent. */
export const largestAmount = 1e15;

type MoneyContext = Pick<ViewContext, "locale" | "currency">;

function moneyFormat(currency: string | undefined, isWhole: boolean): Intl.NumberFormatOptions {
  // "R$" and "$" in every language: the person who chose the currency knows which dollar it is.
  if (currency !== undefined && /^[A-Z]{3}$/i.test(currency)) {
    return { style: "currency", currency: currency.toUpperCase(), currencyDisplay: "narrowSymbol" };
  }
  // The unit is unknown, so nothing is rounded away: cents where there are any, more digits only where they were sent.
  return { minimumFractionDigits: isWhole ? 0 : 2, maximumFractionDigits: 8 };
}

/** A bounded amount, said to be more or less where it was bounded. */
function bounded(amount: number, most: number, format: (bounded: number) => string): string {
  if (Number.isNaN(amount)) return dash;
  if (Math.abs(amount) <= most) return format(amount);
  return amount > 0 ? `> ${format(most)}` : `< ${format(-most)}`;
}

/**
 * An amount as the store's people read it: with a currency by `Intl.NumberFormat` and that currency's digits; without one a
 * plain number, whole ones without decimals (12), others with at least two (12.50). Never scientific notation or float
 * dust; amounts beyond ±10^15 become "> 1,000,000,000,000,000", what is no number a dash.
 */
export function money(amount: number, { locale, currency }: MoneyContext): string {
  return bounded(amount, largestAmount, (exact) => {
    // 15 significant digits are what a double keeps of any decimal; adding 0 turns -0 into 0.
    const value = Number(exact.toPrecision(15)) + 0;
    return formatNumber(value, amountLocale(locale, currency), moneyFormat(currency, Number.isInteger(value)));
  });
}

/** `price × quantity`, only where that is exact: cents, whole pieces, no overflow. */
export function lineTotal(price: number, quantity: number): number | undefined {
  const cents = Math.round(price * 100);
  const total = cents * quantity;
  const exact =
    cents / 100 === price && Number.isSafeInteger(cents) && Number.isInteger(quantity) && Number.isSafeInteger(total);
  return exact ? total / 100 : undefined;
}

/** More pieces than any order has; a longer number would push out the title after it. */
const mostPieces = 1e6;

/** How many of something: grouped, at most three decimals, "> 1,000,000" beyond that, a dash for what is no number. */
export function quantity(amount: number, locale: Locale): string {
  return bounded(amount, mostPieces, (count) =>
    formatNumber(count, locale, { maximumFractionDigits: 3, signDisplay: "negative" }),
  );
}
