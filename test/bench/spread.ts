import { setTimeout as wait } from "node:timers/promises";

const goldenRatio = 0.6180339887498949;

/** From 0 to 1, the same on every run. Fractional parts of multiples of the golden ratio are spread evenly. */
export const spread = (count: number): number => (count * goldenRatio) % 1;

/** At moments in every phase of the polls. */
export async function evenly(count: number, perSecond: number, act: (index: number) => unknown): Promise<void> {
  const from = performance.now();
  for (let index = 0; index < count; index++) {
    await wait(Math.max(from + ((index + spread(index)) * 1_000) / perSecond - performance.now(), 0));
    await act(index);
  }
}
