/** `npm run test:long` sets it. Random draws, kills and suspensions then happen many times. */
const isLong = process.env.LONG === "1";

/** Defines tests that only `npm run test:long` has. */
export function whenLong(define: () => void): void {
  if (isLong) define();
}

/** Returns `short`, or `long` in `npm run test:long`. */
export const sized = <T>(short: T, long: T): T => (isLong ? long : short);

/** The seed of random draws. A failing test prints it, and `SEED=…` repeats the draws. */
export const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
