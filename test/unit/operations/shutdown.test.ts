import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createShutdown } from "../../../src/operations/shutdown.ts";
import { recordedLog } from "../../support/recorded-log.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = () => new Promise<void>(() => undefined);

it("every part begins to end, and all of it takes 5 s, however many parts hang (before: the storage stayed open)", async () => {
  const { log, at } = recordedLog();
  const shutdown = createShutdown(log);
  const begun: string[] = [];
  const hangs = (name: string) => ({
    [name]() {
      begun.push(name);
      return never();
    },
  });
  for (const name of ["storage", "queue", "store", "polls"]) shutdown.add(hangs(name));
  const startedAt = performance.now();

  const ended = shutdown.run().then((code) => ({ code, ms: performance.now() - startedAt }));
  await vi.advanceTimersByTimeAsync(60_000);

  const { code, ms } = await ended;
  expect(code).toBe(0);
  expect(ms).toBeLessThanOrEqual(5_000);
  expect(begun).toEqual(["polls", "store", "queue", "storage"]);
  expect(at("warn").map(({ fields }) => fields.step)).toEqual(begun);
});

it("the last part has all the time that is left: answers that the proxy waits for", async () => {
  const { log, at } = recordedLog();
  const shutdown = createShutdown(log);
  shutdown.add({ proxy: () => new Promise((resolve) => setTimeout(resolve, 4_900)) });
  const ended = shutdown.run();
  await vi.advanceTimersByTimeAsync(60_000);
  await ended;
  expect(at("warn")).toEqual([]);
});

it("a part that fails is logged, and those beside it and after it end", async () => {
  const { log, at } = recordedLog();
  const shutdown = createShutdown(log);
  const ended: string[] = [];
  shutdown.add({ storage: () => void ended.push("storage") });
  shutdown.add({
    gateway: () => Promise.reject(new Error("no connection")),
    interactions: () =>
      new Promise<void>((resolve) => {
        setTimeout(() => {
          ended.push("interactions");
          resolve();
        }, 1_000);
      }),
  });

  const code = shutdown.run();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(await code).toBe(1);
  expect(ended).toEqual(["interactions", "storage"]);
  expect(at("error").map(({ fields }) => fields.step)).toEqual(["gateway"]);
});
