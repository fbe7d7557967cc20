/** `npm run test:long` sets it. Random draws, kills and suspensions then happen many times. */
const isLong = process.env.LONG === "1";

export function whenLong(define: () => void): void {
  if (isLong) define();
}

export const sized = <T>(short: T, long: T): T => (isLong ? long : short);

/** The seed of random draws. A failing test prints it, and `SEED=…` repeats the draws. */
export const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
