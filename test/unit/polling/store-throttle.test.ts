import { expect, it } from "vitest";
import { createStoreThrottle } from "../../../src/polling/store-throttle.ts";

it("requests of a baseline and a digest that wait together are sent one after the other", async () => {
  let now = 0;
  const sleeps: { readonly at: number; readonly wake: () => void }[] = [];
  const throttle = createStoreThrottle({
    monotonic: () => now,
    sleep: (ms) => new Promise<void>((wake) => void sleeps.push({ at: now + ms, wake })),
    signal: new AbortController().signal,
  });
  const sent: number[] = [];
  const all = Promise.all([1, 2, 3].map(() => throttle().then(() => void sent.push(now))));
  await Promise.resolve();
  for (const { at, wake } of sleeps.toSorted((one, other) => one.at - other.at)) {
    now = at;
    wake();
    await new Promise(setImmediate);
  }
  await all;
  expect(sent).toEqual([0, 220, 440]);
});
