import { amountLocale, decimalsOf, isCurrencyCode } from "../../basics/amount-locale.ts";
import { largestAmount, mostDecimals } from "../../basics/exact-amounts.ts";
import type { Locale } from "../../basics/locale.ts";
import type { ViewContext } from "./context.ts";
import { formatNumber } from "./numbers.ts";
import { dash } from "./text.ts";

type MoneyContext = Pick<ViewContext, "locale" | "currency">;

function moneyFormat(currency: string | undefined, isWhole: boolean): Intl.NumberFormatOptions {
  return {
    // Every language writes "R$" and "$", because the person who chose the currency knows which dollar it is.
    ...(isCurrencyCode(currency) && { style: "currency", currency, currencyDisplay: "narrowSymbol" }),
    ...(!isWhole && { minimumFractionDigits: decimalsOf(currency) }),
    // The store may send more decimals than the currency has. They are not rounded away.
    maximumFractionDigits: mostDecimals,
  };
}

function bounded(amount: number, most: number, format: (bounded: number) => string): string {
  if (Number.isNaN(amount)) return dash;
  if (Math.abs(amount) <= most) return format(amount);
  return amount > 0 ? `> ${format(most)}` : `< ${format(-most)}`;
}

/**
 * Shows at least as many decimals as the currency has, and up to eight if the store sent more. Without a currency, a whole
 * amount has no decimals. An amount beyond ±10^15 becomes "> …" or "< …". NaN becomes a dash.
 */
export function money(amount: number, { locale, currency }: MoneyContext): string {
  return bounded(amount, largestAmount, (exact) => {
    // A double keeps 15 significant digits of any decimal. Adding 0 turns -0 into 0.
    const value = Number(exact.toPrecision(15)) + 0;
    return formatNumber(value, amountLocale(locale, currency), moneyFormat(currency, Number.isInteger(value)));
  });
}

/** No order has more pieces, and a longer number would leave no space for the title. */
const mostPieces = 1e6;

/** At most three decimals. A number over a million is "> 1,000,000", and NaN is a dash. */
export function quantity(amount: number, locale: Locale): string {
  return bounded(amount, mostPieces, (count) =>
    formatNumber(count, locale, { maximumFractionDigits: 3, signDisplay: "negative" }),
  );
}
