import fc from "fast-check";

const atOnce = 100;

/** Values of an arbitrary without an end, the same ones for the same seed. */
export function* draws<T>(arbitrary: fc.Arbitrary<T>, seed: number): Generator<T, never> {
  for (let round = seed; ; round += 1) yield* fc.sample(fc.noBias(arbitrary), { seed: round, numRuns: atOnce });
}
