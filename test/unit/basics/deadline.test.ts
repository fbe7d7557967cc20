import { expect, test, vi } from "vitest";
import { withDeadline } from "../../../src/basics/limits/deadline.ts";
import { useFakeTimers } from "../../support/use-fake-timers.ts";

useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

test("work that ends in time gives what it came to, and leaves no timer behind", async () => {
  expect(await withDeadline(Promise.resolve("done"), 1_000, "late")).toBe("done");
  expect(vi.getTimerCount()).toBe(0);
});

test("work that fails in time rejects", async () => {
  await expect(withDeadline(Promise.reject(new Error("broken")), 1_000, "late")).rejects.toThrow("broken");
});
