/** `npm run test:long` sets it: what is drawn, killed or suspended at random happens many times. */
const isLong = process.env.LONG === "1";

/** Defines tests that only `npm run test:long` has. */
export function whenLong(define: () => void): void {
  if (isLong) define();
}

/** How much of something a test does by default, and how much in `npm run test:long`. */
export const sized = <T>(short: T, long: T): T => (isLong ? long : short);

/** Where draws begin that a test prints when it fails; `SEED=…` repeats them. */
export const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
