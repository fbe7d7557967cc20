/** Number of decimal places in exact amounts: more than any currency has, and as many as a view shows. */
const digits = 8;
/** Largest exact amount. No view shows a larger one, and up to here `toFixed` writes no exponent. */
const largest = 1e15;

/** An amount as a whole number of 10^-8, so that sums and comparisons are exact: 0.1 + 0.2 is 0.3. */
export function exact(amount: number): bigint {
  const bounded = Number.isNaN(amount) ? 0 : Math.min(Math.max(amount, -largest), largest);
  return BigInt(bounded.toFixed(digits).replace(".", ""));
}

/** Turns a sum of {@link exact} amounts, given as its decimal digits, back into an amount. */
export const inexact = (sum: string): number => Number(sum) / 10 ** digits;
