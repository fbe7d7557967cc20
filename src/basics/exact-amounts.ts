/** Number of decimal places in exact amounts: more than any currency has, and as many as a view shows. */
const digits = 8;
/** Largest exact amount. No view shows a larger one, and `toFixed` writes it without an exponent. */
const largest = 1e15;

/**
 * Converts an amount into units of 10^-8. Sums and comparisons of these whole numbers are exact: 0.1 + 0.2 is 0.3. NaN becomes
 * 0. An amount above 10^15 becomes 10^15, and one below -10^15 becomes -10^15.
 */
export function exact(amount: number): bigint {
  const bounded = Number.isNaN(amount) ? 0 : Math.min(Math.max(amount, -largest), largest);
  return BigInt(bounded.toFixed(digits).replace(".", ""));
}

/** Converts the decimal digits of a sum of {@link exact} amounts back into an amount. */
export const inexact = (sum: string): number => Number(sum) / 10 ** digits;
