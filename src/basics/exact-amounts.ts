/** No currency has more decimal places, and no view shows more. */
export const mostDecimals = 8;
/** No view shows a larger amount, because two larger doubles differ by more than 0.1. Up to it, `toFixed` uses no exponent. */
export const largestAmount = 1e15;

/** Converts an amount into units of 10^-8, whose sums are exact. NaN becomes 0. Amounts are limited to ±10^15. */
export function exact(amount: number): bigint {
  const bounded = Number.isNaN(amount) ? 0 : Math.min(Math.max(amount, -largestAmount), largestAmount);
  return BigInt(bounded.toFixed(mostDecimals).replace(".", ""));
}

/** Converts units of 10^-8, written as decimal digits, back into an amount. */
export const inexact = (sum: string): number => Number(sum) / 10 ** mostDecimals;
