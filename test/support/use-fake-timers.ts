import { afterEach, beforeEach, vi } from "vitest";

/** Stops the time in each test. Only the test moves it on. */
export function useFakeTimers(options?: Parameters<typeof vi.useFakeTimers>[0]): void {
  beforeEach(() => void vi.useFakeTimers(options));
  afterEach(() => void vi.useRealTimers());
}
