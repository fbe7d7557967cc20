/** More decimal places than any currency has, and as many as a view shows. */
const digits = 8;
/** No view shows a larger amount, and `toFixed` writes it without an exponent. */
const largest = 1e15;

/** Converts an amount into units of 10^-8, whose sums are exact. NaN becomes 0. Amounts are limited to ±10^15. */
export function exact(amount: number): bigint {
  const bounded = Number.isNaN(amount) ? 0 : Math.min(Math.max(amount, -largest), largest);
  return BigInt(bounded.toFixed(digits).replace(".", ""));
}

/** Takes the decimal digits of a sum of {@link exact} amounts. */
export const inexact = (sum: string): number => Number(sum) / 10 ** digits;
